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
        turned = [
            a[0].T.copy(),
            a[0].T.copy().T.copy(),
            a.transpose(0, 2, 1) * a.dtype.type(2),
            a[1].T + a[2].T[:, ::-1],
        ]
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
    for a, bounds in (
        (values, None),
        (values, (-1.0, 0.25)),
        (numpy.linspace(0, 1, 50_000), None),
        (values.astype("f4"), None),
    ):
        counts, edges = np.histogram(np.array(a), bins, bounds)
        expected = numpy.histogram(a, bins, bounds)
        numpy.testing.assert_array_equal(counts, expected[0])
        numpy.testing.assert_array_equal(edges, expected[1])


@pytest.mark.parametrize("shape", [(2050, 2305), (300, 20_011)])
def test_stencils_go_down_columns(where, shape):
    """Several rows a thread, of which the last are computed twice where they do not come out even."""
    rng = numpy.random.default_rng(shape[0])
    start, source = rng.random(shape), rng.random(shape)
    start[5, 7], start[-3, -3], start[shape[0] // 2, 100] = 0.0, -0.0, numpy.inf

    def heat():
        a = np.array(start)
        center, north, south, east, west = a[1:-1, 1:-1], a[:-2, 1:-1], a[2:, 1:-1], a[1:-1, 2:], a[1:-1, :-2]
        for _ in range(4):
            center[:] = 0.2 * (center + north + east + west + south)
        return a

    def pressure():
        p, b = np.array(start), np.array(source)
        for _ in range(4):
            pn = p.copy()
            p[1:-1, 1:-1] = (
                (pn[1:-1, 2:] + pn[1:-1, :-2]) * 0.3 + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * 0.7
            ) / 2.5 - 0.01 * b[1:-1, 1:-1]
            p[:, -1] = p[:, -2]
        return p

    def denormal():
        p = np.array(source) * 1e-308
        return (p[2:, 1:-1] + p[:-2, 1:-1] - p[1:-1, 2:]) / 3.0

    def turned_and_far():
        a, b = np.array(source)[::-1], np.array(source)
        near = a[2:, 1:-1] * 2.0 - a[:-2, 1:-1] + a[1:-1, :-2] * a[1:-1, 1:-1]
        return near[1:-1, 1:-1] + b[4:, 2:-2] - b[:-4, 2:-2] + b[2:-2, 4:] + b[2:-2, :-4]

    for program in (heat, pressure, denormal, turned_and_far):
        with np.errstate(all="ignore"):
            same_bits(program(), on_cpu(program))


def test_events_are_noticed_down_columns(where):
    a = np.array(numpy.random.default_rng(1).random((2050, 2305)))
    a[1000, 2000] = numpy.inf
    with np.errstate(all="raise"):
        with pytest.raises(FloatingPointError, match="invalid value encountered in subtract"):
            float((a[2:] - a[:-2] + (a[1:-1] - a[1:-1]))[0, 0])
