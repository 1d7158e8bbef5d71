"""getattr, hasattr and type in functions with @jit, as in CPython."""

import numpy
import pytest

from tessera import errors, njit


def check(function, *arguments):
    assert njit(function)(*arguments) == function(*arguments)


def test_getattr_of_what_there_is():
    def axes(x):
        return getattr(x, "ndim"), getattr(x, "shape")  # noqa: B009

    for n in range(3):
        check(axes, numpy.ones((2,) * n))

    def of_a_module():
        return getattr(numpy, "pi")  # noqa: B009

    check(of_a_module)


def test_getattr_gives_the_value_for_what_is_not_there():
    def lacking(x, default):
        return getattr(x, "no_such_name", default)

    for x, default in [(1, None), (2.5, 20), ((5, 6), "text")]:
        check(lacking, x, default)


def test_hasattr():
    def asks(x):
        return hasattr(x, "shape"), hasattr(x, "no_such_name"), hasattr(x, "__len__"), hasattr(x, "real")

    for x in (1, 2.5, 3j, (1, 2), numpy.ones(3), "text", [1, 2]):
        check(asks, x)


def test_the_sides_that_hasattr_decides_are_not_compiled():
    def size(x):
        if hasattr(x, "shape"):
            return x.shape[0]
        return x + 1

    check(size, 3)
    check(size, numpy.ones(4))


def test_type_converts():
    def converted(a, b):
        return type(a)(b)

    for a in (1, 2.5, 3j, True):
        check(converted, a, 4)
        check(converted, a, 0)
    check(converted, 1, 2.7)


def test_what_is_not_there_says_so():
    with pytest.raises(errors.TypingError, match="has no attribute no_such_name"):
        njit(lambda x: getattr(x, "no_such_name"))(1)  # noqa: B009
    with pytest.raises(errors.UnsupportedError, match="instead: a call of it"):
        njit(lambda x: getattr(x, "conjugate"))(1)  # noqa: B009

    @njit
    def unknown(x, n):
        name = "real" if n else "imag"
        return getattr(x, name)

    with pytest.raises(errors.TypingError, match="known while compiling"):
        unknown(1, 2)
