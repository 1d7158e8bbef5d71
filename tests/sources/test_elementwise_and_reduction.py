"""ElementwiseKernel and ReductionKernel against NumPy."""

import copy
import pickle
import threading

import numpy as np
import pytest
import tessera.numpy as tn

import tessera
from tessera import cuda


def check(got, want):
    np.testing.assert_array_equal(np.asarray(got), want)
    assert got.dtype == want.dtype


def test_arrays_broadcast_and_views_are_followed(device):
    kernel = cuda.ElementwiseKernel("T x, T y", "T z", "z = x - 2 * y", "combine")
    a, b = np.arange(12.0).reshape(3, 4), np.arange(4.0)
    x, y = tn.asarray(a), tn.asarray(b)
    check(kernel(x, y), a - 2 * b)
    check(kernel(x.T, y[:, None]), a.T - 2 * b[:, None])
    check(kernel(x[::-1, ::2], y[::2]), a[::-1, ::2] - 2 * b[::2])
    check(kernel(x, 3), a - 6)
    check(kernel(tn.asarray(a.astype(np.float32)), 0.5), a.astype(np.float32) - 1)


def test_outputs_are_given_or_made(device):
    kernel = cuda.ElementwiseKernel("T x, T y", "T s, float64 d", "s = x + y; d = x / (double)y", "two")
    a, b = np.arange(1, 7), np.arange(6, 0, -1)
    s, d = kernel(tn.asarray(a), tn.asarray(b))
    check(s, a + b)
    check(d, a / b)
    out = tn.zeros(6, dtype=np.int64), tn.zeros(6)
    kernel(tn.asarray(a), tn.asarray(b), *out)
    check(out[0], a + b)
    wide = tn.zeros((2, 6), dtype=np.int64), tn.zeros((2, 6))  # inputs broadcast to outputs, too
    kernel(tn.asarray(a), tn.asarray(b), *wide)
    check(wide[1], np.stack((a / b, a / b)))
    strided = tn.zeros(12)[::2]
    kernel(tn.asarray(a), tn.asarray(b), out[0], strided)
    check(strided, a / b)


def test_raw_arrays_sizes_and_indices(device):
    turn = cuda.ElementwiseKernel("raw T x, int32 add", "raw T y", "y[i] = x[n - 1 - i] + add", "turn")
    y = tn.zeros(5)
    turn(tn.arange(5.0), 2, y, size=5)
    check(y, np.arange(5.0)[::-1] + 2)
    both = cuda.ElementwiseKernel("raw T x", "raw T y, T z", "y[i] = 2 * x[i]; z = x[i]", "both")
    for got, want in zip(both(tn.arange(5.0), size=3), (2 * np.arange(3.0), np.arange(3.0))):
        check(got, want)
    near = cuda.ElementwiseKernel("T x, raw T all", "T y", "y = x + all[(i + 1) % _ind.size()]", "near")
    check(near(tn.arange(6.0), tn.arange(12.0)[::2]), np.arange(6.0) + np.roll(np.arange(12.0)[::2], -1))
    place = cuda.ElementwiseKernel("T x", "int64 y", "y = 10 * _ind.get()[0] + _ind.get()[1]", "place")
    check(place(tn.zeros((2, 3))), np.array([[0, 1, 2], [10, 11, 12]]))
    shape = cuda.ElementwiseKernel("raw T x", "T y", "y = x.shape()[0] * 100 + x.size() + x.ndim", "shape_of")
    with pytest.raises(ValueError, match="size="):
        shape(tn.zeros((2, 3)))
    check(shape(tn.zeros((2, 3)), size=2), np.full(2, 208.0))


def test_preamble_loop_preparation_and_complex_numbers(device):
    kernel = cuda.ElementwiseKernel(
        "T x", "T y", "y = twice(x) * factor", "prepared",
        preamble="__device__ T twice(T x) { return 2 * x; }", loop_prep="T factor = 10", after_loop="",
    )  # fmt: skip
    check(kernel(tn.arange(4.0)), 20 * np.arange(4.0))
    square = cuda.ElementwiseKernel("complex64 z", "complex64 w", "w = z * conj(z) + z", "square")
    z = np.array([1 + 2j, -3j, 2], np.complex64)
    check(square(tn.asarray(z)), z * z.conj() + z)
    check(cuda.ElementwiseKernel("T x", "bool y", "y = x > 1", "above")(tn.arange(4)), np.arange(4) > 1)


def test_what_is_wrong_is_said(device):
    kernel = cuda.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add")
    for arguments, error, text in (
        ((tn.ones(3),), TypeError, "add takes 2 arguments, or 3 with outputs; 1 are given"),
        ((tn.ones(3), tn.ones(3, dtype=np.float32)), TypeError, "y is T .*float64.*float32"),
        ((tn.ones(3), tn.ones(4)), ValueError, "broadcast"),
        ((tn.ones(3), tn.ones(3), tn.ones(4)), ValueError, "Out shape is mismatched"),
        ((tn.ones((3, 4)), tn.ones(4), tn.ones(4)), ValueError, "Out shape is mismatched: the output z"),
        ((tn.ones(3), np.ones(3)), TypeError, "NumPy's"),
    ):
        with pytest.raises(error, match=text):
            kernel(*arguments)
    with pytest.raises(ValueError, match="threads"):
        kernel(tn.ones(3), tn.ones(3), block_size=0)
    for params in ("float32", "nothing x", "T i", "T _x", "T x, T x"):
        with pytest.raises(ValueError):
            cuda.ElementwiseKernel(params, "T z", "z = 1")
    with pytest.raises(TypeError, match="what U of z is"):
        cuda.ElementwiseKernel("T x", "U z", "z = x", "lost")(tn.ones(2))


def test_empty_arrays_and_no_axes(device):
    kernel = cuda.ElementwiseKernel("T x", "T y", "y = x + 1", "one_more")
    check(kernel(tn.zeros((0, 3))), np.zeros((0, 3)))
    assert float(kernel(tn.asarray(4.0))) == 5


@pytest.mark.parametrize("axis", [None, 0, (0, 2), -1])
def test_reductions_over_axes(device, axis):
    norm = cuda.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a * 2", "0", "norm")
    a = np.arange(60.0).reshape(3, 4, 5) - 7
    for keepdims in (False, True):
        check(
            tn.asarray(norm(tn.asarray(a), axis=axis, keepdims=keepdims)),
            np.asarray((a * a).sum(axis=axis, keepdims=keepdims) * 2),
        )
        check(tn.asarray(norm(tn.asarray(a)[:, ::-1, ::2], axis=axis, keepdims=keepdims)),
              np.asarray((a * a)[:, ::-1, ::2].sum(axis=axis, keepdims=keepdims) * 2))  # fmt: skip


def test_reductions_of_several_arrays_types_and_lengths(device):
    dot = cuda.ReductionKernel("T x, T y", "float64 z", "(double)x * y", "a + b", "z = a", "0", "dot")
    for n in (1, 31, 256, 1000, 40_000):
        a, b = np.arange(n, dtype=np.float32), np.ones(n, np.float32) * 2
        assert float(dot(tn.asarray(a), tn.asarray(b))) == float((a.astype(float) * b).sum())
    largest = cuda.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", None, "largest")
    assert int(largest(tn.asarray([-5, -3, -9]))) == -3
    with pytest.raises(ValueError, match="no identity"):
        largest(tn.zeros(0))
    count = cuda.ReductionKernel("T x", "int32 n", "x > 3 ? 1 : 0", "a + b", "n = a", "0", "count")
    check(tn.asarray(count(tn.arange(10.0).reshape(2, 5), axis=1)), np.array([1, 5], np.int32))
    mean = cuda.ReductionKernel(
        "T x, int64 n", "float32 y", "x", "a + b", "y = a / n", "0", "mean", reduce_type="double"
    )
    assert float(mean(tn.arange(10), 10)) == 4.5
    many = tn.arange(4096.0 * 3).reshape(3, 4096)
    check(cuda.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "columns")(many, axis=0),
          np.arange(4096.0 * 3).reshape(3, 4096).sum(axis=0))  # fmt: skip


def test_reductions_write_into_given_arrays(device):
    total = cuda.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    out = tn.zeros(3)
    assert total(tn.ones((3, 4)), axis=1, out=out) is out
    check(out, np.full(3, 4.0))
    with pytest.raises(ValueError, match="out has the shape"):
        total(tn.ones((3, 4)), axis=0, out=out)
    assert float(total(tn.zeros((0,)))) == 0


def test_reductions_with_several_outputs(device):
    span = cuda.ReductionKernel(
        "T x", "T low, float64 high", "tessera_pair(x)", "tessera_join(a, b)", "low = a.low; high = a.high", None, "span",
        reduce_type="tessera_Pair",
        preamble="struct tessera_Pair { int low, high; __device__ tessera_Pair(int x = 0) : low(x), high(x) {} };"
        "__device__ tessera_Pair tessera_pair(int x) { return tessera_Pair(x); }"
        "__device__ tessera_Pair tessera_join(tessera_Pair a, tessera_Pair b) {"
        " tessera_Pair c; c.low = a.low < b.low ? a.low : b.low; c.high = a.high > b.high ? a.high : b.high; return c; }",
    )  # fmt: skip
    a = np.array([[3, -1, 7], [2, 5, 4]], np.int32)
    low, high = span(tn.asarray(a), axis=1)
    check(low, a.min(axis=1))
    check(high, a.max(axis=1).astype(float))
    out = tn.zeros(3, dtype=np.int32), tn.zeros(3)
    assert span(tn.asarray(a), *out, axis=0)[0] is out[0]
    check(out[1], a.max(axis=0).astype(float))
    with pytest.raises(NotImplementedError, match="out="):
        span(tn.asarray(a), axis=0, out=out[0])


def test_a_call_is_planned_for_each_form_of_its_arguments(device):
    kernel = cuda.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add_forms")
    for dtype in (np.int32, np.float64):
        for a in (np.arange(6, dtype=dtype), np.arange(6, dtype=dtype).reshape(2, 3), np.arange(12, dtype=dtype)[::2]):
            for b in (a, a[..., :1], dtype(3)):
                for _ in range(2):
                    given = b if np.ndim(b) == 0 else tn.asarray(b)
                    check(kernel(tn.asarray(a), given), a + b)
    check(kernel(tn.arange(4), 2), np.arange(4) + 2)
    check(kernel(tn.arange(4), 7), np.arange(4) + 7)  # another number of the same form
    with pytest.raises(TypeError, match="no stream"):
        kernel(tn.arange(4), 7, stream="s")
    frozen = tn.zeros(4, dtype=np.int64)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        kernel(tn.arange(4), 7, frozen)


def test_kernels_are_pickled_before_and_after_calls(device):
    add = cuda.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add_pickled")
    total = cuda.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total_pickled")
    for _ in range(2):
        again, sums = pickle.loads(pickle.dumps((add, total)))
        for one, other in ((add, total), (again, sums), (copy.deepcopy(add), copy.copy(total))):
            check(one(tn.arange(4), tn.arange(4)), 2 * np.arange(4))
            assert int(other(tn.arange(4))) == 6
        assert again.cached_codes and again.name == "add_pickled"


def test_threads_call_one_kernel(device):
    add = cuda.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add_threads")
    wrong = []

    def work(k):
        with tessera.device(device):
            for n in range(1, 20):
                a = np.arange(n * (k + 1), dtype=np.float64)
                if not np.array_equal(np.asarray(add(tn.asarray(a), float(k))), a + k):
                    wrong.append((k, n))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong
