import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import slkmodes


def test_importing_is_light():
    """What only some calls need is imported by those calls: nothing comes in that scikit-learn leaves out."""
    code = "import sys, {}; print(*(name for name in sys.modules if '.' not in name))"

    def imported(name):
        return set(subprocess.check_output([sys.executable, "-c", code.format(name)], text=True).split())

    extra = imported("slkmodes") - imported("sklearn.cluster")
    assert {name for name in extra if not name.startswith(("_", "slkmodes"))} == set()


def test_the_version_is_one():
    assert slkmodes.__version__ == version("slkmodes")


def test_types_are_shipped():
    assert (Path(slkmodes.__file__).parent / "py.typed").exists()


def test_public_names_exist():
    for name in slkmodes.__all__:
        assert getattr(slkmodes, name) is not None
