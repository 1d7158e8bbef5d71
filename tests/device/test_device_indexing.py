"""Writes and reads by index on a device: the host's bits, and nothing brought home that nobody looks at."""

from __future__ import annotations

import numpy
import pytest
import tessera.numpy as np

import tessera
from tessera import _core

DEVICES = ["simulated"] + (["gpu"] if _core.devices() else [])


@pytest.fixture(params=DEVICES)
def where(request):
    with tessera.device(request.param):
        yield request.param


def stays(function, *arrays):
    """The function's result on the device's arrays, of which none goes home."""
    given = [np.array(a) for a in arrays]
    tessera.synchronize()
    _core.reset_counters()
    result = function(np, *given)
    tessera.synchronize()
    assert _core.counters().get("bytes_from_device", 0) < 64
    return numpy.asarray(given[0] if result is None else result)


def check(function, *arrays):
    got = stays(function, *arrays)
    copies = [a.copy() for a in arrays]
    expected = function(numpy, *copies)
    expected = copies[0] if expected is None else expected
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert got.tobytes() == expected.tobytes()


RNG = numpy.random.default_rng(8)
LINE, PLANE = RNG.standard_normal(100_000), RNG.standard_normal((400, 300))
DTYPES = ["bool", "int8", "float16", "int32", "float32", "int64", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_last_of_equal_indices_wins(where, dtype):
    values = RNG.integers(0, 2 if dtype == "bool" else 100, 30_000).astype(dtype)

    def write(xp, a, i, v):
        a[i] = v

    check(write, RNG.integers(0, 2, 100_000).astype(dtype), RNG.integers(-100_000, 100_000, 30_000), values)
    check(
        write,
        RNG.integers(0, 2, (900, 90)).astype(dtype),
        RNG.integers(-900, 900, 30_000).reshape(100, 300)[:, :90].copy(),
        values[:90],
    )


def test_writes_by_one_index_an_axis(where):
    i, j = RNG.integers(-400, 400, (70, 1)), RNG.integers(0, 300, 90)

    def write(xp, a, i, j, v):
        a[i, j] = v

    check(write, PLANE, i, j, RNG.standard_normal((70, 90)))
    check(write, PLANE, i, j, numpy.float64(3.5))
    check(write, RNG.standard_normal((30, 40, 50)), i % 30, j % 40, RNG.standard_normal((90, 50)))
    check(lambda xp, a, i, j: a[i, j], PLANE, i, j)
    check(lambda xp, a, i, j: a[i, j], RNG.standard_normal((30, 40, 50)), i % 30, j % 40)


def test_writes_through_a_view(where):
    def write(xp, a, i, v):
        a[::2, 1:][i] = v

    check(write, PLANE, RNG.integers(0, 200, 80), RNG.standard_normal((80, 299)))


def test_a_copy_keeps_what_it_saw(where):
    def write(xp, a, i):
        b = a.copy()
        a[i] = 7.0
        return b

    check(write, LINE, RNG.integers(0, 100_000, 9_000))


def test_writes_by_mask(where):
    def write(xp, a, m, v):
        a[m] = v

    for data in (LINE, PLANE, PLANE.T.copy(), (PLANE * 9).astype("i2")):
        mask = data > 0.5
        check(write, data, mask, RNG.integers(0, 50, mask.sum()).astype(data.dtype))
        check(write, data, mask, numpy.array([4], data.dtype))
    with pytest.raises(ValueError, match="cannot assign 3 input values to the"):
        np.array(LINE)[np.array(LINE > 0)] = np.ones(3)


def test_put_repeats_its_values(where):
    check(lambda xp, a, i, v: xp.put(a, i, v), PLANE, RNG.integers(-120_000, 120_000, 5_000), RNG.standard_normal(7))
    check(lambda xp, a, i, v: xp.put(a, i, v), LINE, RNG.integers(0, 40_000, 50_000), RNG.standard_normal(50_000))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_elements_along_an_axis(where, axis):
    cube = RNG.standard_normal((40, 50, 30))
    shape = list(cube.shape)
    shape[axis] = 60
    indices = RNG.integers(-cube.shape[axis], cube.shape[axis], shape)
    check(lambda xp, a, i: xp.take_along_axis(a, i, axis), cube, indices)
    check(lambda xp, a, i, v: xp.put_along_axis(a, i, v, axis), cube, indices, RNG.standard_normal(shape))
    order = numpy.argsort(cube, axis=axis, kind="stable")
    check(lambda xp, a: xp.take_along_axis(a, xp.argsort(a, axis=axis), axis), cube)
    assert numpy.array_equal(numpy.take_along_axis(cube, order, axis), numpy.sort(cube, axis=axis))


def test_indices_out_of_range_write_nothing(where):
    a = np.array(LINE)
    with pytest.raises(IndexError, match="index 100000 is out of bounds for axis 0 with size 100000"):
        a[np.array(numpy.full(20_000, 100_000))] = 1.0
    with pytest.raises(IndexError):
        np.array(PLANE)[np.array(numpy.zeros(20_000, "i8")), np.array(numpy.full(20_000, 300))] = 1.0
    assert numpy.array_equal(numpy.asarray(a), LINE)


def bytes_home(function):
    tessera.synchronize()
    _core.reset_counters()
    result = function()
    return result, _core.counters().get("bytes_from_device", 0)


def test_reading_one_element_copies_it_alone(where):
    values = RNG.standard_normal((600, 700))
    a = np.array(values) * 1.0
    for read in (
        lambda x: x[17, 23],
        lambda x: x.item(4321),
        lambda x: float(x[5, 6]),
        lambda x: x[3, 4:9].tolist(),
        lambda x: repr(x[7, :5]),
        lambda x: x[9, ::-1][:4].tobytes(),
    ):
        got, copied = bytes_home(lambda: read(a))
        assert got == read(values) or "array" in got
        assert 0 < copied <= 5600
    assert repr(a[7, :5]) == repr(values[7, :5])


def test_reading_all_elements_one_by_one_brings_the_array_home(where):
    values = RNG.standard_normal(200_000)
    a = np.array(values) * 1.0
    got, copied = bytes_home(lambda: [a[k] for k in range(0, 200_000, 100)])
    assert got == values[::100].tolist()
    assert copied < 2 * a.nbytes


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "uint32", "int64", "float64", "complex128"])
def test_what_is_not_zero(where, dtype):
    line = RNG.integers(0, 2, 100_003).astype(dtype)
    line[RNG.integers(0, line.size, 5)] = -0.0
    if line.dtype.kind == "f":
        line[7] = numpy.nan
    check(lambda xp, a: xp.nonzero(a)[0], line)
    cube = line[:97_920].reshape(40, 34, 72)
    for axis in range(3):
        check(lambda xp, a, k=axis: xp.nonzero(a)[k], cube)
    assert stays(lambda xp, a: numpy.asarray(xp.count_nonzero(a)), line) == numpy.count_nonzero(line)
    check(lambda xp, a: xp.nonzero(a)[0], numpy.zeros(100_000, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_and_rows_by_mask(where, dtype):
    line, mask = RNG.integers(0, 2, 100_003).astype(dtype), RNG.random(100_003) < 0.3
    check(lambda xp, a, m: a[m], line, mask)
    check(lambda xp, a, m: a[m], line[:98_000].reshape(700, 140), mask[:98_000].reshape(700, 140))
    check(lambda xp, a, m: xp.compress(m, a, 0), numpy.tile(line[:98_000], 8).reshape(700, 1120), mask[:700])
    check(lambda xp, a, m: a[m], line, numpy.zeros(100_003, bool))
    check(lambda xp, a, m: a[m], line, numpy.ones(100_003, bool))

    def write(xp, a, m, v):
        a[m] = v

    check(write, line, mask, RNG.integers(0, 2, int(mask.sum())).astype(dtype))
