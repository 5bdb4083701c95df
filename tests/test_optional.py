import sys

import pytest

from slkmodes.optional import optional


def test_a_package_that_is_there():
    assert optional("os.path", "This", "os") is sys.modules["os.path"]


def test_a_package_that_is_missing_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(
        ImportError, match=r"^LabelMe needs PIL, which is not installed: pip install 'slkmodes\[data\]'$"
    ):
        optional("PIL.Image", "LabelMe", "data")
