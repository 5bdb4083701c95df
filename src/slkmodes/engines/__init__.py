"""Engines by name; the C++ one is imported on first use and may be missing."""

from __future__ import annotations

import importlib
import warnings
from functools import cache

from slkmodes.engines.protocol import Engine

__all__ = ["ENGINES", "Engine", "make_engine", "native_available"]

# name -> module and class; adding an engine is one line here and a green tests/engines/test_contract.py
ENGINES = {
    "numpy": ("slkmodes.engines.numpy_engine", "NumpyEngine"),
    "native": ("slkmodes.engines.native_engine", "NativeEngine"),
}
# the same engines where every row keeps only its largest memberships
TOP_ENGINES = {
    "numpy": ("slkmodes.engines.top_memberships", "TopNumpyEngine"),
    "native": ("slkmodes.engines.top_native", "TopNativeEngine"),
}


@cache
def native_available() -> bool:
    """Whether the C++ extension can be imported; says so, once, where it cannot."""
    try:
        importlib.import_module("slkmodes._kernels")
    except ImportError as error:
        warnings.warn(
            f"The C++ kernels of slkmodes are not available ({error}); the NumPy engine serves, which is slower on "
            "large data. Reinstall slkmodes with a C++ compiler at hand, or pass engine='numpy' to silence this.",
            RuntimeWarning,
            stacklevel=4,  # whoever called fit
        )
        return False
    return True


def make_engine(name: str, n_threads: int, top_memberships: int | None = None) -> Engine:
    """The engine of that name, keeping all memberships or so many of each row; "auto" is the fastest that works."""
    if name == "auto":
        name = "native" if native_available() else "numpy"
    module, attribute = (ENGINES if top_memberships is None else TOP_ENGINES)[name]
    try:
        engine_class = getattr(importlib.import_module(module), attribute)
    except ImportError as error:
        raise ImportError(
            f"engine={name!r} cannot be used here: {error}. Reinstall slkmodes with what it needs (a C++ compiler "
            "for 'native'), or pass engine='numpy'."
        ) from error
    kept = {} if top_memberships is None else {"n_kept": top_memberships}
    engine: Engine = engine_class(n_threads=n_threads, **kept)
    return engine
