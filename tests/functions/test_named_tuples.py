"""Named tuples and enumerations in functions: passed, made, returned."""

import dataclasses
import enum
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
import pytest
from tessera.errors import TypingError

from tessera import cuda, jit, prange

Pair = namedtuple("Pair", "first second")


class Point(NamedTuple):
    x: float
    y: int = 3


class Side(enum.Enum):
    LEFT = 1
    RIGHT = 2


def moved(p, by):
    return Point(p.x + by, p.y)


def pairs(x):
    return Pair(second=x, first=Point(x, 2)), Point(x), Pair(1, (x, x))


def chosen(p, q, first):
    return p if first else q


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (moved, (Point(1.5, 2), 2)),
        (moved, (Point(1, 2), 0.25)),
        (pairs, (2.5,)),
        (chosen, (Point(1.0, 2), Point(3.0, 4), True)),
        (chosen, (Point(1.0, 2), Point(3.0, 4), False)),
    ],
)
def test_results_are_of_the_class(function, arguments):
    expected, found = function(*arguments), jit(function)(*arguments)
    assert found == expected and type(found) is type(expected)
    for one, other in zip(found, expected):
        assert type(one) is type(other)


def test_fields_may_be_arrays():
    @jit
    def function(pair):
        pair.first[0] = pair.second
        return Pair(pair.first[1:], pair.second)

    a = np.arange(4.0)
    found = function(Pair(a, 7.5))
    assert a[0] == 7.5 and isinstance(found, Pair)
    np.testing.assert_array_equal(found.first, [1, 2, 3])


def test_classes_with_other_fields_are_other_types():
    @jit
    def first(p):
        return p.first

    assert first(Pair(1, 2)) == 1
    with pytest.raises(TypingError, match="has no attribute first"):
        first(Point(1, 2))
    with pytest.raises(TypingError, match="has no attribute first"):
        first((1, 2))
    assert len(first.signatures) == 1


def test_kernels_make_them():
    @cuda.jit
    def kernel(out, p):
        q = Point(out[0])
        r = q if out[1] > 0 else Point(2.0, p.y)
        out[1] = r.x + r.y

    for sign, expected in ((1, 4), (-1, 12)):
        out = np.array([1.0, sign])
        kernel[1, 1](out, Point(0.5, 10))
        assert out[1] == expected


def test_what_is_missing_is_said():
    with pytest.raises(TypingError, match="Pair lacks second"):
        jit(lambda x: Pair(x))(1)


def test_members_of_enumerations_are_arguments():
    @jit
    def is_left(side):
        return side == Side.LEFT

    assert is_left(Side.LEFT) and not is_left(Side.RIGHT)


@dataclasses.dataclass(frozen=True)
class Setting:
    scale: float
    weights: np.ndarray
    steps: int = 3


def test_frozen_dataclasses_are_arguments_by_value() -> None:
    @jit
    def scaled(setting: Any) -> Any:
        return setting.scale * setting.weights.sum() + setting.steps

    @jit
    def made(scale: float, weights: Any) -> Any:
        return Setting(scale, weights)

    weights = np.arange(4.0)
    assert scaled(Setting(2.0, weights)) == 15.0
    found = made(0.5, weights)
    assert isinstance(found, Setting) and found.weights is weights and (found.scale, found.steps) == (0.5, 3)


Step = namedtuple("Step", "size count", defaults=(7,))


def test_named_tuples_are_made_in_prange() -> None:
    @jit(parallel=True)
    def totals(x: Any) -> Any:
        for i in prange(len(x)):
            step = Step(x[i]) if i % 2 else Step(x[i], 2)
            x[i] = step.size * step.count
        return Step(x[0])

    found = totals(np.arange(5.0))
    assert found == Step(0.0) and isinstance(found, Step)


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Shade(enum.Enum):
    DARK = 1


class Shape(enum.IntEnum):
    CIRCLE = 2
    SQUARE = 500
    NEGATIVE = -1


@jit
def chosen(a: Any, b: Any, first: Any) -> Any:
    return a if first else b


@jit
def of_colors(a: Any) -> Any:
    return a is Color.RED, a == Color.RED, a is Color["RED"], a is Shade.DARK, a == Shade.DARK, a == 1, a.value, [a]


@jit
def of_shapes(a: Any) -> Any:
    return a + 1, a == 2, hash(a), a is Shape.CIRCLE, a > 1, [a, Shape.SQUARE], (a, a.value)


def test_members_of_enumerations_are_returned_as_members() -> None:
    assert chosen(Color.RED, Color.GREEN, False) is Color.GREEN
    assert chosen(Shape.CIRCLE, Shape.SQUARE, True) is Shape.CIRCLE
    for color in Color:
        assert of_colors(color) == of_colors.py_func(color)
    for shape in Shape:
        assert of_shapes(shape) == of_shapes.py_func(shape) and of_shapes(shape)[5][0] is shape
