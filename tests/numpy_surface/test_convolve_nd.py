"""Convolution of any dimensions against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
import tessera.numpy as tnp

signal = pytest.importorskip("scipy.signal")


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("method", ["auto", "direct", "fft"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
@pytest.mark.parametrize(
    ("shape", "kernel"),
    [((30,), (5,)), ((20, 31), (3, 4)), ((20, 31), (11, 9)), ((6, 7, 8), (3, 1, 2)), ((3, 3), (9, 8))],
)
def test_matches_scipy(mode, method, dtype, shape, kernel):
    rng = np.random.default_rng(3)
    a = (rng.normal(size=shape) * 9).astype(dtype)
    v = (rng.normal(size=kernel) * 9).astype(dtype)
    got = tnp.convolve(tnp.asarray(a), tnp.asarray(v), mode, method=method)
    want = signal.convolve(a, v, mode, method="direct")
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(
        np.asarray(got), want, rtol=2e-4 if dtype == "f4" else 1e-9, atol=2e-3 if dtype == "f4" else 1e-9
    )


def test_says_what_does_not_fit():
    with pytest.raises(ValueError, match="equal dimensions, got 2 and 1"):
        tnp.convolve(tnp.ones((2, 2)), tnp.ones(2), method="auto")
    with pytest.raises(ValueError, match="as large as the other"):
        tnp.convolve(tnp.ones((2, 5)), tnp.ones((3, 2)), "valid", method="auto")
    with pytest.raises(ValueError):
        tnp.convolve(tnp.ones((2, 2)), tnp.ones((2, 2)))
