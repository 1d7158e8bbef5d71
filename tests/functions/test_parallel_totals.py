"""Totals of whole arrays in prange, indices of shapes, the size of chunks: the same bits for any number of threads."""

import numpy
import pytest

import tessera
from tessera import jit, pndindex, prange

rng = numpy.random.default_rng(5)


def rows_summed(x):
    total = numpy.zeros(x.shape[1])
    for i in prange(x.shape[0]):
        total += x[i]
    return total


def weighted_squares(x):
    total = numpy.ones((x.shape[1], 3))
    for i in prange(x.shape[0]):
        for k in range(3):
            if x[i, 0] > k - 1.0:
                total -= k * x[i, 0]
    return total


def products(x):
    total = numpy.full(2, 1.5)
    count = 0
    for i in prange(x.shape[0]):
        total *= 1.0 + 0.001 * x[i, :2]
        count += 1
    return total, count


def bits(x):
    found = numpy.zeros(x.shape[1], dtype=numpy.int64)
    seen = numpy.full(1, 255)
    for i in prange(x.shape[0]):
        found |= (x[i] * 8).astype(numpy.int64)
        seen &= i | 3
    return found, seen


def new_arrays(x, total):
    first = total
    for i in prange(x.shape[0]):
        total = total + x[i] * x[i]
        if x[i, 0] > 0:
            total = 0.5 + total
    return total, first


def in_place(x, total):
    for i in prange(x.shape[0]):
        total += x[i] * 2
    total[0] += 1
    return x.shape[0]


def last_pair(x):
    pair = (0.0, 0)
    for i in prange(x.shape[0]):
        pair = (x[i, 0], i)
    return pair


def each_index(x, out):
    for index in pndindex(x.shape):
        out[index] = x[index] * 2 + index[0]
    return out


def unpacked(x):
    total = 0.0
    for i, j in pndindex(x.shape):
        total += x[i, j] * (i - j)
    return total


def listed(x):
    count = 0
    for index in numpy.ndindex(x.shape[0], 2, 3):
        count += index[0] * 100 + index[1] * 10 + index[2]
    for single in numpy.ndindex(4):
        count += single[0]
    return count


def given(function, x):
    extra = {
        "new_arrays": [numpy.ones(x.shape[1])],
        "in_place": [numpy.ones(x.shape[1])],
        "each_index": [numpy.zeros(x.shape)],
    }.get(function.__name__, [])
    return [x.copy(), *extra]


def flat(result):
    return [numpy.asarray(one) for one in (result if isinstance(result, tuple) else (result,))]


ALL = [rows_summed, weighted_squares, products, bits, new_arrays, in_place, last_pair, each_index, unpacked, listed]


@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
@pytest.mark.parametrize("shape", [(1000, 7), (1, 4), (0, 5), (130, 40)])
def test_as_python_computes_and_the_same_for_any_number_of_threads(function, shape):
    x = rng.normal(size=shape)
    theirs = given(function, x)
    wanted = flat(function(*theirs))
    compiled, kept = jit(parallel=True)(function), None
    before = tessera.get_num_threads()
    try:
        for threads in (1, 2, 3, 7):
            tessera.set_num_threads(threads)
            own = given(function, x)
            got = flat(compiled(*own))
            for mine, python in zip([*got, *own], [*wanted, *theirs], strict=True):
                numpy.testing.assert_allclose(mine, python, rtol=1e-10, atol=1e-12)
                assert mine.dtype == numpy.asarray(python).dtype
            now = [array.tobytes() for array in (*got, *own)]
            assert kept is None or now == kept
            kept = now
    finally:
        tessera.set_num_threads(before)


def test_large_totals_take_fewer_chunks():
    x = rng.normal(size=(12, 700_000))
    numpy.testing.assert_allclose(jit(parallel=True)(rows_summed)(x), x.sum(axis=0), rtol=1e-10, atol=1e-12)


def test_iterations_may_not_read_a_total():
    @jit(parallel=True)
    def running(x):
        total = numpy.zeros(x.shape[1])
        for i in prange(x.shape[0]):
            total += x[i]
            x[i, 0] = total[0]
        return total

    with pytest.raises(TypeError, match="total"):
        running(rng.normal(size=(40, 3)))


def test_the_size_of_chunks_is_kept_for_each_thread_and_used():
    import threading

    assert tessera.get_parallel_chunksize() == 0
    with tessera.parallel_chunksize(50):
        assert tessera.get_parallel_chunksize() == 50
        elsewhere = []
        thread = threading.Thread(target=lambda: elsewhere.append(tessera.get_parallel_chunksize()))
        thread.start()
        thread.join()
        assert elsewhere == [0]
    assert tessera.get_parallel_chunksize() == 0
    assert tessera.set_parallel_chunksize(8) == 0 and tessera.set_parallel_chunksize(0) == 8
    with pytest.raises(TypeError, match="must be an integer"):
        tessera.set_parallel_chunksize(1.5)
    with pytest.raises(ValueError, match="greater than or equal to zero"):
        tessera.set_parallel_chunksize(-1)

    @jit(parallel=True)
    def total(x):
        t = 0.0
        for i in prange(x.shape[0]):
            t += x[i]
        return t

    x = numpy.random.default_rng(1).random(1000)
    usual = total(x)
    with tessera.parallel_chunksize(1000):
        in_order = 0.0
        for each in x:
            in_order += each
        one_chunk = total(x)
    assert one_chunk != usual  # grouped otherwise
    numpy.testing.assert_allclose([one_chunk, usual], in_order, rtol=1e-12)
    with tessera.parallel_chunksize(2000):
        assert total(x) == one_chunk
    assert total(x) == usual


def test_compiled_functions_read_and_set_the_size():
    @jit
    def twice():
        before = tessera.set_parallel_chunksize(tessera.get_parallel_chunksize() + 5)
        return before, tessera.get_parallel_chunksize()

    try:
        assert twice() == (0, 5)
    finally:
        tessera.set_parallel_chunksize(0)
