"""Stencils that compiled functions make."""

import numpy
import pytest
from tessera.errors import CompileError

import tessera
from tessera import njit, stencil

WEIGHT = 0.5


def neighbours(a):
    return a[-1] + a[1]


def test_lambdas_and_functions():
    @njit(parallel=True)
    def f(x):
        first = stencil(lambda a: WEIGHT * (a[-1] + a[0] + a[1]))(x)
        by_name = stencil(neighbours, cval=7.0)
        out = numpy.zeros_like(x)
        tessera.stencil(lambda a: a[1])(x, out=out)
        return first, by_name(x), out

    x = numpy.arange(6.0)
    first, second, third = f(x)
    numpy.testing.assert_array_equal(first, [0, 1.5, 3, 4.5, 6, 0])
    numpy.testing.assert_array_equal(second, [7, 2, 4, 6, 8, 7])
    numpy.testing.assert_array_equal(third, [1, 2, 3, 4, 5, 0])


def test_changed_names_and_names_around(monkeypatch):
    scale = 3.0

    @njit
    def f(x):
        return stencil(lambda a: scale * WEIGHT * a[1])(x)

    x = numpy.arange(4.0)
    numpy.testing.assert_array_equal(f(x), [1.5, 3, 4.5, 0])
    monkeypatch.setitem(globals(), "WEIGHT", 1.0)
    numpy.testing.assert_array_equal(f(x), [3, 6, 9, 0])


def test_two_axes():
    x = numpy.arange(12.0).reshape(3, 4) ** 2
    wanted = numpy.zeros((3, 4))
    wanted[:-1, :-1] = x[:-1, 1:] - x[1:, :-1]

    @njit
    def g(x):
        return stencil(lambda a: a[0, 1] - a[1, 0], neighborhood=((0, 1), (0, 1)))(x)

    numpy.testing.assert_array_equal(g(x), wanted)


def test_options_that_are_no_constants():
    @njit
    def f(x, w):
        return stencil(lambda a: a[1], cval=w)(x)

    with pytest.raises(CompileError):
        f(numpy.arange(3.0), 1.0)
