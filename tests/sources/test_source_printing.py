"""What kernels print by printf comes in order with what Python prints."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tessera import _core

LIBRARIES = Path(os.environ.get("TESSERA_BUILD", "build/release")).resolve() / "simulated"
PROGRAM = """
import numpy as np, tessera, tessera.numpy as tn
from tessera import _core, _toolkit, cuda
if {folder!r}:
    _toolkit.folders = lambda: [{folder!r}]
tell = cuda.RawKernel('extern "C" __global__ void tell(int n) {{ printf("kernel %d\\\\n", n); }}', "tell")
def main():
    print("first")
    tell((1,), (1,), (1,))
    {wait}
    print("second")
    tell((1,), (1,), (2,), stream=stream)
    tell((1,), (1,), (3,))
    {wait}
    print("third")
    tell((1,), (1,), (4,))
with tessera.device({device!r}):
    a, stream = tn.zeros(3), cuda.stream()
    main()
"""
DEVICES = [*(["simulated"] if LIBRARIES.is_dir() else []), *(["gpu"] if _core.devices() else [])]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "wait", ["tessera.synchronize()", "cuda.synchronize()", "stream.synchronize()", "np.asarray(a + 1)"]
)
def test_lines_come_in_order(device, wait):
    program = PROGRAM.format(folder=str(LIBRARIES) if device == "simulated" else "", wait=wait, device=device)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:3] == ["first", "kernel 1", "second"] and sorted(lines[3:5]) == ["kernel 2", "kernel 3"], lines
    assert lines[5:] == ["third", "kernel 4"], lines
