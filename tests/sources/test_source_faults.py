"""Kernels that fault: the error names the launch, and the process goes on with the host."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARIES = Path(os.environ.get("TESSERA_BUILD", "build/release")).resolve() / "simulated"
HEAD = f"""
import numpy as np, tessera, tessera.numpy as tn
from tessera import _core, _toolkit, cuda
_toolkit.folders = lambda: [{str(LIBRARIES)!r}]
fine = cuda.RawKernel('extern "C" __global__ void fine(float* a) {{ a[0] += 1; }}', "fine")
breaks = cuda.RawKernel('extern "C" __global__ void breaks(float* a) {{ a[0] += 1; }}', "breaks")
a = tn.zeros(8, dtype=np.float32)
"""


@pytest.mark.skipif(not LIBRARIES.is_dir(), reason="the simulated device's compiler is not built")
@pytest.mark.parametrize(
    "look",
    [
        "np.asarray(a)",
        "a.tolist()",
        "a[0].item()",
        "_core.synchronize()",
        "print(a)",
        "breaks((1,), (1,), (np.zeros(4, np.float32),))",
    ],
)
def test_the_wait_that_meets_a_fault_names_the_launch(look):
    program = f"""{HEAD}
fine((1,), (1,), (a,))
tessera.synchronize()
breaks((1,), (1,), (a,))
try:
    {look}
except RuntimeError as error:
    print("caught", "a launch of breaks" in str(error), "fine" in str(error))
print("the host goes on", float((tn.arange(10.0) + 1).sum()))
"""
    environment = os.environ | {"TESSERA_SIMULATED_FAILURE": "2", "TESSERA_DEVICE": "simulated"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.stdout == "caught True False\nthe host goes on 55.0\n", (done.stdout, done.stderr)
