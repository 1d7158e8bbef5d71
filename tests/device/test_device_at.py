"""ufunc.at, bincount and histogram on a device: NumPy's bits and warnings, whatever is named how often."""

from __future__ import annotations

import warnings

import numpy
import pytest
import tessera.numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import tessera
from tessera import _core

DEVICES = ["simulated"] + (["gpu"] if _core.devices() else [])
OPS = [
    "add",
    "subtract",
    "multiply",
    "maximum",
    "minimum",
    "fmax",
    "logaddexp",
    "hypot",
    "arctan2",
    "bitwise_xor",
    "logical_or",
    "left_shift",
]
DTYPES = [
    "bool",
    "int8",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@pytest.fixture(params=DEVICES, scope="module")
def where(request):
    with tessera.device(request.param):
        yield request.param


def draw(rng, dtype, size):
    dtype = numpy.dtype(dtype)
    if dtype.kind in "fc":
        values = (rng.standard_normal(size) * 10.0 ** rng.integers(-3, 4, size)).astype(dtype)
        for special in (0.0, -0.0, numpy.inf, numpy.nan):
            values[rng.random(size) < 0.0005] = special
        return values
    return rng.integers(0, 2 if dtype.kind == "b" else 60, size).astype(dtype)


def both(function, *arrays, watched=True):
    """What the function does to the first array, and what it warns of: NumPy's, and ours with nothing brought home."""
    results = []
    for xp in (numpy, np):
        given = [xp.array(a) if isinstance(a, numpy.ndarray) else a for a in arrays]
        tessera.synchronize()
        _core.reset_counters()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                function(xp, *given)
            except (TypeError, ValueError) as error:
                results.append((type(error), str(error)))
                continue
            tessera.synchronize()
        if xp is np:
            assert _core.counters().get("bytes_from_device", 0) < 64
        results.append((numpy.asarray(given[0]), sorted({str(w.message) for w in said if watched})))
    return results


def same(got, expected):
    if isinstance(expected[0], type):
        assert got == expected
        return
    (a, said), (b, wanted) = got, expected
    assert said == wanted and a.dtype == b.dtype
    if a.dtype.kind in "fc":  # NaNs are one
        a, b = (numpy.nan_to_num(x, nan=7.0, posinf=numpy.inf, neginf=-numpy.inf) + x.dtype.type(0) for x in (a, b))
        numpy.testing.assert_array_equal(a, b)
    else:
        assert a.tobytes() == b.tobytes()


EXACT = {"add", "subtract", "multiply", "maximum", "minimum", "fmax", "bitwise_xor", "logical_or", "left_shift"}


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    op=st.sampled_from(OPS),
    dtype=st.sampled_from(DTYPES),
    seed=st.integers(0, 10**6),
    distinct=st.sampled_from([1, 7, 5000, 90_000]),
    one=st.booleans(),
    other=st.sampled_from([None, "int8", "float64"]),
)
def test_at(where, op, dtype, seed, distinct, one, other):
    rng = numpy.random.default_rng(seed)
    target, places = draw(rng, dtype, 90_000), rng.integers(-distinct, distinct, 3000)
    values = draw(rng, other or dtype, 1 if one else 3000)
    values = values[0] if one else values
    expected, got = both(
        lambda xp, a, i, v: getattr(xp, op).at(a, i, v),
        target,
        places,
        values,
        watched=other is None and "m" not in (op[0], op[1]),
    )  # NumPy says more of casts and of extremes
    if op in EXACT:
        same(got, expected)
        return
    with tessera.device("cpu"):  # where functions round otherwise than NumPy's
        host = np.array(target)
        with numpy.errstate(all="ignore"):
            try:
                getattr(np, op).at(host, np.array(places), np.array(values) if not one else values)
            except TypeError:
                assert got[0] is TypeError
                return
        assert numpy.array_equal(numpy.asarray(host), got[0], equal_nan=True)


@pytest.mark.parametrize(
    "op, dtype",
    [(op, dtype) for op in ("negative", "square", "absolute") for dtype in ("int16", "float32", "complex128")]
    + [("sqrt", "float32")],  # of others NumPy rounds otherwise, or into another dtype
)
def test_at_of_one_operand(where, op, dtype):
    rng = numpy.random.default_rng(5)
    target, places = rng.integers(1, 5, 90_000).astype(dtype), rng.integers(-500, 500, 700)
    same(*both(lambda xp, a, i: getattr(xp, op).at(a, i), target, places)[::-1])


def test_at_by_other_indices(where):
    rng = numpy.random.default_rng(6)
    plane, rows, columns = rng.standard_normal((300, 400)), rng.integers(-300, 300, 900), rng.integers(0, 400, 900)
    mask = rng.random(300) < 0.5
    for key in (
        (rows, columns),
        rows,
        (slice(None), columns),
        (rows, slice(3, 9)),
        (rows[:, None], columns[:40]),
        (mask, 3),
        mask,
    ):

        def add(xp, a):
            own = (
                tuple(xp.array(k) if isinstance(k, numpy.ndarray) else k for k in key)
                if isinstance(key, tuple)
                else xp.array(key)
            )
            xp.add.at(a, own, 0.1)

        same(*both(add, plane)[::-1])
    same(*both(lambda xp, a, i, v: xp.add.at(a, i, v), plane, rows, rng.standard_normal((900, 400)))[::-1])
    same(*both(lambda xp, a, i, v: xp.add.at(a[::2, ::-1], i % 150, v), plane, rows, rng.standard_normal(400))[::-1])
    same(*both(lambda xp, a, i: xp.add.at(a, i, a[0]), plane, rows)[::-1])


def test_at_says_what_is_wrong(where):
    array = np.array(numpy.zeros(90_000))
    with pytest.raises(IndexError, match="index 90000 is out of bounds for axis 0 with size 90000"):
        np.add.at(array, np.array([3, 90_000]), 1.0)
    assert not np.any(array)
    with pytest.warns(RuntimeWarning, match="overflow encountered in multiply"):
        np.multiply.at(np.array(numpy.full(90_000, 1e200)), np.array([1, 1]), 1e200)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "int64"])
@pytest.mark.parametrize("most", [1, 100, 60_000])
@pytest.mark.parametrize("minlength", [0, 70_000])
def test_bincount(where, dtype, most, minlength):
    rng = numpy.random.default_rng(7)
    values = rng.integers(0, min(most, numpy.iinfo(dtype).max if dtype != "bool" else 1) + 1, 100_000).astype(dtype)
    if dtype == "bool":
        values = values.astype("int8")
    for weights in (
        None,
        rng.standard_normal(100_000),
        rng.integers(0, 9, 100_000),
        rng.standard_normal(100_000).astype("f4"),
    ):
        x, w = np.array(values), None if weights is None else np.array(weights)
        got, expected = np.bincount(x, w, minlength), numpy.bincount(values, weights, minlength)
        assert got.dtype == expected.dtype and numpy.asarray(got).tobytes() == expected.tobytes()
    with pytest.raises(ValueError, match="'list' argument must have no negative elements"):
        np.bincount(np.array(numpy.arange(100_000) - 1))


def test_bincount_of_the_largest_integer(where):
    values = numpy.full(100_000, 2**63 - 1)
    for weights in (None, numpy.ones(100_000)):
        with pytest.raises(ValueError, match="array is too big"):
            np.bincount(np.array(values), weights)


def test_negative_powers_of_integers(where):
    array, places = np.arange(90_000) + 2, np.arange(90_000)
    exponents = numpy.full(90_000, 1)
    exponents[70_000] = -1
    with pytest.raises(ValueError, match="Integers to negative integer powers are not allowed"):
        np.power.at(array, places, np.array(exponents))
    np.power.at(array, places, np.array(numpy.abs(exponents) + 1))
    assert numpy.array_equal(array, (numpy.arange(90_000) + 2) ** 2)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_histogram(where, dtype):
    rng = numpy.random.default_rng(8)
    values, weights = (rng.standard_normal(100_000) * 50).astype(dtype), rng.standard_normal(100_000)
    for bins, names in ((50, {}), (5000, {"range": (-20, 30)}), (numpy.linspace(-60, 60, 300), {}), ("fd", {})):
        got, expected = np.histogram(np.array(values), bins, **names), numpy.histogram(values, bins, **names)
        for a, b in zip(got, expected):
            numpy.testing.assert_array_equal(numpy.asarray(a), b)
        if isinstance(bins, str):
            continue
        got = np.histogram(np.array(values), bins, weights=np.array(weights), **names)[0]
        with tessera.device("cpu"):  # NumPy adds up blocks of its own
            expected = np.histogram(np.array(values), bins, weights=np.array(weights), **names)[0]
        numpy.testing.assert_array_equal(numpy.asarray(got), numpy.asarray(expected))


def counted(function):
    """The result, and how many kernels were launched for it."""
    before = tessera.counters()["device_launches"]
    result = numpy.asarray(function())
    return result, tessera.counters()["device_launches"] - before


@pytest.mark.parametrize("device", DEVICES)
def test_places_that_stay_are_sorted_once(device):
    r = numpy.random.default_rng(3)
    keys, weights = r.integers(0, 500, 100_000), [r.standard_normal(100_000) for _ in range(6)]
    with tessera.device(device):
        places = np.array(keys)
        first, many = counted(lambda: np.bincount(places, weights=np.array(weights[0]), minlength=500))
        again, few = counted(lambda: np.bincount(places, weights=np.array(weights[1]), minlength=500))
        assert few < many / 2
        for result, weight in ((first, weights[0]), (again, weights[1])):
            numpy.testing.assert_array_equal(result, numpy.bincount(keys, weights=weight, minlength=500))
        target, expected = np.zeros(500), numpy.zeros(500)
        for weight in weights[2:4]:
            np.add.at(target, places, np.array(weight))
            numpy.add.at(expected, keys, weight)
        numpy.testing.assert_array_equal(target, expected)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("change", ["element", "slice", "in place", "host", "at", "out"])
def test_places_that_change_are_sorted_again(device, change):
    r = numpy.random.default_rng(4)
    keys, weights = r.integers(0, 500, 100_000), r.standard_normal(100_000)

    def run(xp):
        places, w = xp.array(keys), xp.array(weights)
        results = [xp.bincount(places, weights=w, minlength=2000)]
        for k in range(2):
            if change == "element":
                places[7] = 1000 + k
            elif change == "slice":
                places[100:90_000] = k
            elif change == "in place":
                places += 1
            elif change == "host":
                for i in range(50):
                    places[i] = 1500 + i + k
            elif change == "at":
                xp.add.at(places, xp.array([3, 3, 4]), xp.array([1, 2, 3]))
            else:
                xp.add(places, 2, out=places)
            results.append(xp.bincount(places, weights=w, minlength=2000))
        return results

    with tessera.device(device):
        for result, expected in zip(run(np), run(numpy), strict=True):
            numpy.testing.assert_array_equal(result, expected)
