"""Sums, products, variances and places of extremes of rows, by routines of the host: with NumPy's bits, over lengths, steps and dtypes."""

import numpy as np
import pytest

import tessera

LENGTHS = [*range(1, 40), 63, 64, 65, 127, 128, 129, 200, 511, 512, 513, 1000, 4097, 8191, 8192]


@tessera.jit
def sums(x):
    return np.sum(x), np.mean(x), np.var(x), np.std(x)


@tessera.jit
def products(x, y):
    return np.dot(x, y), np.vdot(x, y), x @ y, np.linalg.norm(x)


@tessera.jit
def places(x):
    return np.argmin(x), np.argmax(x)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_sums_of_rows_have_numpys_bits(dtype, step):
    rng = np.random.default_rng(1)
    for n in LENGTHS:
        x = rng.standard_normal(n * abs(step)).astype(dtype)[::step]
        whole = x.copy()
        wanted = (np.sum(whole), np.mean(whole), np.var(whole), np.std(whole))
        assert np.array_equal(np.array(sums(x), dtype), np.array(wanted, dtype)), n


def test_longer_rows_are_summed_by_chunks():
    rng = np.random.default_rng(2)
    for n in (8193, 20_000, 100_003, 1_000_000):
        x, y = rng.standard_normal(n), rng.standard_normal(n)
        parts = [x[k : k + 8192] for k in range(0, n, 8192)]
        assert sums(x)[0] == pytest.approx(sum(np.sum(part) for part in parts), rel=1e-12)
        assert sums(x[::-1])[2] == pytest.approx(np.var(x), rel=1e-12)
        assert products(x, y)[0] == pytest.approx(np.dot(x, y), rel=1e-9)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("step", [1, 3, -1])
def test_products_of_rows(dtype, step):
    rng = np.random.default_rng(3)
    for n in LENGTHS:
        x, y = (rng.random(n * abs(step)).astype(dtype)[::step] for _ in range(2))
        dot, vdot, product, norm = products(x, y)
        assert dot == vdot == product == pytest.approx(np.sum(x * y), rel=0)
        assert norm == pytest.approx(np.linalg.norm(x), rel=1e-6 if dtype == "f4" else 1e-13)


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "b1"])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_places_of_extremes(dtype, step):
    rng = np.random.default_rng(4)
    for n in [*range(1, 40), 100, 1025, 5000]:
        x = (rng.integers(0, 7, n * abs(step)) * 3).astype(dtype)[::step]
        assert places(x) == (np.argmin(x), np.argmax(x)), n
        if x.dtype.kind == "f":
            x = x.copy()
            x[rng.integers(0, n, 2)] = np.nan
            assert places(x) == (np.argmin(x), np.argmax(x)), n


def test_rows_of_views_and_new_arrays():
    @tessera.jit
    def totals(a, k):
        made = a * 2.0
        return (
            a[k].sum(),
            a[:, k].sum(),
            a.T[k].var(),
            made[k].sum(),
            made.sum(),
            np.var(made[1:, k]),
            np.argmax(made[k, ::-1]),
        )

    a = np.random.default_rng(5).random((30, 33))
    for given in (a, np.asfortranarray(a), a[::-1, ::2], a[3:, 2:].T):
        for k in (0, 7, len(given) - 15):
            double = given * 2.0
            wanted = (
                given[k].copy().sum(),
                given[:, k].copy().sum(),
                given.T[k].copy().var(),
                double[k].copy().sum(),
                double.sum(),
                np.var(double[1:, k].copy()),
                np.argmax(double[k, ::-1]),
            )
            np.testing.assert_allclose(totals(given, k), wanted, rtol=1e-14)


def test_what_was_just_stored_is_summed():
    @tessera.jit
    def run(x, calls):
        total = 0.0
        for i in range(calls):
            x[i % len(x)] = i
            total += np.sum(x) + np.var(x)
        return total

    x = np.zeros(20)
    mirror, total = np.zeros(20), 0.0
    for i in range(50):
        mirror[i % 20] = i
        total += np.sum(mirror) + np.var(mirror)
    assert run(x, 50) == pytest.approx(total, rel=1e-13)
    assert (x == mirror).all()


def test_rows_in_parallel_loops():
    @tessera.jit(parallel=True)
    def run(a):
        out = np.empty((len(a), 4))
        for i in tessera.prange(len(a)):
            out[i, 0] = np.sum(a[i])
            out[i, 1] = np.var(a[i])
            out[i, 2] = np.argmax(a[i])
            out[i, 3] = np.dot(a[i], a[i])
        return out

    a = np.random.default_rng(6).random((300, 40))
    wanted = np.stack([a.sum(axis=1), a.var(axis=1), a.argmax(axis=1), (a * a).sum(axis=1)], axis=1)
    np.testing.assert_allclose(run(a), wanted, rtol=1e-13)
    np.testing.assert_array_equal(run(np.asfortranarray(a)), run(a))


def test_no_elements():
    nan = sums(np.empty(0))
    assert nan[0] == 0.0
    assert np.isnan(nan[1:]).all()
    with pytest.raises(ValueError, match="attempt to get argmin of an empty sequence"):
        places(np.empty(0))
