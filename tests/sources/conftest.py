"""Ways of testing CUDA C++ without a GPU: NVRTC compiles, and the simulated device runs what its own compiler makes of a source. test_cores.py runs kernels on the cores."""

import os
from pathlib import Path

import pytest
from tessera.cuda.source import clang
from tessera.errors import CudaSupportError

import tessera
from tessera import _core

LIBRARIES = Path(os.environ.get("TESSERA_BUILD", "build/release")).resolve() / "simulated"


@pytest.fixture
def nvrtc(tmp_path, monkeypatch):
    """NVRTC, with no GPU and no clang: it checks sources; what it makes is kept in a folder of its own."""
    monkeypatch.setattr(clang, "find", lambda: None)
    monkeypatch.setenv("TESSERA_CLANG", "")  # for processes that the test starts
    if _core.devices() or "simulated" in os.environ.get("TESSERA_DEVICE", ""):
        pytest.skip("a device is there, and compiles for itself")
    try:
        return _core.sources.compiler_facts()
    except CudaSupportError as error:
        pytest.skip(f"NVRTC is not found: {error}")


@pytest.fixture(params=[*(["simulated"] if LIBRARIES.is_dir() else []), *(["gpu"] if _core.devices() else [])])
def device(request):
    """A device on which launches run."""
    if request.param == "simulated":
        _core.set_toolkit_folders([str(LIBRARIES)])
    with tessera.device(request.param):
        yield request.param
    _core.set_toolkit_folders(None)
