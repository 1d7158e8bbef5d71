"""Kernels as Python threads, in processes of their own: the choice is made when tessera.cuda is imported."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import sound_kernels

from tessera import cuda

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


EVERY_SOUND_KERNEL = """
import pickle, sys
sys.path.insert(0, sys.argv[1])
import sound_kernels
from tessera import cuda
results = {}
for run in sound_kernels.KERNELS:
    try:
        results[run.__name__] = run(cuda.jit)
    except Exception as error:
        results[run.__name__] = repr(error)
with open(sys.argv[2], "wb") as file:
    pickle.dump(results, file)
"""


def test_kernels_as_python_compute_what_compiled_ones_do(tmp_path, device):
    if device != "cpu":
        pytest.skip("Python threads run on the host")
    where, found = os.path.dirname(__file__), tmp_path / "results"
    command = [sys.executable, "-c", EVERY_SOUND_KERNEL, where, str(found)]
    subprocess.run(command, check=True, timeout=100, env={**os.environ, "TESSERA_CUDA_DEBUG": "1"})
    results = pickle.loads(found.read_bytes())
    for run in sound_kernels.KERNELS:
        if run is sound_kernels.columns:
            continue  # NumPy's int8 numbers wrap where compiled kernels compute in 64 bits
        got = results[run.__name__]
        assert not isinstance(got, str), (run.__name__, got)
        for one, other in zip(got, run(cuda.jit), strict=True):
            for name in one.dtype.names or (...,):  # compiled, a product and a sum round once
                np.testing.assert_allclose(one[name], other[name], rtol=1e-6, atol=1e-5, err_msg=run.__name__)


def test_random_numbers_vectors_functions_and_barriers_of_the_grid():
    program = (
        COMMON
        + """
from tessera.cuda import libdevice, random
states = random.create_xoroshiro128p_states(4, seed=1)
@cuda.jit
def draw(states, out):
    i = cuda.grid(1)
    out[i] = random.xoroshiro128p_uniform_float32(states, i)
first, second = np.zeros(4), np.zeros(4)
draw[1, 4](states, first)
draw[1, 4](states, second)
@cuda.jit
def meet(out):
    g = cuda.cg.this_grid()
    i = cuda.grid(1)
    out[i] = i
    g.sync()
    last = out[cuda.gridsize(1) - 1 - i]
    g.sync()
    part = cuda.float4(1, 2.5, 3, 4)
    out[i] = last + part.y + cuda.fma(1.5, 2.0, 1.0)
out = np.zeros(6)
meet[3, 2](out)
@cuda.jit
def parts(c, o):
    cuda.atomic.add(c.real, 0, 2)
    cuda.atomic.add(c.imag, 0, 1)
    o[0] = cuda.fp16.hadd(np.float16(1.5), np.float16(2))
    o[1] = libdevice.rsqrt(16.0)
c, o = np.zeros(1, complex), np.zeros(2)
parts[1, 3](c, o)
print(np.round(first, 6).tolist(), (first != second).all(), out.tolist(), c[0], o.tolist())
"""
    )
    code, out, errors = run(program, TESSERA_CUDA_DEBUG="1")
    assert code == 0 and "Warning" not in errors, errors
    uniform = "[0.133123, 0.876349, 0.871091, 0.936481]"
    assert out == f"{uniform} True [11.5, 10.5, 9.5, 8.5, 7.5, 6.5] (6+3j) [3.5, 0.25]"
