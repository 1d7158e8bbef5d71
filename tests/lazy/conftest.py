"""The simulated device's stand-ins for vendor libraries, which are built with the tests."""

import os
from pathlib import Path

import pytest

from tessera import _core

LIBRARIES = Path(os.environ.get("TESSERA_BUILD", "build/release")).resolve() / "simulated"


@pytest.fixture
def vendor_libraries():
    """A library that was missed once stays missed, so tests that call one ask for this."""
    if not LIBRARIES.is_dir():
        pytest.skip("the simulated libraries are not here")
    _core.set_toolkit_folders([str(LIBRARIES)])
    yield
    _core.set_toolkit_folders(None)
