"""Threads whose first operations use a device's libraries at once neither wait for each other for ever nor compute anything else."""

import os
from pathlib import Path

import first_uses
import pytest

from tessera import _core

LIBRARIES = Path(os.environ.get("TESSERA_BUILD", "build/release")).resolve() / "simulated"
DEVICES = (["simulated", "simulated:2"] if LIBRARIES.is_dir() else []) + (["gpu:0"] if _core.devices() else [])


@pytest.mark.skipif(not DEVICES, reason="neither a GPU nor the simulated libraries are here")
@pytest.mark.parametrize("device", DEVICES)
def test_threads_that_need_libraries_first_at_once_all_end(device, request):
    problems = first_uses.run_many(device, request.config.getoption("--first-use-runs"))
    assert not problems, "\n".join(problems)
