"""Bits of integers: masks beside uint64, and what changes one in place."""

import numpy as np
import pytest

from tessera import njit


def clear(t):
    for k in range(0, 8, 4):
        t &= ~(0xF << k)
    return t


def clear_by_an_expression(t):
    for k in range(0, 8, 4):
        t = t & ~(0xF << k)
    return t


def set_bits(t):
    for k in range(60, 64):
        t = t | (1 << k)
    return t


def toggle(t):
    for k in range(64):
        t ^= 1 << k
    return t


@pytest.mark.parametrize("function", [clear, clear_by_an_expression, set_bits, toggle], ids=lambda one: one.__name__)
@pytest.mark.parametrize("value", [0, 255, 2**40 + 19, 2**63 + 77, 2**64 - 1])
def test_a_number_that_starts_as_uint64_stays_one(function, value):
    wanted = function(value) & (2**64 - 1)
    got = njit(function)(np.uint64(value))
    assert got == wanted


def test_other_integers_beside_uint64_are_as_in_numba():
    @njit
    def both(x, y):
        return x & y, x | y

    assert both(np.uint64(255), -16) == (240, -1)


def test_arrays_are_unpacked():
    @njit
    def two(v):
        a, b = np.array([v, 2.0])
        return a + b

    @njit
    def rows(m):
        (a, b), c = m
        c[0] = 9
        return a * 10 + b

    @njit
    def wrong(x):
        a, b = x
        return a

    assert two(1.0) == 3.0
    m = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert rows(m) == 12.0
    assert m.tolist() == [[1, 2], [9, 4]]
    with pytest.raises(ValueError, match="2 elements"):
        wrong(np.ones(3))


def test_arrays_without_axes_are_stored_at_places():
    @njit
    def store(r, i, j, x):
        r[..., i, j] = x
        r[i, ..., j] = x + np.array(1.0)
        r[..., 0, 0] = np.sum(x, axis=None) * np.array(2.0)
        r[0, 1, ...] = np.array(7.0)
        return r

    r = np.zeros((2, 2))
    assert store(r, 1, 0, np.array(5.0)).tolist() == [[10, 7], [6, 0]]


def by_a_constant(text):
    """A function of divisions by a constant with this text, elementwise and one by one, and the same compiled."""
    names = {"np": np}
    source = (
        f"def f(a, out):\n    for k in range(len(a)):\n        out[0, k] = a[k] // {text}\n        out[1, k] = a[k] % {text}\n"
        f"    out[2] = a // {text}\n    out[3] = a % {text}\n    return out\n"
    )
    exec(source, names)
    return names["f"], njit(source=source)(names["f"])


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64"])
@pytest.mark.parametrize("power", [1, 2, 8, 64, 2**31, 2**62])
def test_divisions_by_powers_of_two_round_down(dtype, power):
    limits = np.iinfo(dtype)
    if power > limits.max:
        return
    rng = np.random.default_rng(power % 1000)
    values = rng.integers(limits.min, limits.max, 67, dtype, endpoint=True)
    values[:4] = limits.min, limits.max, 0, min(power, limits.max)
    function, compiled = by_a_constant(f"np.{dtype}({power})")
    wanted = function(values, np.zeros((4, len(values)), dtype))
    np.testing.assert_array_equal(compiled(values, np.zeros((4, len(values)), dtype)), wanted)


@pytest.mark.parametrize("power", [-1, -8, -(2**62), -(2**63)])
def test_divisions_by_negative_powers_of_two_round_down(power):
    values = np.array([0, 1, -1, 7, 8, -8, -9, 2**62, -(2**62), 2**63 - 1, -(2**63) + 1])
    function, compiled = by_a_constant(f"np.int64({power})")
    wanted = function(values, np.zeros((4, len(values)), "int64"))
    np.testing.assert_array_equal(compiled(values, np.zeros((4, len(values)), "int64")), wanted)
