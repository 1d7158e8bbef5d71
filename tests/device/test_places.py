"""Values added up at places on a device: NumPy's order, so NumPy's bits, whether places have few values or many."""

from __future__ import annotations

import numpy as np
import pytest
import tessera.numpy as tnp

import tessera


@pytest.fixture(autouse=True)
def device():
    with tessera.device("simulated"):
        yield


def same_bits(found, expected):
    found = np.asarray(found)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.view("u1"), expected.view("u1"))


# Blocks of threads take places of 128 values and more on average, threads those of fewer.
SIZES = [(100_000, 1), (100_000, 7), (100_000, 333), (2561, 20), (100_000, 5000), (60_000, 90_000), (30_000, 100_000)]


@pytest.mark.parametrize("is_skewed", [False, True])
@pytest.mark.parametrize("count, places", SIZES)
def test_bincount_with_weights(count, places, is_skewed):
    random = np.random.default_rng(places)
    keys = random.integers(0, places, count)
    if is_skewed:
        keys = np.minimum(random.pareto(0.5, count).astype("i8"), places - 1)
    weights = random.standard_normal(count)
    given, given_weights = tnp.array(keys), tnp.array(weights)
    for least in (0, places + 5, 0):  # what is kept of the keys fits the number of bins
        same_bits(tnp.bincount(given, given_weights, least), np.bincount(keys, weights, least))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "f2", "i4"])
@pytest.mark.parametrize("op", ["add", "subtract", "multiply", "maximum"])
@pytest.mark.parametrize("places", [3, 200, 20_000])
def test_ufunc_at(places, op, dtype):
    random = np.random.default_rng(2)
    keys = random.integers(0, places, 20_000)
    target, values = ((3 * random.standard_normal(n)).astype(dtype) for n in (places, 20_000))
    expected, found = target.copy(), tnp.array(target)
    with np.errstate(all="ignore"):
        getattr(np, op).at(expected, keys, values)
        getattr(tnp, op).at(found, tnp.array(keys), tnp.array(values))
        same_bits(found, expected)


@pytest.mark.parametrize("places", [2, 3000])
def test_events_are_reported(places):
    values = tnp.full(5000, 1e308)
    with pytest.warns(RuntimeWarning, match="overflow"):
        target = tnp.zeros(places)
        tnp.add.at(target, tnp.arange(5000) % places, values)
        assert np.isinf(np.asarray(target)[0])


def test_places_without_values_keep_theirs():
    target = tnp.arange(1000.0)
    tnp.add.at(target, tnp.full(200_000, 7), tnp.ones(200_000))
    expected = np.arange(1000.0)
    expected[7] += 200_000
    same_bits(target, expected)
