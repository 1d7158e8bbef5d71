"""Kernels whose x runs along rows: the same results as if it ran along columns."""

import numpy as np
import pytest

from tessera import _core, cuda


@cuda.jit
def smooth(x, out):
    i, j = cuda.grid(2)
    if 1 <= i < x.shape[0] - 1 and 1 <= j < x.shape[1] - 1:
        total = 0
        for a in range(-1, 2):
            for b in range(-1, 2):
                total += x[i + a, j + b]
        out[i, j] = total // 9


@pytest.mark.parametrize("compile", ["never", "before_full"])
@pytest.mark.parametrize("block", [(16, 16), (4, 8), (32, 4), (64, 1), (1, 64), (3, 5, 2)])
@pytest.mark.parametrize("shape", [(50, 67), (3, 200), (200, 3)])
@pytest.mark.parametrize("dtype", ["i1", "u2", "i8"])
def test_neighbours(compile, block, shape, dtype):
    x = np.random.default_rng(1).integers(0, 100, shape).astype(dtype)
    sums = sum(
        x[1 + a : shape[0] - 1 + a, 1 + b : shape[1] - 1 + b].astype(int) for a in (-1, 0, 1) for b in (-1, 0, 1)
    )
    expected = np.zeros_like(x)
    expected[1:-1, 1:-1] = sums // 9
    outer = _core.options()["compile"]
    _core.options(compile=compile)
    try:
        for order in "CF":
            given, out = np.asarray(x, order=order), np.zeros_like(x)
            smooth[(-(-shape[0] // block[0]), -(-shape[1] // block[1])), block](given, out)
            np.testing.assert_array_equal(out, expected)
    finally:
        _core.options(compile=outer)


def test_coordinates_are_those_of_the_launch():
    @cuda.jit
    def kernel(out, sizes):
        i, j = cuda.grid(2)
        if i < out.shape[0] and j < out.shape[1]:
            out[i, j] = cuda.threadIdx.x + 10 * cuda.threadIdx.y + 100 * cuda.blockIdx.x + 1000 * cuda.blockIdx.y
            sizes[i, j] = cuda.blockDim.x + 100 * cuda.gridDim.y + 10000 * cuda.laneid

    out, sizes = np.zeros((10, 21), np.int64), np.zeros((10, 21), np.int64)
    kernel[(2, 3), (6, 8)](out, sizes)
    i, j = np.mgrid[:10, :21]
    np.testing.assert_array_equal(out, i % 6 + 10 * (j % 8) + 100 * (i // 6) + 1000 * (j // 8))
    np.testing.assert_array_equal(sizes, 6 + 300 + 10000 * ((i % 6 + 6 * (j % 8)) % 32))


def test_atomics_count_every_thread():
    @cuda.jit
    def kernel(x, counts):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            cuda.atomic.add(counts, x[i, j], 1)

    x = np.random.default_rng(2).integers(0, 5, (40, 30))
    counts = np.zeros(5, np.int64)
    kernel[(5, 4), (8, 8)](x, counts)
    np.testing.assert_array_equal(counts, np.bincount(x.ravel(), minlength=5))
