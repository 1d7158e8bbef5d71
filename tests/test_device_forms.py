"""Shapes and operations that have kernels of a form of their own on a device: short rows, narrow transposes, divisions by one number."""

from __future__ import annotations

import numpy
import pytest

import tessera.numpy as np
from device_bits import on_cpu, same_bits, where  # noqa: F401


@pytest.mark.parametrize("dtype", ["f8", "f4", "i1", "c16"])
@pytest.mark.parametrize("n", [2, 7, 10, 15, 16, 31])
def test_short_rows_and_columns_are_turned(where, n, dtype):
    values = (numpy.random.default_rng(n).random((3, 7_001, n)) * 100).astype(dtype)

    def program():
        a = np.array(values)
        turned = [a[0].T.copy(), a[0].T.copy().T.copy(), a.transpose(0, 2, 1) * a.dtype.type(2), a[1].T + a[2].T[:, ::-1]]
        return np.concatenate([x.ravel() for x in turned])

    same_bits(program(), on_cpu(program))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize("n", [2, 3, 10, 31])
def test_short_rows_go_together(where, n, dtype):
    values = (numpy.random.default_rng(n).random((20_004, n)) * 100 + 1).astype(dtype)

    def program():
        a = np.array(values)
        with np.errstate(all="ignore"):
            rows = [a - a[5], a / a[:, :1], a[::2, ::-1] * a[1::2], np.repeat(a[:, 0], n).reshape(a.shape) + a]
        return np.concatenate([x.ravel() for x in rows])

    same_bits(program(), on_cpu(program))


def numbers_of_every_kind(count):
    rng = numpy.random.default_rng(11)
    numbers = rng.integers(0, 2**64, count, dtype="u8", endpoint=False).view("f8")
    numbers[::3] = rng.normal(size=numbers[::3].shape)
    numbers[1::97] = 0.0
    numbers[2::97] = -0.0
    numbers[3::97] = numpy.inf
    return numbers


@pytest.mark.parametrize("divisor", [3.0, -7.5, 2.0**-1000, 2.0**1020, 5e-324, 0.0, -0.0, numpy.inf, numpy.nan, 1e-17])
def test_division_by_one_number(where, divisor):
    values = numbers_of_every_kind(50_000)

    def program():
        a = np.array(values)
        with np.errstate(all="ignore"):
            return np.concatenate([a / divisor, (a / divisor + a / 3.0) / -0.7])

    same_bits(program(), on_cpu(program))


def test_roots_of_floats(where):
    values = numpy.random.default_rng(12).integers(0, 2**32, 100_000, dtype="u4").view("f4")

    def program():
        with np.errstate(all="ignore"):
            return np.sqrt(np.array(values))

    same_bits(program(), on_cpu(program))


@pytest.mark.parametrize("bins", [1, 10, 777])
def test_histograms_of_one_width(where, bins):
    values = numpy.random.default_rng(13).normal(size=50_000)
    for a, bounds in ((values, None), (values, (-1.0, 0.25)), (numpy.linspace(0, 1, 50_000), None), (values.astype("f4"), None)):
        counts, edges = np.histogram(np.array(a), bins, bounds)
        expected = numpy.histogram(a, bins, bounds)
        numpy.testing.assert_array_equal(counts, expected[0])
        numpy.testing.assert_array_equal(edges, expected[1])
