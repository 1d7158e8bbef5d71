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
