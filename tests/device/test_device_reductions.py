"""Folds, running folds and places of extremes on a device: the host's bits, without a way home."""

from __future__ import annotations

import time
import warnings

import numpy
import pytest
import tessera.numpy as np
from device_bits import SIZE, home_again, on_cpu, same_bits, where  # noqa: F401

import tessera
from tessera import _core


@pytest.mark.parametrize("shape", [(SIZE,), (300, 200), (7, 90, 80), (70_000, 3), (2, 40_000)])
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "std", "any", "all"])
def test_folds_have_the_bits_of_the_host(where, name, shape):
    rng = numpy.random.default_rng(5)
    for dtype in ("float64", "float32", "int32", "complex128", "bool"):
        if dtype == "complex128" and name in ("max", "min"):
            continue
        values = (rng.random(shape) * 2 - 1).astype(dtype) if dtype != "bool" else rng.random(shape) < 0.999
        for axis in (None, *range(len(shape)), tuple(range(len(shape)))[1:] or None):

            def program():
                return getattr(np, name)(np.array(values) + values.dtype.type(0), axis=axis)

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                same_bits(program(), on_cpu(program))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ["sum", "mean", "prod"])
def test_folds_of_complex_numbers_have_the_bits_of_the_host_wherever_they_lie(where, name, dtype):
    rng = numpy.random.default_rng(11)
    parts = (rng.random(2 * 90_002) - 0.5).astype(
        dtype.replace("complex128", "float64").replace("complex64", "float32")
    )
    layouts = {
        "in a row": lambda x: x[:90_000].reshape(300, 300),
        "rows of 20000": lambda x: x[:80_000].reshape(4, 20_000),
        "every other one": lambda x: x[:90_000].reshape(300, 300)[::2, ::3],
        "backwards": lambda x: x[:90_000].reshape(300, 300)[::-1, ::-1],
        "turned": lambda x: x[:90_000].reshape(600, 150).T,
        "the same for all": lambda x: np.broadcast_to(x[:300], (200, 300)),
        "one for a row": lambda x: np.broadcast_to(x[:300, None], (300, 200)),
        "nothing": lambda x: x[:0].reshape(0, 5),
        "three axes": lambda x: x[:90_000].reshape(30, 50, 60)[1:, ::-1, 2:],
    }
    for label, layout in layouts.items():
        for first in (0, 1):  # part of an element, so that elements lie at odd places

            def program(axis, first=first, layout=layout):
                x = np.array(parts) * parts.dtype.type(1)
                return getattr(np, name)(layout(x[first : first + 2 * 90_000].view(dtype)), axis=axis)

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for axis in (None, 0, 1):
                    same_bits(program(axis), on_cpu(program, axis))


@pytest.mark.parametrize("n", [8_193, 33_000, 1_000_003])
@pytest.mark.parametrize("name", ["sum", "prod", "max", "mean"])
def test_a_whole_fold_is_one_launch_with_the_bits_of_the_host(where, name, n):
    values = 1 + (numpy.random.default_rng(n).random(n) - 0.5) / 50
    array = np.array(values) * 1.0
    expected = on_cpu(lambda: getattr(np.array(values) * 1.0, name)())

    def launches():
        result, counters = home_again(lambda: getattr(array, name)())
        same_bits(result, expected)
        return counters["device_launches"]

    # Its lean form joins the chunks in another one, and divides in a third.
    deadline = time.monotonic() + 60
    assert launches() <= (3 if name == "mean" else 2)
    while launches() > 1:
        assert time.monotonic() < deadline
    for _ in range(12):  # the first ones are brought home by the driver
        assert launches() == 1


def in_its_best_form(fold):
    """Runs it until what its launch can do is in one launch."""
    deadline = time.monotonic() + 60
    launches = 2
    while launches > 1:
        assert time.monotonic() < deadline
        before = _core.counters()["device_launches"]
        kept = fold()
        tessera.synchronize()
        launches = _core.counters()["device_launches"] - before
    return kept


def test_what_is_made_of_a_whole_fold_is_in_its_launch(where):
    values = numpy.random.default_rng(8).random(200_000)
    array = np.array(values) * 1.0

    def program(x):
        return np.sqrt(x.sum() * 0.5) / 3.0

    result = in_its_best_form(lambda: program(array))
    same_bits(result, on_cpu(lambda: program(np.array(values) * 1.0)))
    zeros = array * 0.0
    tessera.synchronize()
    with pytest.warns(RuntimeWarning, match="invalid value"):
        in_its_best_form(lambda: 0.0 / zeros.sum())
        assert numpy.isnan(float(0.0 / zeros.sum()))


def test_a_fold_begins_early_unless_its_operand_was_just_written(where):
    values = numpy.random.default_rng(9).random(1_000_000)
    array, other = np.array(values) * 1.0, np.array(values) * 2.0
    in_its_best_form(array.sum)
    in_its_best_form(other.sum)
    expected = on_cpu(lambda: (np.array(values) * 1.0).sum())

    def early(*steps):
        tessera.synchronize()
        before = _core.counters()["device_early_launches"]
        kept = []
        for step in steps:
            kept.append(step())
            _core.flush()
        return kept, _core.counters()["device_early_launches"] - before

    kept, count = early(*[array.sum] * 5, other.sum)
    assert count >= 5
    for total in kept[:5]:
        same_bits(total, expected)
    writes = array.__iadd__
    _, count = early(lambda: writes(0.0), array.sum, lambda: writes(0.0), array.sum)
    assert count == 0


SCANS = [
    ("float64", (100_000,), 0),
    ("float32", (70_001,), 0),
    ("float64", (300, 700), 0),
    ("float64", (300, 700), 1),
    ("float32", (9_000, 30), 0),
    ("float64", (2, 20_000), 1),
    ("float64", (4, 9_001, 3), 1),
    ("int32", (50_000,), 0),
    ("complex128", (70_001,), 0),
    ("complex64", (20, 900), 1),
    ("complex64", (900, 20), 0),
    ("float16", (30_000,), 0),
    ("float64", (50,), 0),
    ("float64", (257 * 256 * 256 // 60,), 0),
    ("float32", (256**3 + 70_000,), 0),
    ("bool", (60_000,), 0),
    ("float32", (40, 25_600), 1),
    ("int16", (300, 512), 1),
    ("uint8", (400, 256), 1),
    ("int64", (40, 50, 60), 1),
    ("float64", (20, 900), None),
]


@pytest.mark.parametrize("dtype, shape, axis", SCANS)
def test_running_folds_stay_on_the_device(where, dtype, shape, axis):
    rng = numpy.random.default_rng(3)
    values = rng.random(shape) < 0.5 if dtype == "bool" else (rng.standard_normal(shape) * 100).astype(dtype)

    def program():
        return np.cumsum(np.array(values), axis=axis)

    same_bits(program(), on_cpu(program))
    same_bits(np.cumprod(np.array(values[:64] * 0 + 1), axis=axis), numpy.cumprod(values[:64] * 0 + 1, axis=axis))
    array = np.array(values) + values.dtype.type(0)
    tessera.synchronize()
    _, counters = home_again(lambda: np.cumsum(array, axis=axis))
    assert counters.get("copies_from_device", 0) == 0


@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 1), (1, 2), (0, 2), (0, 1, 2)])
def test_sums_of_expressions_have_the_bits_of_sums_of_what_is_stored(where, axis):
    values = numpy.random.default_rng(5).standard_normal((40, 33, 70)) * 80
    expressions = [
        lambda a: a[::2, ::2, ::2] - 1.5,
        lambda a: a[:, ::-1, ::-1] * 3.0,
        lambda a: a[1:, :, 1:] - a[:-1, :, :-1],
        lambda a: a * a[0, :, :1],
        lambda a: a.T[1:] * 0.1,
        lambda a: a[:33, :, :33] - a[:33, :, :33].transpose(2, 1, 0),
        lambda a: a * 1.1,
    ]
    for expression in expressions:
        stored = expression(np.array(values))
        numpy.asarray(stored)
        for fold in (np.sum, np.mean, np.var):
            same_bits(fold(expression(np.array(values)), axis=axis), on_cpu(lambda: fold(np.array(stored), axis=axis)))


@pytest.mark.parametrize("shape", [(1, 4_000_000), (2, 3, 70_001), (300, 701)])
def test_running_folds_down_columns_read_narrow_elements_where_they_lie(where, shape):
    values = numpy.random.default_rng(4).integers(-3, 4, numpy.prod(shape) + 1).astype("i1")

    def program():
        return np.cumsum(np.array(values)[1:].reshape(shape), axis=0)

    same_bits(program(), numpy.cumsum(values[1:].reshape(shape), axis=0))
    same_bits(program(), on_cpu(program))


def test_short_running_folds_of_what_is_on_the_device_stay_there(where):
    values = numpy.random.default_rng(2).random((60, 700))

    def program():
        return np.cumsum((np.array(values) * 1.0).sum(axis=1))

    same_bits(program(), on_cpu(program))
    sums = (np.array(values) * 1.0).sum(axis=1)
    _, counters = home_again(lambda: np.cumsum(sums))
    assert counters.get("copies_from_device", 0) == 0


@pytest.mark.parametrize("name", ["minimum", "maximum", "add", "multiply"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "int8", "complex128"])
@pytest.mark.parametrize("shape, axis", [((100_001,), 0), ((40, 9_001), 1), ((9_001, 40), 0)])
def test_accumulating_stays_on_the_device(where, name, dtype, shape, axis):
    if dtype == "complex128" and name in ("minimum", "maximum"):
        pytest.skip("ordered on the host")
    rng = numpy.random.default_rng(8)
    values = (rng.standard_normal(shape) * 3 if dtype != "int8" else rng.integers(-100, 100, shape)).astype(dtype)
    if values.dtype.kind == "f" and name != "multiply":
        values.flat[::7] *= 0  # zeros of both signs
        values.flat[len(values.flat) * 3 // 4] = numpy.nan

    def program():
        array = np.array(values) + values.dtype.type(0)
        with np.errstate(all="ignore"):
            return getattr(np, name).accumulate(array, axis=axis)

    same_bits(program(), on_cpu(program))
    array = np.array(values) + values.dtype.type(0)
    tessera.synchronize()
    _, counters = home_again(lambda: getattr(np, name).accumulate(array, axis=axis))
    assert counters.get("copies_from_device", 0) == 0


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8", "uint64", "bool"])
@pytest.mark.parametrize(
    "shape, axis",
    [
        ((100_001,), 0),
        ((3, 70_000), 1),
        ((300, 400), 0),
        ((300, 400), 1),
        ((300, 400), None),
        ((5, 7_000, 9), 1),
        ((70_000, 3), 0),
    ],
)
def test_places_of_extremes_are_found_on_the_device(where, dtype, shape, axis):
    rng = numpy.random.default_rng(4)
    values = (rng.integers(0, 100, shape) % (2 if dtype == "bool" else 100)).astype(dtype)
    variants = [values]
    if values.dtype.kind == "f":
        holes = values.copy()
        holes[rng.random(shape) < 0.001] = numpy.nan
        variants.append(holes)
    for data in variants:
        array = np.array(data)
        for name in ("argmax", "argmin"):
            same_bits(getattr(np, name)(array, axis=axis), getattr(numpy, name)(data, axis=axis))
    array = np.array(values)
    _, counters = home_again(lambda: array.argmax(axis=0))
    assert counters.get("copies_from_device", 0) <= (len(shape) == 1)  # a place alone is a Python number


ZEROS = {"maximum": False, "minimum": True, "fmax": False, "fmin": True}  # whether -0 is the one kept


def scanned_as_integers(name, values, axis):
    """What the name's accumulate gives where -0 is less than +0, by NumPy's integers in the floats' order."""
    bits = values.view(f"i{values.itemsize}")
    extreme = numpy.maximum if name.endswith("max") or name == "maximum" else numpy.minimum
    order = bits ^ ((bits >> (8 * values.itemsize - 1)) & numpy.iinfo(bits.dtype).max)
    order = extreme.accumulate(order, axis=axis)
    return (order ^ ((order >> (8 * values.itemsize - 1)) & numpy.iinfo(bits.dtype).max)).view(values.dtype)


def both_zeros(shape, dtype, sign):
    rng = numpy.random.default_rng(23)
    values = (sign * abs(rng.standard_normal(shape))).astype(dtype)
    values[rng.random(shape) < 0.3] = 0.0
    values[rng.random(shape) < 0.3] = -0.0
    return values


@pytest.mark.parametrize("shape", [(7,), (300,), (20_011,), (300_007,), (1009, 97), (97, 1009), (3, 20_003)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", list(ZEROS))
def test_scans_for_extremes_keep_the_same_zero_wherever_they_run(where, name, dtype, shape):
    values = both_zeros(shape, dtype, 1 if ZEROS[name] else -1)
    for layout in (lambda x: x, lambda x: x[::-1], lambda x: x.T, lambda x: x[..., ::2]):
        for axis in range(len(shape)):

            def program():
                return getattr(np, name).accumulate(layout(np.array(values)), axis=axis)

            expected = scanned_as_integers(name, numpy.ascontiguousarray(layout(values)), axis)
            same_bits(program(), expected)
            same_bits(on_cpu(program), expected)

            def last():
                return getattr(np, name).reduce(layout(np.array(values)), axis=axis)

            same_bits(last(), numpy.take(expected, -1, axis=axis))
            same_bits(on_cpu(last), numpy.take(expected, -1, axis=axis))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", list(ZEROS))
def test_scans_for_extremes_treat_nan_as_numpy(where, name, dtype):
    for sign in (1, -1):
        values = both_zeros((SIZE,), dtype, sign)
        for first in (numpy.nan, -numpy.nan, 1):
            values[[0, 700, 30_000]] = first, numpy.nan, -numpy.nan

            def program():
                return getattr(np, name).accumulate(np.array(values))

            numpy.testing.assert_array_equal(program(), getattr(numpy, name).accumulate(values))
            same_bits(program(), on_cpu(program))


@pytest.mark.parametrize("name", ["argmax", "argmin", "nanargmax", "nanargmin"])
def test_the_first_of_both_zeros_is_the_extreme(where, name):
    for dtype in ("float16", "float32", "float64"):
        for sign in (1, -1):
            values = both_zeros((300, 301), dtype, sign)
            for axis in (None, 0, 1):
                got = getattr(np, name)(np.array(values), axis=axis)
                numpy.testing.assert_array_equal(got, getattr(numpy, name)(values, axis=axis))
