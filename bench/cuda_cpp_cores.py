#!/usr/bin/env python3
"""Ten kernels on the cores, in CUDA C++ and in Python: milliseconds a launch, and how many times as fast C++ is.

PYTHONPATH=python bench/cuda_cpp_cores.py [NAME ...]
"""

from __future__ import annotations

import math
import sys
import time
from typing import Any

import numpy as np
import tessera.numpy as tn

from tessera import cuda

N = 1 << 20
SIDE = 256


@cuda.jit
def axpy(n, a, x, y):
    i = cuda.grid(1)
    if i < n:
        y[i] += a * x[i]


@cuda.jit
def steps(n, a, x, y):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    while i < n:
        y[i] = a * x[i] + y[i] * 0.5
        i += step


@cuda.jit
def price(n, spot, strike, years, call):
    i = cuda.grid(1)
    if i < n:
        root = math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + (0.02 + 0.045) * years[i]) / (0.3 * root)
        d2 = d1 - 0.3 * root
        call[i] = spot[i] * 0.5 * math.erfc(-0.7071067811865476 * d1) - strike[i] * math.exp(
            -0.02 * years[i]
        ) * 0.5 * math.erfc(-0.7071067811865476 * d2)


@cuda.jit
def product(a, b, c, n):
    x = cuda.shared.array((16, 16), np.float32)
    y = cuda.shared.array((16, 16), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row, col = cuda.blockIdx.y * 16 + ty, cuda.blockIdx.x * 16 + tx
    total = np.float32(0)
    for k in range(0, n, 16):
        x[ty, tx] = a[row, k + tx]
        y[ty, tx] = b[k + ty, col]
        cuda.syncthreads()
        for i in range(16):
            total += x[ty, i] * y[i, tx]
        cuda.syncthreads()
    c[row, col] = total


@cuda.jit
def tree(n, x, out):
    s = cuda.shared.array(256, np.float64)
    t = cuda.threadIdx.x
    total = 0.0
    i = cuda.grid(1)
    while i < n:
        total += x[i]
        i += cuda.gridsize(1)
    s[t] = total
    cuda.syncthreads()
    k = 128
    while k > 0:
        if t < k:
            s[t] += s[t + k]
        cuda.syncthreads()
        k //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


@cuda.jit
def stencil(a, b, n):
    j, i = cuda.grid(2)
    if 0 < i and i < n - 1 and 0 < j and j < n - 1:
        b[i, j] = 0.2 * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


@cuda.jit
def bins(n, x, h):
    s = cuda.shared.array(256, np.int32)
    t = cuda.threadIdx.x
    s[t] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    while i < n:
        cuda.atomic.add(s, x[i], 1)
        i += cuda.gridsize(1)
    cuda.syncthreads()
    cuda.atomic.add(h, t, s[t])


@cuda.jit
def turn(a, b, n):
    tile = cuda.shared.array((16, 17), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    tile[ty, tx] = a[cuda.blockIdx.y * 16 + ty, cuda.blockIdx.x * 16 + tx]
    cuda.syncthreads()
    b[cuda.blockIdx.x * 16 + ty, cuda.blockIdx.y * 16 + tx] = tile[tx, ty]


@cuda.jit
def fractal(out, n):
    j, i = cuda.grid(2)
    if i < n and j < n:
        cr, ci = -2.0 + 3.0 * j / n, -1.5 + 3.0 * i / n
        x, y, k = 0.0, 0.0, 0
        while k < 100 and x * x + y * y < 4.0:
            x, y = x * x - y * y + cr, 2.0 * x * y + ci
            k += 1
        out[i, j] = k


@cuda.jit
def bodies(n, x, y, f):
    sx = cuda.shared.array(128, np.float32)
    sy = cuda.shared.array(128, np.float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    total = np.float32(0)
    for k in range(0, n, 128):
        sx[t] = x[k + t]
        sy[t] = y[k + t]
        cuda.syncthreads()
        for q in range(128):
            dx, dy = sx[q] - x[i], sy[q] - y[i]
            total += dx / (dx * dx + dy * dy + np.float32(0.01))
        cuda.syncthreads()
    f[i] = total


CODE = r"""
extern "C" {
__global__ void axpy(int n, double a, const double* x, double* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
__global__ void steps(int n, double a, const double* x, double* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = a * x[i] + y[i] * 0.5;
}
__global__ void price(int n, const double* spot, const double* strike, const double* years, double* call) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double root = sqrt(years[i]), d1 = (log(spot[i] / strike[i]) + (0.02 + 0.045) * years[i]) / (0.3 * root), d2 = d1 - 0.3 * root;
    call[i] = spot[i] * 0.5 * erfc(-0.7071067811865476 * d1) - strike[i] * exp(-0.02 * years[i]) * 0.5 * erfc(-0.7071067811865476 * d2);
  }
}
__global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float x[16][16], y[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float total = 0;
  for (int k = 0; k < n; k += 16) {
    x[ty][tx] = a[row * n + k + tx];
    y[ty][tx] = b[(k + ty) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i) total += x[ty][i] * y[i][tx];
    __syncthreads();
  }
  c[row * n + col] = total;
}
__global__ void tree(int n, const double* x, double* out) {
  __shared__ double s[256];
  int t = threadIdx.x;
  double total = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) total += x[i];
  s[t] = total;
  __syncthreads();
  for (int k = 128; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void stencil(const double* a, double* b, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (0 < i && i < n - 1 && 0 < j && j < n - 1)
    b[i * n + j] = 0.2 * (a[i * n + j] + a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] + a[i * n + j + 1]);
}
__global__ void bins(int n, const int* x, int* h) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) atomicAdd(&s[x[i]], 1);
  __syncthreads();
  atomicAdd(&h[t], s[t]);
}
__global__ void turn(const float* a, float* b, int n) {
  __shared__ float tile[16][17];
  int tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = a[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx];
  __syncthreads();
  b[(blockIdx.x * 16 + ty) * n + blockIdx.y * 16 + tx] = tile[tx][ty];
}
__global__ void fractal(int* out, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    double cr = -2.0 + 3.0 * j / n, ci = -1.5 + 3.0 * i / n, x = 0, y = 0;
    int k = 0;
    while (k < 100 && x * x + y * y < 4.0) {
      double z = x * x - y * y + cr;
      y = 2.0 * x * y + ci, x = z;
      ++k;
    }
    out[i * n + j] = k;
  }
}
__global__ void bodies(int n, const float* x, const float* y, float* f) {
  __shared__ float sx[128], sy[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  float total = 0;
  for (int k = 0; k < n; k += 128) {
    sx[t] = x[k + t], sy[t] = y[k + t];
    __syncthreads();
    for (int q = 0; q < 128; ++q) {
      float dx = sx[q] - x[i], dy = sy[q] - y[i];
      total += dx / (dx * dx + dy * dy + 0.01f);
    }
    __syncthreads();
  }
  f[i] = total;
}
}"""


def cases() -> dict[str, Any]:
    """Kernel, grid, block and arguments, of which the last but numbers is compared."""
    r = np.random.default_rng(0)
    side = (SIDE, SIDE)

    def d(*shape: int, dtype: Any = np.float64) -> Any:
        return tn.asarray((r.random(shape) + 0.1).astype(dtype))

    f, tiles = np.float32, (SIDE // 16, SIDE // 16)
    big = 2048
    return {
        "axpy": (axpy, (N // 256,), (256,), (N, 1e-3, d(N), d(N)), 3),
        "steps": (steps, (128,), (256,), (N, 1e-3, d(N), d(N)), 3),
        "price": (price, (N // 1024,), (256,), (N // 4, d(N // 4), d(N // 4), d(N // 4), d(N // 4)), 4),
        "product": (product, tiles, (16, 16), (d(*side, dtype=f), d(*side, dtype=f), d(*side, dtype=f), SIDE), 2),
        "tree": (tree, (64,), (256,), (N, d(N), d(64)), 2),
        "stencil": (stencil, (big // 32, big // 8), (32, 8), (d(big, big), d(big, big), big), 1),
        "bins": (
            bins,
            (64,),
            (256,),
            (N, tn.asarray(r.integers(0, 256, N).astype(np.int32)), tn.zeros(256, dtype=np.int32)),
            None,
        ),
        "turn": (turn, (big // 16, big // 16), (16, 16), (d(big, big, dtype=f), d(big, big, dtype=f), big), 1),
        "fractal": (fractal, (SIDE // 32, SIDE // 8), (32, 8), (tn.zeros(side, dtype=np.int32), SIDE), 0),
        "bodies": (bodies, (16,), (128,), (2048, d(2048, dtype=f), d(2048, dtype=f), d(2048, dtype=f)), 3),
    }


def best(launch: Any) -> float:
    """Seconds of the fastest of launches of half a second."""
    fastest, end = math.inf, time.perf_counter() + 0.5
    launch()
    while time.perf_counter() < end or math.isinf(fastest):
        start = time.perf_counter()
        launch()
        cuda.synchronize()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


def main() -> int:
    module = cuda.RawModule(code=CODE)
    slow = 0
    print(f"{'kernel':10} {'Python':>9} {'C++':>9}  C++ is")
    for name, (kernel, grid, block, arguments, compared) in cases().items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        raw = module.get_function(name)
        as_c = tuple(np.int32(a) if isinstance(a, int) else a for a in arguments)

        def in_python() -> None:
            kernel[grid, block](*arguments)

        def in_c() -> None:
            raw(grid, block, as_c)

        if compared is not None:
            before = np.array(arguments[compared])
            in_python()
            expected = np.array(arguments[compared])
            arguments[compared][...] = before
            in_c()
            np.testing.assert_allclose(np.asarray(arguments[compared]), expected, rtol=1e-5)
        cuda.synchronize()
        python, c = best(in_python), best(in_c)
        slow += python / c < 0.8
        print(f"{name:10} {python * 1e3:9.3f} {c * 1e3:9.3f}  {python / c:.2f} times as fast", flush=True)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
