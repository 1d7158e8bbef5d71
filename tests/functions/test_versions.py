"""Variables that a function assigns anew with another type."""

import numpy
import pytest
from tessera.errors import TypingError

from tessera import njit, prange


def other_types(x):
    a = x[::2]
    n = a.size
    a = n + 0.5
    b = a * 2
    a = (b, n)
    return a[0] + a[1], b


def parameter(x):
    x = x.reshape(x.size, 1)
    x = x + 1
    y = x.shape
    x = x.sum()
    return x, y


def swap(x):
    a, b = x, 2
    a, b = b, a
    return a + b.sum(), b[0]


def in_a_loop(x):
    total = 0
    for i in range(3):
        total += i
    total = x * total
    for k in range(x.size):
        total[k] = total[k] + 1
    out = total
    total = "mean"
    if total == "mean":
        return out
    return x


def parallel(x):
    total = 0
    for i in prange(x.size):
        total += 1
    total = 0.0
    for i in prange(x.size):
        total += x[i]
    return total


def comprehension(x):
    n = x.size
    values = [n * k for k in range(3)]
    n = 0.5
    return values[2] + n


@pytest.mark.parametrize("function", [other_types, parameter, swap, in_a_loop, parallel, comprehension])
def test_as_in_python(function):
    x = numpy.arange(6.0)
    got, wanted = njit(parallel=True)(function)(x), function(x)
    numpy.testing.assert_equal(got, wanted)


def test_messages_name_the_variable_as_written():
    @njit
    def f(x):
        a = x[0]
        a = x
        return a.missing

    with pytest.raises(TypingError) as found:
        f(numpy.ones(3))
    assert "a: array(float64, 1d)" in str(found.value) and "'" not in str(found.value).split("types:")[1].split("\n")[0]


def test_types_that_branches_differ_in_are_refused():
    @njit
    def f(x, c):
        a = 1
        if c:
            a = x
        return a

    with pytest.raises(TypingError, match="a is"):
        f(numpy.ones(3), True)
