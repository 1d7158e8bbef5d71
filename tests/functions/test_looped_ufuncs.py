"""Ufuncs of functions that raise, print or make arrays, beside NumPy's ufuncs of the same numbers."""

import math
import pickle

import numpy
import pytest
import tessera.numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tessera.errors import UnsupportedError

from tessera import guvectorize, njit, vectorize


@vectorize
def quotient(a, b):
    if b == 0:
        raise ZeroDivisionError("no quotient")
    return a / b


@vectorize(["int64(int64, int64)", "float64(float64, float64)"], identity=0)
def checked_sum(a, b):
    if a > 1000 or b > 1000:
        raise ValueError("too large")
    return a + b


@vectorize(["float64(float64)"])
def root(x):
    if x < 0.0:
        raise ValueError("Value must be positive")
    return x**0.5


numbers = st.lists(st.integers(-20, 20), min_size=1, max_size=12)


def test_all_elements_but_those_that_raise_are_computed():
    values = numpy.array([1.0, 4, -2, 9, -1, 16])
    out = numpy.zeros_like(values)
    with pytest.raises(ValueError, match="Value must be positive"):
        root(values, out)
    assert out.tolist() == [1, 2, 0, 3, 0, 4]


def test_the_first_exception_in_the_order_of_elements_is_raised():
    @vectorize(["int64(int64)"])
    def told(x):
        if x == 3:
            raise KeyError("three")
        if x == 5:
            raise IndexError("five")
        return x

    assert told(numpy.arange(3)).tolist() == [0, 1, 2]
    with pytest.raises(KeyError, match="three"):
        told(numpy.arange(100_000))
    with pytest.raises(IndexError, match="five"):
        told(numpy.arange(100_000)[::-1][:-4])


@settings(deadline=None)
@given(a=numbers, b=numbers, dtype=st.sampled_from(["int64", "float64", "float32", "int8"]), data=st.data())
def test_calls_are_numpys(a, b, dtype, data):
    first, second = numpy.array(a, dtype), numpy.array(b, dtype).reshape(-1, 1)
    if data.draw(st.booleans()):
        first = np.asarray(first)
    mask = numpy.array(data.draw(st.lists(st.booleans(), min_size=len(a), max_size=len(a))))
    start = numpy.full((len(b), len(a)), 7.0)
    expected = numpy.add(numpy.asarray(first), second, out=start.copy(), where=mask)
    result = checked_sum(first, second)
    assert result.dtype == ("float64" if dtype.startswith("float") else "int64")
    assert type(result) is (numpy.ndarray if isinstance(first, numpy.ndarray) else np.ndarray)
    numpy.testing.assert_array_equal(numpy.asarray(result), numpy.add(numpy.asarray(first), second))
    numpy.testing.assert_array_equal(checked_sum(first, second, out=start.copy(), where=mask), expected)


@settings(deadline=None)
@given(data=st.data(), shape=st.tuples(st.integers(1, 4), st.integers(1, 5), st.integers(1, 3)))
def test_methods_are_numpys(data, shape):
    values = numpy.arange(math.prod(shape)).reshape(shape) % 7 - 3
    if data.draw(st.booleans()):
        values = values.transpose(2, 0, 1)
    axis = data.draw(st.integers(-3, 2))
    keepdims = data.draw(st.booleans())
    for axes in (axis, None, (0, 2)):
        expected = numpy.add.reduce(values, axis=axes, keepdims=keepdims, initial=2)
        numpy.testing.assert_array_equal(checked_sum.reduce(values, axis=axes, keepdims=keepdims, initial=2), expected)
    numpy.testing.assert_array_equal(checked_sum.accumulate(values, axis), numpy.add.accumulate(values, axis))
    places = data.draw(st.lists(st.integers(0, values.shape[axis] - 1), min_size=1, max_size=4))
    numpy.testing.assert_array_equal(
        checked_sum.reduceat(values, places, axis=axis), numpy.add.reduceat(values, places, axis=axis)
    )
    numpy.testing.assert_array_equal(checked_sum.outer(values, values[0, 0]), numpy.add.outer(values, values[0, 0]))
    for target in (values.ravel().copy(), np.asarray(values.ravel())):
        expected = numpy.array(target)
        numpy.add.at(expected, places, 3)
        checked_sum.at(target, places, 3)
        numpy.testing.assert_array_equal(numpy.asarray(target), expected)


def test_types_grow_and_signatures_do_not():
    assert quotient(numpy.float32(3), numpy.float32(2)).dtype == "float32"
    assert quotient(7, 2) == 3.5 and quotient(True, 2.0) == 0.5
    with pytest.raises(ZeroDivisionError, match="no quotient"):
        quotient(numpy.ones(3), 0)
    assert "dd->d" in quotient.types and (quotient.nin, quotient.nout, quotient.nargs) == (2, 1, 3)
    assert checked_sum.types == ["ll->l", "dd->d"] and checked_sum.ntypes == 2 and checked_sum.identity == 0
    with pytest.raises(TypeError, match="could not be safely coerced"):
        checked_sum(1j, 2)
    with pytest.raises(ValueError, match="broadcast"):
        checked_sum(numpy.ones(3), numpy.ones(2))
    with pytest.raises(ValueError, match="doesn't match the broadcast shape"):
        checked_sum(numpy.ones(3), 1.0, out=numpy.ones(2))
    with pytest.raises(TypeError, match="Cannot cast ufunc"):
        checked_sum(numpy.ones(3), 1.0, out=numpy.ones(3, "int64"))
    assert checked_sum(numpy.ones(2), 1.0, out=numpy.ones(2, "int64"), casting="unsafe").tolist() == [2, 2]
    with pytest.raises(ValueError, match="no identity"):
        quotient.reduce(numpy.ones((0,)))
    with pytest.raises(ValueError, match="not reorderable"):
        quotient.reduce(numpy.ones((2, 2)), axis=(0, 1))
    with pytest.raises(ValueError, match="too large"):
        checked_sum.reduce(numpy.full(2000, 1))


def test_several_results_and_arrays_inside():
    @vectorize
    def both(x):
        work = numpy.empty(2)
        work[0], work[1] = x, x * x
        if x > 100:
            raise OverflowError("large")
        return work[0] + 1, work[1]

    one, other = both(numpy.arange(3.0))
    assert one.tolist() == [1, 2, 3] and other.tolist() == [0, 1, 4] and both.nout == 2
    with pytest.raises(OverflowError):
        both(numpy.array([1.0, 101.0]))


def test_prints_come_in_order(capfd):
    @vectorize(["int64(int64)"])
    def told(x):
        print("element", x)
        return x

    told(numpy.arange(3))
    assert capfd.readouterr().out.split("\n")[:3] == ["element 0", "element 1", "element 2"]


def test_a_raise_in_a_function_that_is_called_and_one_that_is_changed():
    @njit
    def checked(x):
        if x < limit:
            raise ValueError("small")
        return x

    limit = 2
    outer = vectorize(lambda x: checked(x) + 1)
    assert outer(numpy.array([2, 3])).tolist() == [3, 4]
    with pytest.raises(ValueError, match="small"):
        outer(numpy.array([2, 1]))
    limit = 3
    with pytest.raises(ValueError, match="small"):
        outer(numpy.array([2, 3]))


def test_they_are_pickled_and_called_in_functions():
    again = pickle.loads(pickle.dumps(checked_sum))
    assert again(1, 2) == 3

    @njit
    def function(x):
        return checked_sum(x, x)

    assert function(numpy.arange(3)).tolist() == [0, 2, 4]
    with pytest.raises(ValueError, match="too large"):
        function(numpy.array([1, 2000]))


def test_what_no_loop_computes_is_refused():
    with pytest.raises(UnsupportedError):
        vectorize(["float64(float64)"])(lambda x: print(x))


@pytest.mark.parametrize(
    "out", [numpy.zeros((2, 2), order="F"), numpy.zeros((3, 2)).T[:, :2], numpy.zeros((4, 4))[::2, ::-2]]
)
def test_results_of_any_layout_are_written(out):
    @vectorize
    def next_of(a):
        if a < 0:
            raise ValueError("negative")
        return a + 1

    next_of(numpy.ones((2, 2)), out=out)
    numpy.testing.assert_array_equal(out, numpy.full((2, 2), 2.0))


def test_elements_that_are_not_computed_stay_as_they_are():
    @vectorize(["int32(int32)"])
    def next_of(a):
        if a == 99:
            raise ValueError("ninety-nine")
        return a + 1

    out = numpy.array([2**40, 5])
    next_of(numpy.int32([1, 2]), out=out, where=[False, True])
    numpy.testing.assert_array_equal(out, [2**40, 3])
    out = numpy.array([2**40, 5])
    with pytest.raises(ValueError, match="ninety"):
        next_of(numpy.int32([99, 2]), out=out)
    numpy.testing.assert_array_equal(out, [2**40, 3])


def test_pythons_numbers_must_be_in_range():
    @vectorize(["int8(int8, int8)"])
    def total(a, b):
        if a == 99:
            raise ValueError("ninety-nine")
        return a + b

    numpy.testing.assert_array_equal(total(numpy.int8([1, 2]), 100), numpy.int8([101, 102]))
    with pytest.raises(OverflowError, match="1000 out of bounds for int8"):
        total(numpy.int8([1, 2]), 1000)
    with pytest.raises(TypeError, match="Cannot cast|not supported"):
        total(numpy.float64(1.5), numpy.float64(2.5), dtype="int8")


def test_a_gufunc_takes_no_number_for_a_result():
    @guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    def total(x, out):
        out[0] = x.sum()

    with pytest.raises(TypeError):
        total(numpy.arange(3.0), numpy.float64(5))


def test_a_constant_text_that_a_loop_doubles_is_refused():
    def doubled(n):
        w = "ab"
        for _ in range(n):
            w = w * 2
        return w

    with pytest.raises(UnsupportedError, match="constant text"):
        njit(doubled)(3)
