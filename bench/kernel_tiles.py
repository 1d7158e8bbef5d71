"""Kernels whose blocks share memory, on the cores, beside the same in C++ with the same threads, for bench/kernels.md.

C++ is compiled by `c++ -O3 -march=native -fopenmp`: loops over the blocks on all threads, and in each loops over the block's threads between
barriers. Run `python bench/kernel_tiles.py`."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

import numpy
import tessera.numpy as np

import tessera
from tessera import cuda

TILE, N, SUMS = 16, 512, 1 << 23

SOURCE = r"""
#include <cstdint>
constexpr int T = 16;
extern "C" void product(const float* a, const float* b, float* c, int64_t n) {
#pragma omp parallel for collapse(2)
  for (int64_t by = 0; by < n / T; ++by)
    for (int64_t bx = 0; bx < n / T; ++bx) {
      float sa[T][T], sb[T][T], sum[T][T] = {};
      for (int64_t step = 0; step < n / T; ++step) {
        for (int y = 0; y < T; ++y)
          for (int x = 0; x < T; ++x) {
            sa[y][x] = a[(by * T + y) * n + step * T + x];
            sb[y][x] = b[(step * T + y) * n + bx * T + x];
          }
        for (int y = 0; y < T; ++y)
          for (int x = 0; x < T; ++x)
            for (int k = 0; k < T; ++k) sum[y][x] += sa[y][k] * sb[k][x];
      }
      for (int y = 0; y < T; ++y)
        for (int x = 0; x < T; ++x) c[(by * T + y) * n + bx * T + x] = sum[y][x];
    }
}
extern "C" void tree(const double* x, double* out, int64_t blocks) {
#pragma omp parallel for
  for (int64_t block = 0; block < blocks; ++block) {
    double s[256];
    for (int t = 0; t < 256; ++t) s[t] = x[block * 256 + t];
    for (int step = 128; step > 0; step /= 2)
      for (int t = 0; t < step; ++t) s[t] += s[t + step];
    out[block] = s[0];
  }
}
"""


@cuda.jit
def product(a, b, c):
    sa = cuda.shared.array((TILE, TILE), numpy.float32)
    sb = cuda.shared.array((TILE, TILE), numpy.float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = numpy.float32(0)
    for step in range(cuda.gridDim.x):
        sa[ty, tx] = a[y, step * TILE + tx]
        sb[ty, tx] = b[step * TILE + ty, x]
        cuda.syncthreads()
        for k in range(TILE):
            total += sa[ty, k] * sb[k, tx]
        cuda.syncthreads()
    c[y, x] = total


@cuda.jit
def tree(x, out):
    s = cuda.shared.array(256, numpy.float64)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


def least(work, rounds: int = 60) -> float:
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    (folder / "blocks.cpp").write_text(SOURCE)
    command = ["c++", "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", "blocks.cpp", "-o", "blocks.so"]
    subprocess.run(command, cwd=folder, check=True)
    other = ctypes.CDLL(str(folder / "blocks.so"))
    rng = numpy.random.default_rng(0)
    a, b = rng.random((2, N, N), dtype=numpy.float32)
    x = rng.random(SUMS)

    def pointers(*arrays):
        return [ctypes.c_void_p(array.ctypes.data) for array in arrays]

    with tessera.device("cpu"):
        held = [np.array(a), np.array(b), np.zeros((N, N), dtype="f4")]
        theirs = numpy.zeros((N, N), numpy.float32)
        blocks = (N // TILE, N // TILE)

        def ours():
            product[blocks, (TILE, TILE)](*held)
            cuda.synchronize()

        other_product = lambda: other.product(*pointers(a, b, theirs), ctypes.c_int64(N))  # noqa: E731
        times = least(ours), least(other_product)
        numpy.testing.assert_allclose(numpy.asarray(held[2]), theirs, rtol=1e-5)
        print(
            f"product by {TILE} x {TILE} tiles, {N}^2 float32: {times[0]:.2f} ms, C++ {times[1]:.2f}: {times[1] / times[0]:.2f}"
        )

        values, sums, their_sums = np.array(x), np.zeros(SUMS // 256), numpy.zeros(SUMS // 256)

        def our_sums():
            tree[SUMS // 256, 256](values, sums)
            cuda.synchronize()

        other_sums = lambda: other.tree(*pointers(x, their_sums), ctypes.c_int64(SUMS // 256))  # noqa: E731
        times = least(our_sums), least(other_sums)
        numpy.testing.assert_array_equal(numpy.asarray(sums), their_sums)
        print(
            f"sums of 256 by a tree, {SUMS} doubles: {times[0]:.2f} ms, C++ {times[1]:.2f}: {times[1] / times[0]:.2f}"
        )


if __name__ == "__main__":
    main()
