"""Sorts on a device: the host's bits for every dtype, shape and axis."""

from __future__ import annotations

import numpy
import pytest
import tessera.numpy as np

import tessera
from tessera import _core

DEVICES = ["simulated"] + (["gpu"] if _core.devices() else [])
DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
]


@pytest.fixture(params=DEVICES)
def where(request):
    with tessera.device(request.param):
        yield request.param


def draw(dtype, shape, seed=0):
    """Elements of all sizes with many equal ones; floats with both zeros, infinities and NaNs of both signs."""
    rng = numpy.random.default_rng(seed)
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.4
    if dtype.kind in "iu":
        bits = rng.integers(0, 256, (*shape, dtype.itemsize), dtype="u1").view(dtype)[..., 0]
        return numpy.where(rng.random(shape) < 0.5, bits, (bits % 100).astype(dtype))
    values = (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).round(2).astype(dtype)
    for special in (0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, -numpy.nan):
        values[rng.random(shape) < 0.01] = special
    return values


def on_cpu(function, *args, **names):
    with tessera.device("cpu"):
        return numpy.asarray(function(*(np.array(a) for a in args), **names)).copy()


def check(function, values, **names):
    array = np.array(values) if function is np.argsort else np.array(values)
    tessera.synchronize()
    _core.reset_counters()
    got = function(array, **names)
    tessera.synchronize()
    assert _core.counters().get("copies_from_device", 0) == 0
    expected = on_cpu(function, values, **names)
    got = numpy.asarray(got)
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape, axis",
    [((70_001,), -1), ((3, 30_000), -1), ((700, 150), -1), ((150, 700), 0), ((40, 1_000, 3), 1), ((50, 4_097), 1)],
)
def test_sorts_have_the_bits_of_the_host(where, dtype, shape, axis):
    values = draw(dtype, shape)
    check(np.sort, values, axis=axis)
    check(np.argsort, values, axis=axis)


@pytest.mark.parametrize("n", [16_385, 20_480, 65_536, 131_072 + 7])
def test_sorts_at_the_edges_of_tiles(where, n):
    for values in (
        draw("float32", (n,), n),
        numpy.zeros(n, "f4"),
        numpy.arange(n, dtype="f4")[::-1],
        numpy.full(n, numpy.nan, "f4"),
    ):
        check(np.sort, values)
        check(np.argsort, values)


def test_many_more_keys_than_a_tile_holds(where):
    n = 600_000 if where == "simulated" else 30_000_000
    values = draw("float32", (n,), 5)
    check(np.sort, values)
    check(np.argsort, values)


@pytest.mark.parametrize("dtype", DTYPES)
def test_places_among_sorted_elements(where, dtype):
    ordered, wanted = numpy.sort(draw(dtype, (70_000,), 2)), draw(dtype, (90, 1_000), 3)
    for side in ("left", "right"):
        with tessera.device("cpu"):
            expected = numpy.asarray(np.searchsorted(np.array(ordered), np.array(wanted), side)).copy()
        assert numpy.array_equal(numpy.asarray(np.searchsorted(np.array(ordered), np.array(wanted), side)), expected)


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_order_statistics_have_the_bits_of_the_host(where, dtype):
    values = draw(dtype, (300, 500), 4)
    for data in (values, numpy.nan_to_num(values)):
        for function in (
            lambda a: np.median(a, axis=0),
            lambda a: np.percentile(a, [3, 50.5, 99], axis=1),
            lambda a: np.quantile(a, 0.3),
            lambda a: np.unique(a),
        ):
            with numpy.errstate(all="ignore"):
                expected = on_cpu(function, data)
                got = numpy.asarray(function(np.array(data)))
            assert got.dtype == expected.dtype and got.shape == expected.shape
            nan = numpy.isnan(expected)
            assert numpy.array_equal(nan, numpy.isnan(got)) and got[~nan].tobytes() == expected[~nan].tobytes()
