"""Kernels as Python threads, in processes of their own: the choice is made when tessera.cuda is imported."""

import os
import subprocess
import sys

import pytest

COMMON = "import numpy as np, threading\nfrom tessera import cuda\n"
REVERSED = (
    COMMON
    + """
seen = set()
@cuda.jit
def reverse(a):
    s = cuda.shared.array(8, dtype=np.float64)
    i = cuda.grid(1)
    s[cuda.threadIdx.x] = i
    cuda.syncthreads()
    seen.add(threading.get_ident())
    a[i] = s[7 - cuda.threadIdx.x]
a = np.zeros(16)
reverse[2, 8](a)
print(a.astype(int).tolist(), len(seen) >= 8)
"""
)


def run(program, **settings):
    environment = {k: v for k, v in os.environ.items() if k not in ("TESSERA_CUDA_DEBUG", "NUMBA_ENABLE_CUDASIM")}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, env={**environment, **settings}
    )
    return done.returncode, done.stdout.strip(), done.stderr


@pytest.mark.parametrize("settings", [{"TESSERA_CUDA_DEBUG": "1"}, {"NUMBA_ENABLE_CUDASIM": "1"}])
def test_each_thread_is_one_of_python(settings):
    code, out, errors = run(REVERSED, **settings)
    assert code == 0, errors
    assert out == "[7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8] True"


def test_the_own_variable_wins():
    code, _, errors = run(REVERSED, TESSERA_CUDA_DEBUG="0", NUMBA_ENABLE_CUDASIM="1")
    assert code != 0 and "(device=True), or one of math, numpy or cuda" in errors


def test_warps_atomics_and_memory():
    program = (
        COMMON
        + """
@cuda.jit
def sums(x, total, votes):
    i = cuda.grid(1)
    v = x[i]
    d = 16
    while d > 0:
        v += cuda.shfl_down_sync(0xffffffff, v, d)
        d //= 2
    if cuda.laneid == 0:
        cuda.atomic.add(total, 0, v)
    votes[i] = cuda.ballot_sync(0xffffffff, i % 2 == 0)
x, total, votes = np.arange(64), np.zeros(1, int), np.zeros(64, np.uint32)
sums[1, 64](x, total, votes)
d = cuda.to_device(np.zeros(3))
@cuda.jit
def dynamic(a):
    s = cuda.shared.array(0, np.float64)
    s[cuda.threadIdx.x] = cuda.threadIdx.x + 1
    cuda.syncthreads()
    a[cuda.threadIdx.x] = s[2 - cuda.threadIdx.x]
dynamic[1, 3, 0, 24](d)
print(total[0], hex(votes[5]), d.copy_to_host().tolist())
"""
    )
    code, out, errors = run(program, TESSERA_CUDA_DEBUG="1")
    assert code == 0, errors
    assert out == "2016 0x55555555 [3.0, 2.0, 1.0]"


def test_a_thread_that_fails_is_named_and_others_are_not_kept_waiting():
    program = (
        COMMON
        + """
@cuda.jit
def bad(a):
    i = cuda.grid(1)
    if i == 5:
        raise ValueError("negative mass", i)
    cuda.syncthreads()
    a[i] = 1
a = np.zeros(8)
try:
    bad[1, 8](a)
except ValueError as error:
    print(error.args, a.sum())
"""
    )
    code, out, errors = run(program, TESSERA_CUDA_DEBUG="1")
    assert code == 0, errors
    assert out == "('tid=[5, 0, 0] ctaid=[0, 0, 0]: negative mass', 5) 7.0"
