"""Kernels that are checked for races, reads of what was never written and missed barriers: each planted fault is named with its
lines, and kernels without one pass."""

import inspect
import os
import re
import subprocess
import sys

import faulty_kernels
import numpy as np
import pytest
import sound_kernels

from tessera import _core, cuda, errors

N = faulty_kernels.N


def marked_lines(function):
    lines, first = inspect.getsourcelines(function)
    return {first + k for k, line in enumerate(lines) if line.rstrip().endswith("# <-")}


def lines_named(text):
    return {int(number) for number in re.findall(r"line (\d+)", text)}


@pytest.fixture(autouse=True)
def tier(device):
    """Interpreted in one of the two runs, compiled in the other: checked kernels run on the cores in any case."""
    outer = _core.options()["compile"]
    _core.options(compile="before_full" if device == "cpu" else "never")
    yield
    _core.options(compile=outer)


@pytest.mark.parametrize("function", faulty_kernels.FAULTS, ids=lambda f: f.__name__)
def test_a_planted_fault_is_named_with_its_lines(function):
    wanted, blocks = faulty_kernels.FAULTS[function]
    x = np.arange(float(N * blocks))
    out = np.zeros(N * blocks + 1)
    if wanted is faulty_kernels.INDEX:
        x = x[:N]
    kernel = cuda.jit(check=True)(function)
    with pytest.raises((errors.KernelFaultError, IndexError)) as raised:
        kernel[blocks, N](x, out)
    text = str(raised.value)
    marks = marked_lines(function)
    if function is faulty_kernels.device_function_races:
        marks = marked_lines(faulty_kernels.put.py_func)
    if wanted is faulty_kernels.INDEX:
        assert wanted in text and lines_named(text) == marks
        return
    fitting = [fault for fault in raised.value.faults if wanted in fault]
    assert fitting, text
    named = set().union(*map(lines_named, fitting))
    assert marks <= named, text
    assert all(re.search(r"thread \(\d+, 0, 0\) of block \(\d, 0, 0\)", fault) for fault in fitting)


def test_there_are_forty_of_each():
    assert len(faulty_kernels.FAULTS) == 40 and len(sound_kernels.KERNELS) == 40


@pytest.mark.parametrize("number", range(40))
def test_a_sound_kernel_passes(number):
    run = sound_kernels.KERNELS[number]
    checked, plain = run(cuda.jit(check=True)), run(cuda.jit)
    for one, other in zip(checked, plain, strict=True):
        np.testing.assert_array_equal(one, other)


WATCHED = """
import numpy as np
from tessera import cuda, errors
SOURCE = '''
def halves(x, out):
    i = cuda.grid(1)
    if i // 8 % 2:
        out[i] = x[i] / 2

def total(x, out):
    cuda.atomic.add(out, 0, x[cuda.grid(1)])
'''
for dtype in (np.float64, np.int8, np.float32):
    scope = {"cuda": cuda}
    exec(SOURCE, scope)
    halves, total = (cuda.jit(scope[name], source=SOURCE) for name in ("halves", "total"))
    new, out = cuda.device_array(64, dtype), cuda.to_device(np.zeros(1))
    halves[1, 64](cuda.to_device(np.ones(64)), new)
    try:
        total[1, 64](new, out)
        print("nothing")
    except errors.KernelFaultError as error:
        print(error.kernel, len(error.faults), "x[0] in global memory is read before" in str(error))
    new.copy_to_device(np.ones(64, dtype))
    total[1, 64](new, out)
"""


@pytest.mark.parametrize("setting, said", [("1", "total 1 True\n"), ("0", "nothing\n")])
def test_the_environment_has_all_kernels_checked_and_new_arrays_watched(setting, said):
    environment = {**os.environ, "TESSERA_CUDA_CHECK": setting}
    done = subprocess.run([sys.executable, "-c", WATCHED], capture_output=True, text=True, timeout=60, env=environment)
    assert done.stdout == 3 * said, done.stderr


def test_a_fault_names_array_index_threads_and_lines():
    def shifted(x, out):
        s = cuda.shared.array((2, 16), np.float64)
        t = cuda.threadIdx.x
        s[1, t] = x[t]
        out[t] = s[1, t + 1 - t // 15]

    with pytest.raises(errors.KernelFaultError) as raised:
        cuda.jit(check=True)(shifted)[1, 16](np.arange(16.0), np.zeros(16))
    first = inspect.getsourcelines(shifted)[1]
    race = next(fault for fault in raised.value.faults if fault.startswith("race"))
    assert lines_named(race) == {first + 3, first + 4} and "s[1, " in race and __file__ in race
    assert raised.value.kernel == "shifted"


def test_an_index_outside_names_the_array():
    def beyond(x):
        x[cuda.threadIdx.x + 1] = 1

    with pytest.raises(IndexError, match=r"tid=\[3, 0, 0\].*index 4 is out of bounds for axis 0 with size 4, array x"):
        cuda.jit(debug=True)(beyond)[1, 4](np.zeros(4))


def test_blocks_before_that_wrote_all_do_not_hide_a_read_of_what_was_never_written():
    def some(x, out):
        s = cuda.shared.array(64, np.float64)
        t = cuda.threadIdx.x
        if cuda.blockIdx.x != 2 or t != 17:
            s[t] = x[t]
        cuda.syncthreads()
        total = 0.0
        for k in range(64):
            total += s[k]
        out[cuda.grid(1)] = total

    out = cuda.to_device(np.zeros(256))
    with pytest.raises(errors.KernelFaultError) as raised:
        cuda.jit(check=True)(some)[4, 64](np.arange(64.0), out)
    assert len(raised.value.faults) == 1
    assert "s[17]" in raised.value.faults[0] and "block (2, 0, 0)" in raised.value.faults[0]
    np.testing.assert_array_equal(np.delete(out.copy_to_host().reshape(4, 64), 2, 0), 2016)


def test_tiles_with_checked_indices_give_the_same_bits():
    def product(a, b, c):
        sa = cuda.shared.array((16, 16), np.float32)
        sb = cuda.shared.array((16, 16), np.float32)
        x, y = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        total = np.float32(0.0)
        for k in range(a.shape[1] // 16):
            sa[ty, tx] = a[y, k * 16 + tx]
            sb[ty, tx] = b[k * 16 + ty, x]
            cuda.syncthreads()
            for j in range(16):
                total += sa[ty, j] * sb[j, tx]
            cuda.syncthreads()
        c[y, x] = total

    a, b = np.random.default_rng(0).random((2, 64, 64), np.float32)
    checked, plain = np.zeros_like(a), np.zeros_like(a)
    kernel = cuda.jit(check=True)(product)
    kernel[(4, 4), (16, 16)](a, b, checked)
    cuda.jit(product)[(4, 4), (16, 16)](a, b, plain)
    np.testing.assert_array_equal(checked, plain)
    for _ in range(3):  # a launch that ends early leaves nothing behind
        with pytest.raises(IndexError, match="size 48, array a"):
            kernel[(4, 4), (16, 16)](a[:48], b, checked)
        kernel[(4, 4), (16, 16)](a, b, checked)
        np.testing.assert_array_equal(checked, plain)


def test_an_exception_ends_the_launch_and_changes_nothing_outside():
    def beyond(x, out, d):
        s = cuda.shared.array(64, np.int64)
        own = cuda.local.array(100, np.int64)
        t = cuda.threadIdx.x
        for k in range(100):
            own[k] = t + k
        s[t] = own[t]
        cuda.syncthreads()
        out[cuda.blockIdx.x, t] = s[63 - t] + x[cuda.blockIdx.x * 64 + t] // d[t]
        cuda.syncthreads()
        out[cuda.blockIdx.x, t] += s[t]

    kernel = cuda.jit(check=True)(beyond)
    whole, d = np.arange(256), np.ones(64, np.int64)
    for _ in range(2):
        around = cuda.to_device(np.full((8, 64), -1))
        with pytest.raises(IndexError, match=r"ctaid=\[3, 0, 0\].*index 192 is out of bounds"):
            kernel[4, 64](whole[:192], around[2:6], d)
        after = around.copy_to_host()
        assert (after[:2] == -1).all() and (after[6:] == -1).all()
    d[5] = 0
    with pytest.raises(ZeroDivisionError):
        kernel[4, 64](whole, np.zeros((4, 64), np.int64), d)


def test_own_block_accesses_of_global_memory_are_ordered_by_its_barrier():
    def reversed_in_place(x, step):
        i = cuda.blockIdx.x * step
        t = cuda.threadIdx.x
        v = x[i + 63 - t]
        cuda.syncthreads()
        x[i + t] = v

    for dtype in (np.float64, np.int8, np.complex64):
        x = np.arange(256).astype(dtype)
        cuda.jit(check=True)(reversed_in_place)[4, 64](x, 64)
        np.testing.assert_array_equal(x, np.arange(256).astype(dtype).reshape(4, 64)[:, ::-1].ravel())
    with pytest.raises(errors.KernelFaultError, match="race on"):
        cuda.jit(check=True)(reversed_in_place)[4, 64](np.arange(256.0), 32)
