"""Functions of NumPy that return lists, the limits of types, and arguments of types that are plainly wrong."""

from typing import Any

import numpy as np
import pytest
from tessera.errors import TypingError

from tessera import jit

GRID = np.arange(24.0).reshape(6, 4)


def _same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected) and len(found) == len(expected)
    for one, other in zip(found, expected):
        np.testing.assert_array_equal(one, other)
        assert one.strides == other.strides


@pytest.mark.parametrize("where", [1, 2, 3, (1, 3), (2, 2, 5), np.array([1, 4]), (-2,)])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_parts_of_unequal_length(where: Any, axis: int) -> None:
    function = jit(lambda x, where, axis: np.array_split(x, where, axis=axis))
    _same(function(GRID, where, axis), np.array_split(GRID, where, axis=axis))


@pytest.mark.parametrize("split", [np.split, np.hsplit, np.vsplit])
def test_parts_are_views(split: Any) -> None:
    @jit
    def function(x: Any, n: int) -> Any:
        parts = split(x, n)
        parts[1][0] = -1
        return parts

    found, expected = GRID.copy(), GRID.copy()
    parts = split(expected, 2)
    parts[1][0] = -1
    _same(function(found, 2), parts)
    np.testing.assert_array_equal(found, expected)


def test_parts_of_three_axes() -> None:
    cube = np.arange(24).reshape(2, 3, 4)
    _same(jit(lambda x: np.dsplit(x, 2))(cube), np.dsplit(cube, 2))
    _same(jit(lambda x: np.hsplit(x, 2))(np.arange(6)), np.hsplit(np.arange(6), 2))


def test_parts_that_are_none() -> None:
    with pytest.raises(ValueError, match="equal division"):
        jit(lambda x: np.split(x, 4))(GRID)
    with pytest.raises(ValueError, match="larger than 0"):
        jit(lambda x: np.array_split(x, 0))(GRID)
    with pytest.raises(ValueError, match="2 or more"):
        jit(lambda x: np.vsplit(x, 2))(np.arange(4))


def test_limits_of_types() -> None:
    assert jit(lambda: (np.iinfo(np.int16).min, np.iinfo(np.uint64).max))() == (-(2**15), 2**64 - 1)
    assert jit(lambda x: x * np.finfo(np.float32).eps)(1.0) == np.finfo(np.float32).eps
    assert jit(lambda x: np.finfo(x.dtype).max)(GRID) == np.finfo(np.float64).max
    assert jit(lambda x: np.finfo(x).tiny)(1.5) == np.finfo(np.float64).tiny


@pytest.mark.parametrize(
    "function, argument, text",
    [
        (lambda x: np.tri(3, 3, x), 1.5, "k is float64"),
        (lambda x: np.tril(np.ones((3, 3)), x), 1.5, "k is float64"),
        (lambda x: np.vander(np.arange(3), x), True, "N is bool"),
        (lambda x: np.partition(x, (1.5, 2.5)), np.ones(4), "kth is float64"),
        (lambda x: np.insert(x, 0, 9), 2, "arr is a number"),
        (lambda x: np.diff(x), 4, "a is a number"),
        (lambda x: np.sinc(x), "text", "x is the text"),
        (lambda x: np.union1d(x, np.arange(3)), "text", "ar1 is the text"),
        (lambda x: np.array_equal(np.ones(3), x), None, "a2 is None"),
        (lambda x: np.cumsum(np.ones((2, 2)), x), 0.5, "axis is float64"),
    ],
)
def test_types_that_are_plainly_wrong(function: Any, argument: Any, text: str) -> None:
    with pytest.raises(TypingError, match=text):
        jit(function)(argument)


def test_vectors_of_three_elements() -> None:
    x, y = np.arange(6.0).reshape(2, 3), np.ones((2, 3))
    np.testing.assert_array_equal(jit(lambda x, y: np.cross(x, y))(x, y), np.cross(x, y))


def test_errors_are_of_numpys_class() -> None:
    with pytest.raises(ValueError, match="2-d"):
        jit(lambda x: np.fliplr(x))(np.arange(3))
    with pytest.raises(np.linalg.LinAlgError, match="2-dim|two-dim"):
        jit(lambda x: np.linalg.inv(x))(np.arange(3.0))
    with pytest.raises(IndexError, match="axis 3"):
        jit(lambda x: x.sum(axis=3))(GRID)
    for function in (lambda x: np.fliplr(x), lambda x: np.linalg.inv(x)):
        with pytest.raises(TypingError, match="types: x: array"):
            jit(function)(np.arange(3.0))


@pytest.mark.parametrize("dtype", ["object", "longdouble", "M8[10s]"])
def test_arrays_of_other_dtypes_are_named(dtype: str) -> None:
    x = np.zeros(2, dtype)
    with pytest.raises(TypingError, match=str(x.dtype).replace("[", ".").replace("<", ".")):
        jit(lambda x: x)(x)
