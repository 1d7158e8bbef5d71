"""Decorating, signatures, arguments, arrays."""

import numpy as np
import pytest
import tessera.numpy as tnp

import tessera
from tessera import _core, cuda, types


@cuda.jit
def double(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] *= 2


@pytest.mark.parametrize("configuration", [(2, 8), ((2,), (8,)), ((2, 1, 1), (8, 1)), (2, 8, 0), (2, 8, 0, 0)])
def test_configurations(configuration):
    a = np.arange(13)
    double[configuration](a)
    np.testing.assert_array_equal(a, 2 * np.arange(13))


def test_tessera_arrays_are_used_in_place():
    a = tnp.arange(13)
    view = a[::2]
    double[1, 16](view)
    np.testing.assert_array_equal(np.asarray(a), [0, 1, 4, 3, 8, 5, 12, 7, 16, 9, 20, 11, 24])


def test_pending_arrays_are_computed_first_and_results_used_after():
    a = tnp.arange(5000) + 1
    double[20, 256](a)
    assert int((a * 2).sum()) == 4 * sum(range(1, 5001))


def test_a_kernel_is_compiled_once_for_each_list_of_types():
    @cuda.jit
    def kernel(a, x):
        a[0] = x

    for value in (1, 2, 1.5, np.float32(2)):
        kernel[1, 1](np.zeros(1), value)
    wanted = [(types.float64[:], number) for number in (types.int64, types.float64, types.float32)]
    assert kernel.signatures == wanted
    assert "store.float64" in kernel.inspect_ir()[wanted[0]]


@pytest.mark.parametrize(
    "signature",
    [
        "void(float32[:], int32)",
        "(float32[:], int32)",
        types.void(types.float32[:], types.int32),
        (types.float32[:], types.int32),
        ["void(float32[:], int32)", "void(float64[:], int32)"],
    ],
)
def test_signatures(signature):
    @cuda.jit(signature)
    def kernel(a, n):
        a[0] = n

    assert kernel.signatures[0] == (types.float32[:], types.int32)


def test_arrays_only_read_stay_as_they_are():
    @cuda.jit
    def kernel(a, b):
        b[0] = a[0]

    a = np.arange(3.0)
    a.flags.writeable = False
    b = np.zeros(1)
    kernel[1, 1](a, b)
    assert b[0] == 0


def test_device_arrays():
    a = np.arange(12.0).reshape(3, 4)
    held = cuda.to_device(a)
    like = cuda.device_array_like(held)
    empty = cuda.device_array((3, 4), np.float32)
    assert (like.shape, like.dtype, empty.dtype) == ((3, 4), np.float64, np.float32)
    like.copy_to_device(held)
    out = np.zeros_like(a)
    assert like.copy_to_host(out) is out
    np.testing.assert_array_equal(out, a)
    cuda.synchronize()
    assert cuda.is_available()


def test_source_of_what_exec_made():
    text = "def kernel(a):\n    a[0] = 7\n"
    names = {}
    exec(text, names)
    a = np.zeros(1)
    cuda.jit(names["kernel"], source=text)[1, 1](a)
    assert a[0] == 7


def test_options_that_change_nothing():
    @cuda.jit(fastmath=True, opt=True, debug=False, lineinfo=False, cache=True, inline=True)
    def kernel(a):
        a[0] = 3

    a = np.zeros(1)
    kernel[1, 1](a)
    assert a[0] == 3


@pytest.mark.parametrize("length", [lambda n: (n, np.zeros(3)), lambda n: (-1, np.zeros(n))])
def test_one_thread_that_loops_for_long_is_not_interpreted(length):
    @cuda.jit
    def total(n, a):
        last = n if n >= 0 else a.size
        for i in range(last):
            for j in range(i % 8):
                a[0] += i * j

    n, a = length(200_000)
    with tessera.device("cpu"):
        _core.reset_counters()
        total[1, 1](n, a)
        cuda.synchronize()
        counters = _core.counters()
    assert (counters["kernels_interpreted"], counters["kernels_native"]) == (0, 1)
    assert a[0] == sum(i * ((i % 8) * (i % 8 - 1) // 2) for i in range(200_000))
