"""Host routines (scans, sorts, searches, random streams) give the same bits on any number of threads.

The loops of ops and folds are compared in C++ (`bits_test.cpp`), in every tier too; these routines have one form, so only the
number of threads can change them. Results marked `bits: vendor` (BLAS, LAPACK, FFT) are not here.
"""

from __future__ import annotations

import numpy as np
import pytest
import tessera.numpy as tnp

from tessera import _core

LENGTH = 300_007  # cut between threads, and not a multiple of any vector or chunk
SHAPES = [(LENGTH,), (1009, 297), (297, 1009), (3, 100_003), (100_003, 3)]
DTYPES = ["f2", "f4", "f8", "c8", "c16", "i1", "u4", "i8", "?"]


def values(dtype, shape):
    """Numbers with ties, both zeros, infinities and NaNs where the type has them; sums round at every step."""
    rng = np.random.default_rng(7)
    size = int(np.prod(shape))
    if np.dtype(dtype).kind in "iu?":
        return rng.integers(0, 100, size).astype(dtype).reshape(shape)
    flat = rng.normal(size=size) * 10.0 ** rng.integers(-3, 3, size)
    flat[rng.integers(0, size, size // 50)] = 0.0
    flat[rng.integers(0, size, size // 50)] = -0.0
    flat[-5:] = [np.inf, -np.inf, np.nan, 1e-40, -1e-310]
    if np.dtype(dtype).kind == "c":
        flat = flat.astype("c16")
        flat.imag = flat.real[::-1]
    with np.errstate(all="ignore"):
        return flat.astype(dtype).reshape(shape)


def scans(a):
    for axis in range(a.ndim):
        yield tnp.cumsum(a, axis=axis)
        yield tnp.cumprod(a, axis=axis)
        yield tnp.maximum.accumulate(a, axis=axis)
        yield tnp.add.reduceat(a, [0, 1, a.shape[axis] // 2], axis=axis)
    yield tnp.cumsum(a[::-1])
    yield tnp.nancumsum(a)


def orders(a):
    for axis in range(a.ndim):
        yield tnp.sort(a, axis=axis)
        yield tnp.argsort(a, axis=axis, kind="stable")
        yield tnp.argsort(a, axis=axis)
        yield tnp.argmax(a, axis=axis)
        yield tnp.nanargmin(a, axis=axis) if a.dtype.kind == "f" else tnp.argmin(a, axis=axis)
        yield tnp.partition(a, a.shape[axis] // 3, axis=axis)
    yield tnp.argmax(a)
    yield from tnp.unique(a, return_index=True, return_inverse=True, return_counts=True)
    yield tnp.searchsorted(tnp.sort(a, axis=None), a.ravel()[::3])
    yield tnp.nonzero(a)[0]
    yield a[a == a]


def statistics(a):
    flat = a.ravel()
    finite = flat[tnp.isfinite(flat)]
    yield tnp.histogram(finite, 57)[0]
    yield tnp.histogram(finite, 57, weights=finite)[0]
    yield tnp.bincount(tnp.arange(flat.size) % 1001, weights=tnp.nan_to_num(flat))
    yield tnp.percentile(finite.astype("f8"), [1, 50, 99.9])
    yield tnp.interp(finite[:50_000], tnp.linspace(-5, 5, 999), tnp.linspace(3, 4, 999) ** 3)
    yield tnp.convolve(finite[:70_000], [0.1, 0.7, 0.3])
    yield tnp.take(flat, tnp.arange(0, flat.size, 3))
    yield tnp.repeat(flat, 3)
    yield tnp.einsum("i,i->i", finite, finite)


def streams():
    for bits in (np.random.PCG64, np.random.MT19937, np.random.Philox):
        generator = tnp.random.Generator(bits(11))
        yield generator.random(LENGTH)
        yield generator.normal(size=LENGTH)
        yield generator.integers(0, 1000, LENGTH)
        yield generator.permutation(LENGTH)
    counted = tnp.random.index_generator(3)
    yield counted.uniform(size=LENGTH)
    yield counted.normal(size=LENGTH)


def bits(array):
    """The elements' bytes; all NaNs are one, as docs/differences.md says."""
    if array.dtype.kind in "fc":
        parts = (
            np.ascontiguousarray(array)
            .reshape(-1)
            .view(f"f{array.dtype.itemsize // (2 if array.dtype.kind == 'c' else 1)}")
        )
        array = np.where(np.isnan(parts), parts.dtype.type(np.nan), parts)
    return array.tobytes()


def on_threads(count, work):
    before = _core.cpus()
    _core.set_cpus(count)
    try:
        with tnp.errstate(all="ignore"):
            return [np.array(result) for result in work()]
    finally:
        _core.set_cpus(before)


def assert_same_bits(work):
    expected = on_threads(1, work)
    for count in (2, 3, 7):
        for at, (got, wanted) in enumerate(zip(on_threads(count, work), expected, strict=True)):
            assert got.dtype == wanted.dtype and got.shape == wanted.shape
            assert bits(got) == bits(wanted), f"result {at} differs on {count} threads"


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("routines", [scans, orders])
def test_scans_and_sorts(routines, dtype, shape):
    a = tnp.array(values(dtype, shape))
    assert_same_bits(lambda: routines(a))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_statistics_and_gathers(dtype):
    a = tnp.array(values(dtype, SHAPES[1]))
    assert_same_bits(lambda: statistics(a))


def test_random_streams():
    assert_same_bits(streams)
