"""Functions defined inside that assign variables of the function around them."""

import numpy as np
import pytest
from tessera.errors import UnsupportedError

from tessera import cuda, njit


def sums(n):
    a = 1

    def step(b):
        nonlocal a
        a += b

    for i in range(n):
        step(i)
    return a


def two_variables(n):
    a = 0
    c = 0.5

    def step(b, k=2):
        nonlocal a, c
        if b % 2:
            return a
        a += b * k
        c *= 1.5
        return a

    s = 0
    for i in range(n):
        s += step(i)
        if step(i, k=3) > 5:
            s += 1
    return s, a, c


def two_levels(n):
    a = 0

    def outer():
        b = 1

        def inner(x):
            nonlocal a, b
            a += x
            b *= 2

        for i in range(n):
            inner(i)
        return b

    r = outer()
    return r, a


def neighbours(n):
    a = 0

    def bump():
        nonlocal a
        a += 1
        return a

    def twice():
        bump()
        return bump()

    x = twice()
    while bump() < n:
        x += 1
    return x, a


def order_of_calls(n):
    a = 0

    def bump():
        nonlocal a
        a += 1
        return a

    x = [0] * 4
    x[bump()] = bump()
    y = bump() + bump() * 10
    return x[2], y, a


def loops_inside(n):
    a = 1

    def bump():
        nonlocal a
        for i in range(n):
            if i == 3:
                break
            a = a * 2 + i
        else:
            a = 100

    bump()
    return a


def widened(n):
    a = 1

    def bump():
        nonlocal a
        a += 1.5

    for _ in range(n):
        bump()
    return a


def shadowed(n):
    a = 1

    def bump(by):
        a = 7

        def inner():
            nonlocal a
            a += by
            return a

        return inner() + 0

    return bump(n), a


PROGRAMS = [sums, two_variables, two_levels, neighbours, order_of_calls, loops_inside, widened, shadowed]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("n", [0, 2, 5])
def test_what_a_function_inside_assigns_is_seen_around_it(function, n):
    assert njit(function)(n) == function(n)


def test_kernels_have_them():
    @cuda.jit
    def kernel(out):
        a = 0

        def step(v):
            nonlocal a
            a += v

        for i in range(5):
            step(i)
        out[0] = a

    out = np.zeros(1)
    kernel[1, 1](out)
    assert out[0] == 10


def test_what_is_read_before_a_call_that_changes_it_is_what_it_was():
    def before(n):
        a = 1

        def bump():
            nonlocal a
            a += 1
            return 5

        return a + bump(), a

    assert njit(before)(1) == before(1)


def test_what_would_need_an_order_that_is_not_there_is_refused():
    def under_a_condition(n):
        a = 0

        def bump():
            nonlocal a
            a += 1
            return a

        return n > 0 and bump() > 0

    def as_a_value(n):
        a = 0

        def bump():
            nonlocal a
            a += 1

        f = bump
        f()
        return a

    for function, text in ((under_a_condition, "may not be"), (as_a_value, "as a value")):
        with pytest.raises(UnsupportedError, match=text):
            njit(function)(1)
