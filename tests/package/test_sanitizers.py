"""Under the address sanitizer, compiled kernels are checked, too."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif("asan" not in os.environ.get("LD_PRELOAD", ""), reason="runs by make sanitize-python")

PROGRAM = """
import tessera.numpy as np
from tessera import _core, jit

_core.options(compile="before_full")


@jit
def total(x, n):
    t = 0.0
    for i in range(n):
        t += x[i]
    return t


x = np.ones(1000)
assert total(x, 1000) == 1000
print("within", flush=True)
total(x, {count})
print("beyond", flush=True)
"""


@pytest.mark.parametrize("count", [1001, 1009])
def test_a_read_beyond_an_array_is_found(count):
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(count=count)], capture_output=True, text=True)
    assert done.stdout == "within\n" and done.returncode != 0
    assert "AddressSanitizer" in done.stderr and "READ of size 8" in done.stderr
