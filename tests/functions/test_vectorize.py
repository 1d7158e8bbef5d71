"""Ufuncs of users' functions against NumPy, and against the function called element by element."""

import gc
import math
import pickle
import threading
import weakref

import hypothesis.strategies as st
import numpy
import pytest
import tessera.numpy as np
from hypothesis import given, settings
from tessera.errors import UnsupportedError

import tessera
from tessera import _core, float64, guvectorize, int64, vectorize

SCALE = 2


@vectorize(["float64(float64, float64)"])
def pickled(a, b):
    return a * b


@vectorize
def scaled(x):
    return x * SCALE


def weighted(a, b):
    return a + 2 * b


def test_loops_are_searched_in_the_order_of_the_signatures():
    f = vectorize(["int32(int32, int32)", "int64(int64, int64)", float64(float64, float64)])(weighted)
    assert f.types == ["ii->i", "ll->l", "dd->d"]
    assert f(np.int32(1), np.int32(2)).dtype == numpy.int32
    assert f(np.arange(3), 1).dtype == numpy.int64
    assert f(np.arange(3), 0.5).tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(TypeError, match="could not be safely coerced"):
        f(np.arange(3) + 1j, 1)


def test_without_signatures_each_list_of_types_has_a_loop_of_its_own():
    f = vectorize(weighted)
    assert f.types == []
    results = [f(np.ones(2, dtype), 1) for dtype in ("float32", "int8", "complex64", "uint64")]
    assert len(f.types) == 4
    assert [r.tolist() for r in results] == [[3.0, 3.0], [3, 3], [3 + 0j, 3 + 0j], [3, 3]]


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint64", "float32", "float64", "complex128"])
@pytest.mark.parametrize("layout", ["dense", "strided", "reversed", "transposed", "broadcast", "empty"])
def test_types_and_layouts(dtype, layout):
    values = numpy.arange(1, 49).reshape(6, 8).astype(dtype)
    view = {
        "dense": lambda a: a,
        "strided": lambda a: a[::2, 1::3],
        "reversed": lambda a: a[::-1, ::-1],
        "transposed": lambda a: a.T,
        "broadcast": lambda a: a[:1],
        "empty": lambda a: a[:0],
    }[layout]
    f = vectorize(lambda a, b: a * a + b)
    x, y = view(values), view(values + values.dtype.type(3))
    numpy.testing.assert_array_equal(f(view(np.asarray(values)), view(np.asarray(values) + 3)), x * x + y)
    numpy.testing.assert_array_equal(f(view(np.asarray(values)), view(np.asarray(values))[0:1]), x * x + x[0:1])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40),
    st.sampled_from(["float32", "float64", "int16", "int64"]),
)
def test_branches_and_loops_give_what_python_gives(values, dtype):
    def f(x):
        if x < 0:
            return 1.0
        total = 0.0
        count = 0
        while count < 5 and total < 100:
            total = total * 0.5 + x
            count += 1
        return total

    data = numpy.array(values).clip(-3e4, 3e4).astype(dtype)
    expected = [f(float(x)) for x in data]
    assert vectorize(f)(np.asarray(data)).tolist() == expected


def test_it_fuses_as_built_in_operations_do():
    f = vectorize(["float64(float64)"])(lambda x: x * x)
    x = np.asarray(numpy.random.default_rng(0).random(100_000))
    costs = []
    for square in (np.square, f):
        float((square(x * 2) - 1).sum())
        tessera.synchronize()
        _core.reset_counters()
        total = float((square(x * 2) - 1).sum())
        counters = _core.counters()
        memory = counters["bytes_allocated"] + counters["bytes_reused"]
        costs.append((counters["ops_recorded"], counters["windows"], counters["kernels_native"], memory, total))
    assert costs[0] == costs[1]


def test_several_results():
    f = vectorize(lambda a, b: (a + b, a < b, 1j * a))
    x = np.arange(4)
    sums, less, turned = f(x, 2)
    assert f.nout == 3
    assert (sums.tolist(), less.tolist(), turned.tolist()) == (
        [2, 3, 4, 5],
        [True, True, False, False],
        [0, 1j, 2j, 3j],
    )
    large = f(np.arange(10_000), 2)
    assert int(large[0].sum()) == sum(range(10_000)) + 20_000


def test_methods_are_numpys():
    f = vectorize(["int64(int64, int64)", "float64(float64, float64)"], identity=0)(lambda a, b: a + b)
    x = numpy.arange(12).reshape(3, 4)
    t = np.asarray(x)
    assert f.reduce(t).tolist() == numpy.add.reduce(x).tolist()
    assert int(f.reduce(t, axis=None)) == x.sum()
    assert f.reduce(t, axis=1, keepdims=True).tolist() == numpy.add.reduce(x, axis=1, keepdims=True).tolist()
    assert f.accumulate(t, axis=1).tolist() == numpy.add.accumulate(x, axis=1).tolist()
    assert f.outer(t[0], t[1]).tolist() == numpy.add.outer(x[0], x[1]).tolist()
    assert f.reduceat(t[0], [0, 2]).tolist() == numpy.add.reduceat(x[0], [0, 2]).tolist()
    assert int(f.reduce(np.zeros(0, "int64"))) == 0
    for count in (5, 5000):
        target, places = np.zeros(7), np.asarray(numpy.random.default_rng(1).integers(0, 7, count))
        f.at(target, places, 1.5)
        expected = numpy.zeros(7)
        numpy.add.at(expected, numpy.asarray(places), 1.5)
        assert target.tolist() == expected.tolist()


def test_out_where_and_dtype():
    f = vectorize(["float32(float32, float32)", "float64(float64, float64)"])(weighted)
    x, out = np.arange(6.0), np.zeros(6)
    assert f(x, 1, out=out) is out and out.tolist() == [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    f(x, 10, out=out, where=x > 3)
    assert out.tolist() == [2.0, 3.0, 4.0, 5.0, 24.0, 25.0]
    assert f(np.arange(3, dtype="int8"), 1, dtype="float32").dtype == numpy.float32
    with pytest.raises(TypeError, match="Cannot cast ufunc 'weighted' output"):
        f(x, 1, out=np.zeros(6, "int32"))
    with pytest.raises(ValueError, match="broadcast"):
        f(x, np.ones(5))


def test_numpy_arrays_in_numpy_arrays_out():
    f = vectorize(weighted)
    x = numpy.arange(3.0)
    assert type(f(x, x)) is numpy.ndarray
    assert type(f(np.asarray(x), x)) is type(np.zeros(1))
    assert isinstance(f(1.0, 2.0), float)
    out = numpy.zeros(3)
    assert f(x, 1, out) is out and out.tolist() == [2.0, 3.0, 4.0]


def test_attributes():
    @vectorize([int64(int64, int64)], identity=1)
    def f(a, b):
        """What it does."""
        return a * b

    assert (f.nin, f.nout, f.nargs, f.ntypes, f.identity, f.signature) == (2, 1, 3, 1, 1, None)
    assert (f.__name__, f.__doc__, repr(f)) == ("f", "What it does.", "<ufunc 'f'>")
    assert f.py_func(3, 4) == 12
    assert isinstance(f, np.ufunc)
    with pytest.raises(AttributeError):
        f.missing


def test_a_changed_global_is_seen(monkeypatch):
    x = np.arange(3)
    assert scaled(x).tolist() == [0, 2, 4]
    monkeypatch.setattr(f"{__name__}.SCALE", 10)
    assert scaled(x).tolist() == [0, 10, 20]


def test_functions_of_one_name_do_not_share_plans():
    x, results = np.ones(50_000), []
    for k in range(12):
        f = _plus(k)
        results.append(float(f(x * 2).sum()))
        del f
        gc.collect()
    assert results == [50_000.0 * (2 + k) for k in range(12)]


def _plus(k):
    @vectorize(["float64(float64)"])
    def plus(v):
        return v + k

    return plus


def test_dropped_functions_leave_nothing():
    f = _plus(1)
    gone = weakref.ref(f)
    float(f(np.ones(1000) * 2).sum())
    del f
    gc.collect()
    assert gone() is None


def test_a_dropped_function_still_runs_where_it_was_recorded():
    x = np.asarray(numpy.arange(20_000.0))
    y = _plus(5)(x * 1)
    gc.collect()
    assert y[7] == 12.0


def test_it_is_called_from_compiled_functions_and_kernels():
    inner = vectorize(["float64(float64)"])(lambda x: x + 1)

    @tessera.jit
    def total(a):
        s = 0.0
        for v in a:
            s += inner(v)
        return s

    assert total(np.arange(4.0)) == 10.0


def test_pickling():
    again = pickle.loads(pickle.dumps(pickled))
    assert again is pickled


def test_threads_that_call_one_function_first():
    f = vectorize(lambda a, b: a * b + 1)
    dtypes = ["int32", "int64", "float32", "float64"] * 2
    results = [None] * len(dtypes)

    def call(k):
        results[k] = f(np.arange(2000, dtype=dtypes[k]) * 1, 2).tolist()

    threads = [threading.Thread(target=call, args=(k,)) for k in range(len(dtypes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(result == [v * 2 + 1 for v in range(2000)] for result in results)


@pytest.mark.parametrize("count", [1, 3, 8])
def test_any_number_of_operands(count):
    names = [f"a{k}" for k in range(count)]
    space = {}
    text = f"def total({', '.join(names)}):\n    return {' + '.join(names)}\n"
    exec(text, space)
    f = vectorize(source=text)(space["total"])
    assert f(*[np.arange(300) * k for k in range(count)]).tolist() == [sum(range(count)) * i for i in range(300)]


def test_refusals():
    with pytest.raises(UnsupportedError, match="prints"):
        vectorize(["float64(float64)"])(lambda x: print(x))
    with pytest.raises(TypeError, match="takes 2 numbers, its signature 1"):
        vectorize(["float64(float64)"])(weighted)
    with pytest.raises(TypeError, match="no number's type"):
        vectorize(["float64(float64[:])"])(lambda x: x)
    with pytest.raises(ValueError, match="target"):
        vectorize(weighted, target="fpga")
    with pytest.raises(TypeError, match="compiled for numbers"):
        vectorize(weighted)(np.arange(3), "text")
    with pytest.raises(TypeError, match="1 to 8 operands, not 9"):
        vectorize(lambda a, b, c, d, e, f, g, h, i: a)
    with pytest.raises(ValueError, match="only supported for binary functions"):
        vectorize(lambda a: a).reduce(np.arange(3))
    with pytest.raises(ValueError, match="not reorderable"):
        vectorize(weighted).reduce(np.ones((2, 2)), axis=(0, 1))


def test_as_many_operands_and_results_as_there_may_be():
    @vectorize
    def all_of(a, b, c, d, e, f, g, h):
        return a + b - c, c * d, e + f, g - h

    rng = numpy.random.default_rng(3)
    operands = [rng.random((6, 5)) for _ in range(8)]
    a, b, c, d, e, f, g, h = operands
    wanted = a + b - c, c * d, e + f, g - h
    shifted = [np.array(numpy.pad(one, 1))[1:-1, 1:-1] for one in operands]
    for given in (operands, list(map(np.array, operands)), shifted):
        for got, one in zip(all_of(*given), wanted):
            assert numpy.array_equal(got, one)


@pytest.mark.parametrize("fastmath", [False, True, {"contract"}, {"nnan"}])
def test_fastmath_contracts_products(fastmath):
    def mixed(x, y, z):
        return x * y + z

    x = 1 + 2.0**-30
    rounded, once = x * x - 1, 2.0**-29 + 2.0**-60
    contracts = fastmath is True or "contract" in (fastmath or ())
    assert vectorize(fastmath=fastmath)(mixed)(np.full(3, x), x, -1.0)[0] == (once if contracts else rounded)


def test_fastmath_has_llvms_flags():
    with pytest.raises(ValueError, match="no flag"):
        vectorize(fastmath={"quick"})
    with pytest.raises(ValueError, match="no flag"):
        guvectorize("(n)->()", fastmath={"quick"})


TABLE = numpy.array([1.5, -2.0, 3.25, 8.0])
PLACES = numpy.arange(12, dtype=numpy.int32).reshape(3, 4)


def test_a_ufunc_reads_global_arrays():
    def combined(x, i):
        total = 0.0
        for value in TABLE:
            total += value * x
        return total + TABLE[i] * TABLE[-1] + PLACES[i, -1] + PLACES[-1, i] + TABLE.sum()

    x, i = numpy.linspace(-2, 2, 12), numpy.arange(12) % 3 - 1
    expected = [combined(a, k) for a, k in zip(x, i)]
    numpy.testing.assert_allclose(vectorize(combined)(x, i), expected)


def test_a_ufunc_sees_a_changed_element_of_a_global_array():
    table = numpy.array([1.0, 2.0])

    @vectorize
    def scaled(x):
        return x * table[1]

    assert scaled(3.0) == 6
    table[1] = 5.0
    assert scaled(3.0) == 15


def test_a_long_global_array_in_a_ufunc():
    table = numpy.arange(1000.0)

    @vectorize
    def looked_up(x):
        return table[int(x)]

    assert looked_up(3.0) == 3.0
    table[3] = 5.0
    assert looked_up(np.array([3.0, 4.0])).tolist() == [5.0, 4.0]


def test_local_ufuncs_are_pickled():
    factor = 3

    @vectorize
    def grown(x):
        return x * factor

    @vectorize(["float64(float64)"])
    def fixed(x):
        return x + factor

    again, fixed_again = pickle.loads(pickle.dumps(grown)), pickle.loads(pickle.dumps(fixed))
    assert again(2) == 6 and again(1.5) == 4.5
    assert fixed_again(2) == 5.0 and fixed_again.types == fixed.types
