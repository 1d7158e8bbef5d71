"""Partitions, orders by several keys, complex sorts, searches, repeats and interpolation on a device: the host's bits."""

from __future__ import annotations

import warnings

import numpy
import pytest
import tessera.numpy as np

import tessera
from tessera import _core

DEVICES = ["simulated"] + (["gpu"] if _core.devices() else [])


@pytest.fixture(params=DEVICES, scope="module")
def where(request):
    with tessera.device(request.param):
        yield request.param


def draw(dtype, shape, seed=0, nans=0.0):
    rng = numpy.random.default_rng(seed)
    dtype = numpy.dtype(dtype)
    if dtype.kind in "biu":
        return rng.integers(0, 2 if dtype.kind == "b" else 100, shape).astype(dtype)
    values = rng.standard_normal(shape).round(1)
    values[values == 0] *= numpy.where(rng.random((values == 0).sum()) < 0.5, 1, -1)
    if dtype.kind == "c":
        values = values + 1j * rng.integers(-2, 3, shape)
        for part in (values.real, values.imag):
            part[rng.random(shape) < nans] = numpy.nan
    else:
        values[rng.random(shape) < nans] = numpy.nan
    return values.astype(dtype)


def check(function, *arrays, home=0):
    """The same bits as on the host, and no more bytes brought home than these."""
    results = []
    for device in (None, "cpu"):
        with tessera.device(device) if device else warnings.catch_warnings():
            given = [np.array(a) for a in arrays]
            tessera.synchronize()
            _core.reset_counters()
            result = function(*given)
            tessera.synchronize()
            if not device:
                assert _core.counters().get("bytes_from_device", 0) <= home
            results.append(numpy.asarray(result).copy())
    got, expected = results
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert got.tobytes() == expected.tobytes()
    return expected


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "uint64", "float16", "float32", "float64"])
@pytest.mark.parametrize("shape, axis", [((100_000,), -1), ((300, 400), 0), ((30, 4000), 1)])
@pytest.mark.parametrize("nans", [0.0, 0.0001])
def test_partitions_lie_as_on_the_host(where, dtype, shape, axis, nans):
    values = draw(dtype, shape, nans=nans)
    for kth in (0, 7, [3, 100, 200], [5, -1], list(range(0, 200, 20))):
        parted = check(lambda a: np.partition(a, kth, axis), values, home=16)
        order = check(lambda a: np.argpartition(a, kth, axis), values, home=16)
        assert numpy.array_equal(numpy.take_along_axis(values, order, axis), parted, equal_nan=values.dtype.kind == "f")
        wanted = numpy.take(numpy.sort(values, axis), kth, axis)
        assert numpy.array_equal(numpy.take(parted, kth, axis), wanted, equal_nan=values.dtype.kind == "f")


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("shape, axis", [((50_000,), -1), ((300, 200), 0), ((20, 4000), 1)])
def test_complex_numbers_by_their_parts(where, dtype, shape, axis):
    values = draw(dtype, shape, nans=0.02)
    check(lambda a: np.argsort(a, axis=axis), values)
    ordered = check(lambda a: np.sort(a, axis=axis), values)
    numpy.testing.assert_array_equal(ordered, numpy.sort(values, axis=axis))
    check(lambda a: np.unique(a), values, home=64)


def test_searches_among_complex_numbers_and_by_a_sorter(where):
    keys, wanted = draw("complex128", 40_000, nans=0.01), draw("complex128", 30_000, 3, nans=0.01)
    for side in ("left", "right"):
        places = check(lambda a, v: np.searchsorted(a, v, side), numpy.sort(keys), wanted)
        numpy.testing.assert_array_equal(places, numpy.searchsorted(numpy.sort(keys), wanted, side))
        check(lambda a, v, s: np.searchsorted(a, v, side, s), keys.real, wanted.real, numpy.argsort(keys.real), home=16)
    for wrong in (-1, 40_000):
        sorter = numpy.argsort(keys.real)
        sorter[7] = wrong
        with pytest.raises(ValueError, match="Sorter index out of range"):
            np.searchsorted(np.array(keys.real), np.array(wanted.real), sorter=np.array(sorter))


@pytest.mark.parametrize("shape, axis", [((60_000,), -1), ((200, 500), 0), ((500, 200), 1)])
def test_orders_by_several_keys(where, shape, axis):
    keys = [
        draw("float64", shape, 1, nans=0.01),
        draw("int8", shape, 2),
        draw("bool", shape, 3),
        draw("complex64", shape, 4),
    ]
    for count in (1, 2, 3):
        order = check(lambda *k: np.lexsort(k, axis), *keys[:count])
        numpy.testing.assert_array_equal(order, numpy.lexsort(keys[:count], axis))
    check(lambda *k: np.lexsort(k, axis), *keys)


def test_repeats(where):
    values, counts = draw("float32", (400, 300)), numpy.random.default_rng(5).integers(0, 4, 400)
    for axis, times in ((0, 3), (1, 2), (None, 2), (0, counts)):
        result = check(lambda a: np.repeat(a, times, axis), values, home=16)
        numpy.testing.assert_array_equal(result, numpy.repeat(values, times, axis))
    many = numpy.random.default_rng(6).integers(0, 3, values.size)
    result = check(lambda a, n: np.repeat(a, n), values, many, home=64)
    numpy.testing.assert_array_equal(result, numpy.repeat(values, many))
    for wrong in (-1, counts - 1):
        with pytest.raises(ValueError, match="repeats may not contain negative values"):
            np.repeat(np.array(values), wrong, 0)
    assert np.repeat(np.array(values), 0, 0).shape == (0, 300)


@pytest.mark.parametrize("values", ["float64", "float32", "complex128", "int32"])
def test_interpolation(where, values):
    rng = numpy.random.default_rng(7)
    places = numpy.sort(rng.standard_normal(20_000).round(3))
    heights, at = draw(values, 20_000, 8), rng.standard_normal(50_000) * 2
    at[::100] = places[::40]
    at[5], at[6], at[7] = numpy.nan, numpy.inf, -numpy.inf
    for ends in ({}, {"left": -5.0}, {"right": 7.0, "left": 0.0}):
        got = check(lambda x, p, h: np.interp(x, p, h, **ends), at, places, heights, home=64)
        numpy.testing.assert_allclose(got, numpy.interp(at, places, heights, **ends), rtol=1e-12)
    odd = heights.astype("complex128" if values == "complex128" else "float64")
    odd[::50] = numpy.inf
    check(lambda x, p, h: np.interp(x, p, h), at, places, odd, home=64)
    check(lambda x, p, h: np.interp(x, p, h), at, numpy.array([1.0] * 20_000), heights, home=64)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint32", "int64", "uint64"])
def test_products_of_whole_numbers(where, dtype):
    rng = numpy.random.default_rng(9)

    def whole(*shape):
        most = 2 if dtype == "bool" else min(int(numpy.iinfo(dtype).max), 2**40)
        return rng.integers(0, most, shape).astype(dtype)

    for a, b in (
        (whole(301, 290), whole(290, 305)),
        (whole(5, 130, 140), whole(140, 70)),
        (whole(300, 300), whole(300)),
        (whole(300), whole(300, 300)),
    ):
        result = check(lambda x, y: np.matmul(x, y), a, b)
        numpy.testing.assert_array_equal(result, numpy.matmul(a, b))
    check(lambda x, y: np.dot(x, y), whole(300, 280), whole(280, 290))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_sliding_sums(where, dtype):
    values, taps = draw(dtype, 100_000), draw(dtype, 37, 2)
    for mode in ("valid", "same", "full"):
        check(lambda a, v: np.convolve(a, v, mode), values, taps)
        check(lambda a, v: np.correlate(v, a, mode), values, taps)
