"""Calls of one function with different numbers of arguments, again and again."""

import itertools

import numpy
import pytest

from tessera import njit


@njit
def count(*numbers):
    return len(numbers)


@njit
def last(*numbers):
    return numbers[-1]


@njit
def behind(first, *rest):
    return first + 10 * len(rest)


@njit
def handed_on(*numbers):
    return count(*numbers) + 100 * count(1, *numbers)


@njit
def defaulted(a, b=2, c=3):
    return a + 10 * b + 100 * c


def calls(numbers):
    """Each number of arguments after each other one, twice: the second call takes the short way."""
    for pair in itertools.permutations(numbers, 2):
        yield from (*pair, *pair)


def test_further_arguments():
    for given in calls(range(5)):
        numbers = tuple(range(7, 7 + given))
        assert count(*numbers) == given
        assert handed_on(*numbers) == given + 100 * (given + 1)
        if numbers:
            assert last(*numbers) == numbers[-1]
            assert behind(*numbers) == numbers[0] + 10 * (given - 1)


def test_further_arrays():
    arrays = [numpy.arange(k + 1.0) for k in range(4)]

    @njit
    def first(*given):
        return given[0] if len(given) == 1 else given[-1]

    for given in calls(range(1, 5)):
        numpy.testing.assert_array_equal(first(*arrays[:given]), arrays[given - 1])


def test_arguments_left_out():
    for given in calls(range(1, 4)):
        numbers = (5, 6, 7)[:given]
        assert defaulted(*numbers) == defaulted.py_func(*numbers)
    with pytest.raises(TypeError):
        defaulted()
    with pytest.raises(TypeError):
        behind()
    with pytest.raises(TypeError):
        defaulted(1, 2, 3, 4)
