"""cuda.reduce, In, Out and InOut, foreign arrays by interface, types under numba.cuda's names."""

import numpy as np
import pytest

from tessera import cuda, jit, types


def test_sums_of_any_size():
    total = cuda.reduce(lambda a, b: a + b)
    for count in (0, 1, 2, 127, 128, 129, 1000, 40000):
        x = np.arange(count)
        assert total(x) == x.sum() and total(cuda.to_device(x), init=5) == x.sum() + 5
    assert total(np.arange(10), size=4) == 6


def test_other_functions_and_results_in_arrays():
    @cuda.reduce
    def larger(a, b):
        return max(a, b)

    x = np.random.default_rng(0).random(1000).astype(np.float32)
    assert larger(x, init=0) == x.max()
    result = cuda.device_array(1, np.float32)
    assert larger(x, res=result, init=0) is None and result.copy_to_host()[0] == x.max()
    with pytest.raises(TypeError, match="2 axes"):
        larger(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="size is 3"):
        larger(np.zeros(2), size=3)


def test_what_is_copied_in_and_back():
    @cuda.jit
    def add(a, b):
        i = cuda.grid(1)
        if i < b.size:
            b[i] = a[i] + 1
            a[i] = -1

    a, b = np.arange(4.0), np.zeros(4)
    add[1, 4](cuda.In(a), cuda.Out(b))
    assert a.tolist() == [0, 1, 2, 3] and b.tolist() == [1, 2, 3, 4]
    add[1, 4](cuda.InOut(a), b)
    assert a.tolist() == [-1] * 4
    with pytest.raises(TypeError, match="takes an array"):
        cuda.In(3)


def test_lambdas():
    twice = jit(lambda x: 2 * x)
    assert twice(4) == 8
    both = [jit(lambda x: x + 1), jit(lambda x: x - 1)]
    assert [f(1) for f in both] == [2, 0]


def test_kernels_are_called_by_kernels():
    @cuda.jit
    def store(a, i, value):
        a[i] = value

    @cuda.jit
    def outer(a):
        i = cuda.grid(1)
        store(a, i, i * 2)

    a = np.zeros(4)
    outer[1, 4](a)
    assert a.tolist() == [0, 2, 4, 6]


def test_type_names():
    assert cuda.float32 is types.float32 and types.typeof((1, 2.5)) == types.Tuple([types.int64, types.float64])
    assert types.UniTuple(types.int32, 2) == types.Tuple([types.int32, types.int32]) and types.longlong.bitwidth == 64
    signature = types.void(types.float32[:], types.int32)
    assert signature.args == (types.float32[:], types.int32) and signature.return_type is types.void


@pytest.mark.parametrize("alignment", [3, -16, 4])
def test_alignments(alignment):
    @cuda.jit
    def kernel(a):
        x = cuda.shared.array(4, np.float64, alignment=alignment)
        x[0] = 1
        a[0] = x[0]

    with pytest.raises(ValueError, match="Alignment must be"):
        kernel[1, 1](np.zeros(1))


def test_arrays_that_are_tesseras_already():
    array = cuda.to_device(np.arange(3))
    assert cuda.is_cuda_array(array) and cuda.as_cuda_array(array) is array and not cuda.is_cuda_array(np.zeros(2))
    with pytest.raises(TypeError, match="has no __cuda_array_interface__"):
        cuda.as_cuda_array(np.zeros(2))
