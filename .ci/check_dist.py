"""``make dist``: look into the wheel and the sdist for what they should and should not hold."""

import sys
import tarfile
import zipfile
from pathlib import Path

folder = Path(sys.argv[1])
(wheel,) = folder.glob("*.whl")
(sdist,) = folder.glob("*.tar.gz")
with zipfile.ZipFile(wheel) as archive:
    in_wheel = archive.namelist()
with tarfile.open(sdist) as archive:
    in_sdist = [name.split("/", 1)[-1] for name in archive.getnames()]


def require(condition: bool, message: str) -> None:
    """Stop with the message unless the condition holds."""
    if not condition:
        sys.exit(f"check_dist: {message}")


for name in ("__init__.py", "py.typed", "estimator.py", "engines/numpy_engine.py", "engines/native_engine.py"):
    require(f"slkmodes/{name}" in in_wheel, f"the wheel lacks {name}")
require(any(name.startswith("slkmodes/_kernels.") for name in in_wheel), "the wheel lacks the extension")
require(any(name.endswith("licenses/LICENSE") for name in in_wheel), "the wheel lacks the licence")
for ending in (".cpp", ".hpp"):
    require(not any(name.endswith(ending) for name in in_wheel), f"the wheel holds {ending} sources")
    require(any(name.endswith(ending) for name in in_sdist), f"the sdist lacks {ending} sources")
for name in ("CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE", "tests/test_solver.py"):
    require(name in in_sdist, f"the sdist lacks {name}")
require(not any(name.startswith((".venv", "build/", "dist/")) for name in in_sdist), "the sdist holds build products")
print(f"{wheel.name}: {len(in_wheel)} files; {sdist.name}: {len(in_sdist)} files; all there")
