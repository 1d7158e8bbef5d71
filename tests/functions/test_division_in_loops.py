"""Divisions by zero in loops: what is raised, by which iteration and which statement, and what was stored before."""

import math

import numpy as np
import pytest

from tessera import jit


def reciprocals(x):
    out = np.empty_like(x)
    for i in range(x.size):
        out[i] = 1.0 / x[i]
    return out


def three_ways(x, y, z):
    total = 0.0
    for i in range(x.size):
        a = 1.0 / x[i]
        b = 5.0 % y[i]
        total += a + b + 7.0 // z[i]
    return total


def integers(x, y):
    out = np.zeros(x.size, dtype=np.int64)
    for i in range(0, x.size, 2):
        out[i] = 100 // x[i] + 100 % y[i]
    return out


def under_a_condition(x, y):
    total = 0.0
    for i in range(x.size):
        if y[i] > 0:
            total += 1.0 / x[i]
        else:
            total += 1.0 % y[i]
    return total


def stores_in_an_argument(x, out):
    for i in range(x.size):
        out[i] = 1.0 / x[i]


def caught(x):
    total = 0.0
    try:
        for i in range(x.size):
            total += 1.0 / x[i]
    except ZeroDivisionError:
        return -total
    return total


def in_two_loops(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += 1.0 / x[i, j]
        total = total / x[i, 0]
    return total


def never_zero(x):
    total = 0.0
    for i in range(x.size):
        value = x[i]
        root = math.sqrt(value * value + 0.5)
        total += 1.0 / root + 1.0 / (1.0 + abs(x[i])) + i % x.size
        one = x[i]
        if one != 0:
            total += 1.0 / one
    return total


def follows_indices(x, at):
    total = 0.0
    for i in range(at.size):
        total += x[at[i] // at[i] - 1]
    return total


@jit
def compiled_helper(a, b):
    return a / b


def by_a_function(x, y):
    out = np.empty_like(x)
    for i in range(x.size):
        out[i] = compiled_helper(x[i], y[i]) + 1 / y[i]
    return out


def outcome(function, *given):
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in given]
    try:
        with np.errstate(all="ignore"):
            result = function(*given)
    except ZeroDivisionError as error:
        return "raised", str(error), given
    return "returned", result, given


def in_python(function):
    """With Python's numbers, which raise where NumPy's warn."""

    class Numbers:
        def __init__(self, array):
            self.array, self.size, self.shape = array, array.size, array.shape

        def __getitem__(self, at):
            return self.array[at].item()

        def __setitem__(self, at, value):
            self.array[at] = value

    return lambda *given: function(*(Numbers(a) for a in given))


def same(function, *given):
    wanted, got = outcome(in_python(function), *given), outcome(jit(function), *given)
    assert got[0] == wanted[0]
    if got[0] == "raised":
        assert set(wanted[1].split()) <= set(got[1].split())  # Python's words differ between versions
    else:
        np.testing.assert_array_equal(got[1], wanted[1])
    for a, b in zip(got[2], wanted[2]):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("n", [1, 8, 9, 70])
def test_no_zero(n):
    x = np.linspace(0.5, 2, n)
    jitted = jit(reciprocals)(x)
    np.testing.assert_array_equal(jitted, 1.0 / x)
    same(three_ways, x, x + 1, x + 2)
    same(under_a_condition, x, x - 1.1)
    same(stores_in_an_argument, x, np.zeros(n))
    same(in_two_loops, x.reshape(1, n))


@pytest.mark.parametrize("where", [0, 5, 8, 63, 69])
def test_one_zero(where):
    x = np.linspace(0.5, 2, 70)
    x[where] = 0
    with pytest.raises(ZeroDivisionError):
        jit(reciprocals)(x)
    out = np.zeros(70)
    with pytest.raises(ZeroDivisionError):
        jit(stores_in_an_argument)(x, out)
    np.testing.assert_array_equal(out[:where], 1 / x[:where])
    assert not out[where + 1 :].any()
    same(caught, x)
    same(in_two_loops, x.reshape(7, 10))


def test_the_first_of_several():
    ways = {}
    rng = np.random.default_rng(0)
    function = jit(three_ways)
    for _ in range(60):
        given = [np.ones(40) for _ in range(3)]
        places = rng.integers(0, 40, 3)
        if rng.random() < 0.3:
            places[:] = places[0]
        for a, place in zip(given, places):
            a[place] = 0
        first = min(range(3), key=lambda k: (places[k], k))
        with pytest.raises(ZeroDivisionError) as error:
            function(*given)
        ways.setdefault(first, set()).add(str(error.value))
    assert [len(ways[k]) for k in range(3)] == [1, 1, 1]
    assert len(set.union(*ways.values())) == 3


def test_lines_of_the_first(capfd):
    x = np.ones(20)
    y, z = x.copy(), x.copy()
    y[3] = z[2] = 0
    with pytest.raises(ZeroDivisionError, match="floor division"):
        jit(three_ways)(x, y, z)
    y[2] = 0
    with pytest.raises(ZeroDivisionError, match="modulo"):
        jit(three_ways)(x, y, z)


@pytest.mark.parametrize("zeros", [(3, 3), (4, 7), (8, 2), (39, 38), (None, 6), (None, 7)])
def test_integers_in_steps(zeros):
    x, y = np.arange(1, 41), np.arange(2, 42)
    for a, place in zip((x, y), zeros):
        if place is not None:
            a[place] = 0
    fails = any(place is not None and place % 2 == 0 for place in zeros)
    if fails:
        with pytest.raises(ZeroDivisionError):
            jit(integers)(x, y)
    else:
        wanted = np.zeros(40, dtype=np.int64)
        wanted[::2] = 100 // x[::2] + 100 % y[::2]
        np.testing.assert_array_equal(jit(integers)(x, y), wanted)


@pytest.mark.parametrize("where", [0, 4, 11])
def test_conditions(where):
    x, y = np.linspace(1, 2, 12), np.where(np.arange(12) % 2, 1.0, -1.0)
    same(under_a_condition, x, y)
    x[where] = 0
    same(under_a_condition, x, y)
    y[where] = 0
    same(under_a_condition, x, y)


def test_divisors_that_are_never_zero_are_not_tested():
    x = np.linspace(-1, 1, 21)
    same(never_zero, x)
    same(never_zero, np.zeros(5))
    same(never_zero, np.array([np.nan, 1.0, np.inf])[1:])
    compiled = jit(never_zero)
    compiled(x)
    (text,) = compiled.inspect_ir().values()
    assert "compare_exchange" not in text


def test_indices_that_follow_from_quotients_are_not_used_after_a_failure():
    with pytest.raises(ZeroDivisionError):
        jit(follows_indices)(np.ones(3), np.array([1, 0, -(2**40), 2**40]))


def test_functions_that_divide():
    x, y = np.ones(30), np.linspace(1, 2, 30)
    np.testing.assert_array_equal(jit(by_a_function)(x, y), x / y + 1 / y)
    y[17] = 0
    with pytest.raises(ZeroDivisionError):
        jit(by_a_function)(x, y)
