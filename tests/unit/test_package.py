"""`import tabloop`: one name for all that a user of the loop needs, and nothing loaded before."""

import subprocess
import sys

import pytest
import tabloop

LOADED = "import sys, tabloop; print([name for name in sys.modules if name[:8] == 'tabloop.'])"


@pytest.mark.parametrize("name", tabloop.__all__)
def test_each_exported_name_can_be_imported(name: str) -> None:
    assert getattr(tabloop, name) is not None


def test_a_name_that_is_not_exported_is_not_an_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nobody'"):
        _ = tabloop.Nobody


def test_importing_the_package_loads_nothing() -> None:
    path = tabloop.__path__[0].removesuffix("/tabloop")
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
