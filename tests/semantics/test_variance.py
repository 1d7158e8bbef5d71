"""Variances of long lanes, found in one pass: as near the truth as two passes are, exact where they are, and the same anywhere."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import tessera.numpy as tnp
from hypothesis import given, settings
from hypothesis import strategies as st

import tessera
from tessera import _core

SIZE = (1 << 22) + 77  # smaller arrays, and lanes of 8,192, go two passes
SHAPES = {None: (SIZE,), 0: (9001, 467), 1: (467, 9001)}
needs_wide = pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="the reference is no wider than float64")


def one_pass(x, axis=None, dtype=None, keepdims=False):
    return _core.squares_about_mean(tnp.asarray(x), axis, dtype, keepdims)


def truth(x, axis=None):
    wide = x.astype(np.longdouble)
    distance = wide - wide.mean(axis=axis, keepdims=True)
    count = x.size if axis is None else x.shape[axis]
    return ((distance * distance).sum(axis=axis) - distance.sum(axis=axis) ** 2 / count) / count


def error(got, true):
    true = np.asarray(true)
    return (
        float(np.max(np.abs((np.asarray(got) - true) / np.where(true == 0, 1, true))))
        / np.finfo(np.asarray(got).dtype).eps
    )


@needs_wide
@settings(max_examples=25, deadline=None)
@given(
    axis=st.sampled_from([None, 0, 1]),
    dtype=st.sampled_from(["f4", "f8"]),
    mean=st.sampled_from([0.0]) | st.integers(-6, 16).map(lambda k: 10.0**k),
    trend=st.sampled_from([0.0, 1.0, 1e3, 1e8]),
    outlier=st.sampled_from([0.0, 1e3, -1e6, 1e12]),
    at=st.integers(0, 40) | st.integers(0, SIZE - 1),
    block=st.sampled_from([1, 16, 512, 20_000]),
    seed=st.integers(0, 1000),
)
def test_it_is_as_near_the_truth_as_two_passes(axis, dtype, mean, trend, outlier, at, block, seed):
    x = np.random.default_rng(seed).standard_normal(int(np.prod(SHAPES[axis])))
    x += mean + trend * np.linspace(0, 1, x.size)
    at %= x.size
    x[at : at + block] += outlier
    x = x.reshape(SHAPES[axis]).astype(dtype)
    assert one_pass(x, axis) is not None
    true = truth(x, axis)
    few = 40  # units in the last place, where blocks far off mislead a centre
    assert error(tnp.var(x, axis=axis), true) <= few + 4 * error(np.var(x, axis=axis), true)


@pytest.mark.parametrize("axis", SHAPES)
@pytest.mark.parametrize("value", [0.1, 1e16 / 3, -7.25e-200, 5e-324, 1e300])
def test_of_constants_it_is_zero(axis, value):
    x = np.full(SHAPES[axis], value)
    assert not np.any(tnp.var(x, axis=axis)) and one_pass(x, axis) is not None


@pytest.mark.parametrize("axis", SHAPES)
@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "?", "f4", "f8"])
def test_of_small_integers_it_is_exact(axis, dtype):
    n = SHAPES[axis][axis or 0] // 5 * 5
    lane = np.arange(n) % 2 if dtype == "?" else np.arange(n) % 5
    lane = lane[: n // 2 * 2] if dtype == "?" else lane
    x = lane if axis is None else lane[:, None].repeat(468, 1) if axis == 0 else lane[None].repeat(468, 0)
    x = np.ascontiguousarray(x.astype(dtype))
    assert one_pass(x, axis, None if dtype in ("f4", "f8") else "f8") is not None
    assert np.all(np.asarray(tnp.var(x, axis=axis)) == (0.25 if dtype == "?" else 2.0))


def heard(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = np.array(function())
        tessera.synchronize()
    return result, sorted({str(w.message) for w in caught})


@pytest.mark.parametrize("axis", SHAPES)
@pytest.mark.parametrize("values", [[np.nan], [np.inf], [-np.inf, np.inf], [1e200], [np.nan, 1e200]], ids=str)
def test_what_is_not_finite_goes_two_passes(axis, values):
    x = np.random.default_rng(1).standard_normal(SHAPES[axis])
    x.reshape(-1)[[5, 900_000][: len(values)]] = values
    assert one_pass(x, axis) is None
    got, warned = heard(lambda: tnp.std(x, axis=axis))
    expected, wanted = heard(lambda: np.std(x, axis=axis))
    np.testing.assert_allclose(got, expected, rtol=1e-13)
    assert warned == wanted


OPTIONS = [
    {"ddof": 1},
    {"correction": 2.5},
    {"keepdims": True},
    {"ddof": SIZE},
    {"dtype": "f8"},
    {"dtype": "f4"},
    {"out": 0},
    {"mean": 0},
    {"where": 0},
]


@pytest.mark.parametrize("axis", SHAPES)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "c8"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_option_means_what_it_does_to_numpy(axis, dtype, options):
    rng = np.random.default_rng(2)
    x = (rng.standard_normal(SHAPES[axis]) * 10).astype(dtype)

    def call(xp):
        named = dict(options)
        if "out" in named:
            named["out"] = xp.empty(np.sum(x, axis=axis).shape, np.var(x[:2]).dtype)
        if "mean" in named:
            named["mean"] = xp.mean(x, axis=axis, keepdims=True)
        if "where" in named:
            named["where"] = rng.permutation(x.shape[-1]) % 3 > 0
            rng.bit_generator.state = np.random.default_rng(2).bit_generator.state
        return xp.var(xp.asarray(x), axis=axis, **named)

    rng.bit_generator.state = np.random.default_rng(2).bit_generator.state
    got, warned = heard(lambda: call(tnp))
    expected, wanted = heard(lambda: call(np))
    assert got.dtype == expected.dtype and got.shape == expected.shape and warned == wanted
    np.testing.assert_allclose(got, expected, rtol=3e-4 if got.dtype.itemsize == 4 else 1e-12)


@pytest.mark.parametrize("order", ["C", "F"])
def test_axes_together_and_in_any_order_of_memory(order):
    x = np.asarray(np.random.default_rng(3).standard_normal((192, 104, 212)), order=order)
    a = tnp.asarray(x) if order == "C" else tnp.asarray(np.ascontiguousarray(x.T)).T
    for axis in [(0, 1), (1, 2), (0, 2), (-1, 1), (0, 1, 2), None]:
        for keepdims in (False, True):
            got, expected = tnp.std(a, axis=axis, keepdims=keepdims), np.std(x, axis=axis, keepdims=keepdims)
            assert got.shape == expected.shape
            np.testing.assert_allclose(got, expected, rtol=1e-14)
    assert one_pass(a, (1, 2)) is not None and one_pass(a, (0, 1)) is not None and one_pass(a, (0, 2)) is None
    assert one_pass(a[:, ::2], (1, 2)) is None


def test_short_lanes_and_small_arrays_have_numpys_bits():
    rng = np.random.default_rng(4)
    for shape, axis in [((8192, 200), 0), ((200, 8192), 1), ((8000,), None), ((3, 5, 7), 1)]:
        x = rng.standard_normal(shape)
        assert one_pass(x, axis) is None
        np.testing.assert_array_equal(tnp.var(x, axis=axis), np.var(x, axis=axis))


@pytest.mark.parametrize("device", ["simulated"] + (["gpu"] if _core.devices() else []))
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2"])
def test_a_device_and_any_number_of_threads_give_the_same_bits(device, dtype):
    rng = np.random.default_rng(5)
    cases = [(shape, axis) for axis, shape in SHAPES.items()] + [
        ((400_001, 3), 0),
        ((2, 20_000, 30), 1),
        ((70, 15_000), None),
    ]
    arrays = [((rng.standard_normal(shape) * 1000).astype(dtype), axis) for shape, axis in cases]

    def all_bits():
        return [np.asarray(tnp.var(tnp.asarray(x), axis=axis)).tobytes() for x, axis in arrays]

    before = _core.cpus()
    with tessera.device("cpu"):
        expected = all_bits()
        for count in (1, 2, 3, 7):
            _core.set_cpus(count)
            assert all_bits() == expected
        _core.set_cpus(before)
    with tessera.device(device):
        assert all_bits() == expected


def test_a_pending_expression_is_made_first():
    x = np.random.default_rng(6).standard_normal((9001, 130))
    a = tnp.asarray(x)
    b = a * 2 + 1
    spread = b.std(axis=0)
    b += 5
    np.testing.assert_allclose(spread, (x * 2 + 1).std(axis=0), rtol=1e-13)
    np.testing.assert_allclose(tnp.nanstd(b, axis=0), (x * 2 + 6).std(axis=0), rtol=1e-13)


@pytest.mark.filterwarnings("ignore::tessera.FallbackWarning")
@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize(
    "options", [{"dtype": "i8"}, {"dtype": "i4", "axis": 1, "keepdims": True, "ddof": 1}, {"dtype": bool}]
)
def test_integer_dtypes_round_the_mean_as_numpy_does(name, options):
    values = np.random.default_rng(0).random((5, 6)) * 10
    try:
        expected = getattr(np, name)(values, **options)
    except TypeError:
        with pytest.raises(TypeError, match="Cannot cast"):
            getattr(tnp, name)(tnp.asarray(values), **options)
    else:
        found = getattr(tnp, name)(tnp.asarray(values), **options)
        assert found.dtype == expected.dtype and np.array_equal(np.asarray(found), expected)
