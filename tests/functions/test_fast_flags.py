"""fastmath= of functions: what it allows, and what it does not without."""

from __future__ import annotations

import numpy as np
import pytest

from tessera import njit


def total(x):
    t = 0.0
    for i in range(x.shape[0]):
        t += x[i]
    return t


def dot(x, y):
    t = 1.0
    for i in range(x.shape[0]):
        t -= x[i] * y[i]
    return t


ALLOWS = [True, {"fast"}, {"reassoc", "contract"}]
DOES_NOT = [False, set(), {"contract"}, {"reassoc"}, {"nnan", "ninf"}]


@pytest.mark.parametrize("flags", ALLOWS + DOES_NOT)
@pytest.mark.parametrize("n", [0, 1, 7, 64, 1003])
def test_sums_of_doubles(flags, n):
    x, y = np.random.default_rng(n).random((2, n))
    assert njit(fastmath=flags)(total)(x) == pytest.approx(total(x), rel=1e-12)
    assert njit(fastmath=flags)(dot)(x, y) == pytest.approx(dot(x, y), rel=1e-12)
    if flags in DOES_NOT:
        assert njit(fastmath=flags)(total)(x) == total(x)


@pytest.mark.parametrize("flags", ALLOWS)
def test_sums_in_any_order_are_computed_by_vectors(flags):
    fast = njit(fastmath=flags)(total)
    x = np.full(1003, 0.1)
    fast(x)
    assert "fadd reassoc" in "".join(fast.inspect_llvm().values())
    strict = njit(total)
    strict(x)
    assert "reassoc" not in "".join(strict.inspect_llvm().values())


@pytest.mark.parametrize("flags", ALLOWS)
def test_infinities_and_nans_stay_what_they_are(flags):
    for last in (np.inf, -np.inf, np.nan):
        x = np.append(np.ones(100), last)
        assert np.array_equal(njit(fastmath=flags)(total)(x), total(x), equal_nan=True)
