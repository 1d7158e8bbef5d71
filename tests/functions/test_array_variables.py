"""Variables of functions with @jit that hold one array or another, against CPython."""

import numpy as np
import pytest

from tessera import errors, njit


def by_if(a, b, p):
    if p:  # noqa: SIM108
        x = a
    else:
        x = b
    x[0] = 5
    return x.sum()


def by_expression(a, b, p):
    x = a if p else b[::-1]
    x[1] += 2
    return x[0] + 10 * x[-1]


def one_of_three(a, b, p):
    x = a
    if p == 1:
        x = b
    elif p == 2:
        x = b[1:3]
    return x.size, x.sum()


def swapped(a, b, p):
    for _ in range(p):
        for j in range(a.size):
            b[j] = a[j] + 1
        a, b = b, a
    return a[0], b[0]


def swapped_in_while(a, b, p):
    k = 0
    while k < p:
        a, b = b, a
        b[0] = k
        k += 1
        if a[1] > 1000:
            break
    return a[0] * 100 + b[0]


def rotated(a, b, p):
    c = a + b
    for _ in range(p):
        a, b, c = b, c, a
    return a[1], b[1], c[1]


def indexed_tuple(a, b, p):
    t = (a, b, a[::2])
    s = 0.0
    for i in range(3):
        s += t[(i + p) % 3][1] * (i + 1)
    t[p % 3][0] = -1
    return s, t[-1][0]


def nested_tuple(a, b, p):
    t = ((a, b), (b, a))
    t[p % 2][p // 2][p] = 7
    return t[0][p % 2][1]


def loop_over_arrays(a, b, p):
    best = a
    for t in (a, b, a + b):
        if t.sum() > best.sum():
            best = t
    best[p] = 0
    return best.sum()


def array_of_function(a, b, p):
    def chosen(x, y):
        if p > 1:
            return x
        return y[1:]

    chosen(a, b)[0] = 3
    return chosen(b, a).sum()


def pair_of_function(a, b, p):
    def ordered(x, y):
        return (x, y) if x[0] < y[0] else (y, x)

    low, high = ordered(b, a)
    low[p] = high[p]
    return low[0], high[0]


def new_or_given(a, b, p):
    x = a if p else np.zeros(3)
    x[0] = 9
    return x.sum()


def new_in_each_iteration(a, b, p):
    x = a
    for _ in range(p):
        x = x + b
    x[0] = 0
    return x


def shrinking(a, b, p):
    s = 0.0
    while a.size > p:
        s = s * 2 + a[0]
        a = a[1:]
        a, b = b, a
    return s, a.size


def row_or_array(a, b, p):
    grid = np.ones((3, a.size))
    x = grid[p] if p < 2 else b
    x[:] = a
    return grid.sum() + b.sum()


FUNCTIONS = [
    *(by_if, by_expression, one_of_three, swapped, swapped_in_while, rotated, indexed_tuple, nested_tuple),
    *(loop_over_arrays, array_of_function, pair_of_function, new_or_given, new_in_each_iteration, shrinking),
    row_or_array,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_choices(function):
    compiled = njit(function)
    for p in range(4):
        wanted, got = [[np.arange(4.0), np.arange(10.0, 14.0)] for _ in range(2)]
        expected, result = function(*wanted, p), compiled(*got, p)
        assert np.array_equal(result, expected), (p, result, expected)
        assert np.array_equal(got, wanted), p


@njit
def returns_one(a, b, p):
    if p:
        return a
    return b


@njit
def reads_returned(a, b, p):
    x = returns_one(a, b, p)
    x[0] += 1
    return returns_one(x, x, p)[0]


def test_returned_arrays():
    a, b = np.arange(3.0), np.arange(5.0)
    assert reads_returned(a, b, True) == 1
    assert reads_returned(a, b, False) == 1
    assert reads_returned(a, b, False) == 2
    assert a[0] == 1
    assert b[0] == 2
    assert returns_one(a, b, True).tolist() == [1, 1, 2]
    assert returns_one(a, b, False).tolist() == [2, 1, 2, 3, 4]


@njit
def of_two_dtypes(a, b, p):
    x = a if p else b
    return x[0]


def test_arrays_of_other_dtypes_are_refused():
    with pytest.raises(errors.TypingError, match=r"array\(int64, 1d\) here and array\(float64, 1d\) elsewhere"):
        of_two_dtypes(np.zeros(3), np.zeros(3, np.int64), True)


def computed_on_both_sides(a, b, c):
    return a + 1 if c else b * 2


def one_side_converted(a, b, c):
    return a.astype(np.float64) if c else b * 2.5


def views_on_both_sides(a, b, c):
    return a[1:] if c else b[:-1]


def sides_in_a_loop(a, b, c):
    total = 0.0
    for i in range(3):
        total += (a if c else b * 2)[i] + (a[::-1] if i else b)[0]
    return total


def lists_on_both_sides(a, b, c):
    values = [1, 2] if c else [int(a[0]), 3, 4]
    values.append(5)
    return values


@pytest.mark.parametrize(
    "function",
    [computed_on_both_sides, one_side_converted, views_on_both_sides, sides_in_a_loop, lists_on_both_sides],
    ids=lambda function: function.__name__,
)
@pytest.mark.parametrize("which", [True, False])
def test_conditional_expressions_of_arrays(function, which):
    a, b = np.arange(4.0), 10 * np.arange(4.0)
    np.testing.assert_array_equal(njit(function)(a, b, which), function(a, b, which))
