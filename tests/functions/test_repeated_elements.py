"""What is computed for one element, or a list of one, is repeated as NumPy repeats arrays."""

import numpy
import pytest

from tessera import njit

ARRAY = numpy.arange(1.0, 5.0)
MATRIX = numpy.arange(12.0).reshape(3, 4)


@njit
def ranges(a, b, k):
    steps = numpy.arange(k)
    return (
        numpy.arange(k) + a,
        a * (numpy.arange(k) * 2.0 + 1),
        numpy.linspace(5, 6, k) - a,
        numpy.where(a > 2, numpy.arange(k), a),
        numpy.maximum(numpy.arange(k) + 2.0, a),
        b + numpy.arange(k),
        b * (steps + 1)[:k],
    )


@njit
def totals(a, k):
    return (numpy.arange(k) * a).sum(), numpy.cumsum(a + numpy.arange(k)), (a + numpy.arange(k))[1:]


@pytest.mark.parametrize("k", (1, 4))
def test_ranges(k):
    for got, wanted in zip(ranges(ARRAY, MATRIX, k), ranges.py_func(ARRAY, MATRIX, k), strict=True):
        numpy.testing.assert_array_equal(got, wanted)
    for got, wanted in zip(totals(ARRAY, k), totals.py_func(ARRAY, k), strict=True):
        numpy.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("k", (0, 2, 5))
def test_other_lengths_are_refused(k):
    with pytest.raises(ValueError, match="broadcast"):
        ranges(ARRAY, MATRIX, k)


@njit
def added(a, values):
    return a + values


@njit
def filled(a, values):
    a[:] = values
    return a


@njit
def filled_inside(rows):
    a = numpy.zeros((rows, 2))
    a[:] = [[1.0, 2.0]]
    b = numpy.zeros(rows)
    b[:] = (5.0,)
    c = numpy.zeros((rows, 2))
    c[1] = [7.0]
    values = [3.0]
    return a, b, c, b + values


def test_lists():
    numpy.testing.assert_array_equal(added(ARRAY, [2.0]), ARRAY + 2)
    numpy.testing.assert_array_equal(added(ARRAY, [1.0, 2.0, 3.0, 4.0]), ARRAY + [1.0, 2.0, 3.0, 4.0])
    numpy.testing.assert_array_equal(filled(numpy.zeros(4), [5.0]), numpy.full(4, 5.0))
    with pytest.raises(ValueError, match="broadcast"):
        filled(numpy.zeros(4), [5.0, 6.0])
    for got, wanted in zip(filled_inside(3), filled_inside.py_func(3), strict=True):
        numpy.testing.assert_array_equal(got, wanted)
