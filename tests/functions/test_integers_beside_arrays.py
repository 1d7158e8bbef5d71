"""Arrays of floating-point numbers keep their type beside integers that are no arrays, as in NumPy and Numba."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tessera


@tessera.jit
def combined(a, k):
    return a + k, k - a, a * k, a / k, a // k, a % k, numpy.maximum(a, k), a > k


@tessera.jit
def raised(a, k):
    return a**2, a**k, numpy.power(a, 3), (a * 2 + 1) / 4


@tessera.jit
def complex_combined(a, k):
    return a + k, k - a, a * k, a / k, a**2


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from(["f4", "f8"]), st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=9),
    st.integers(-9, 9).filter(bool), st.booleans(),
)  # fmt: skip
def test_integers_are_computed_as_the_array_is(dtype, values, k, strided):
    a = numpy.repeat(numpy.array(values, dtype), 2)[::2] if strided else numpy.array(values, dtype)
    for got, wanted in zip(combined(a, k), combined.py_func(a, k), strict=True):
        assert got.dtype == wanted.dtype
        numpy.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_powers(dtype):
    a = numpy.linspace(0.5, 3, 7).astype(dtype)
    for got, wanted in zip(raised(a, 3), raised.py_func(a, 3), strict=True):
        assert got.dtype == wanted.dtype
        numpy.testing.assert_allclose(got, wanted, rtol=4 * numpy.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_numbers(dtype):
    a = (numpy.arange(1, 6) * (1 + 0.5j)).astype(dtype)
    for got, wanted in zip(complex_combined(a, 3), complex_combined.py_func(a, 3), strict=True):
        assert got.dtype == wanted.dtype
        numpy.testing.assert_allclose(got, wanted, rtol=8 * numpy.finfo(dtype).eps)


def test_a_variable_stays_an_array_of_float32_in_a_loop():
    @tessera.jit
    def moved(q, steps):
        for _ in range(steps):
            q = q * 2 - q**2 / 4
        return q

    q = numpy.array([0.25, 0.5], numpy.float32)
    assert moved(q, 3).dtype == numpy.float32
    numpy.testing.assert_allclose(moved(q, 3), moved.py_func(q, 3), rtol=1e-6)


def test_floats_and_arrays_of_integers_widen_it():
    @tessera.jit
    def widened(a, i, x):
        return a * x, a * i, i * 2, numpy.ldexp(a, 2)

    a, i = numpy.ones(3, numpy.float32), numpy.arange(3)
    # As Numba: a float that is no array is a float64 like others.
    assert [result.dtype.name for result in widened(a, i, 2.0)] == ["float64", "float64", "int64", "float32"]
