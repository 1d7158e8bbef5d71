"""Kernels whose blocks work together in shared memory, for bench/kernels.py: one source for tessera.cuda and numba-cuda."""

from __future__ import annotations

import math

import numpy
from numpy import complex64, float32, float64, int32


def fourier(cuda):
    """FFTs of 8192 rows of 1024 complex64, in shared memory"""

    @cuda.jit
    def transform(x, roots, out):
        s = cuda.shared.array(1024, complex64)
        t = cuda.threadIdx.x
        row = cuda.blockIdx.x
        s[t] = x[row, t]
        s[t + 512] = x[row, t + 512]
        cuda.syncthreads()
        p = 1
        while p < 1024:
            k = t & (p - 1)
            a = s[t]
            b = s[t + 512] * roots[k * (512 // p)]
            cuda.syncthreads()
            s[2 * t - k] = a + b
            s[2 * t - k + p] = a - b
            cuda.syncthreads()
            p *= 2
        out[row, t] = s[t]
        out[row, t + 512] = s[t + 512]

    rows = 8192
    parts = numpy.random.default_rng(5).standard_normal((2, rows, 1024)).astype(float32)
    x = (parts[0] + 1j * parts[1]).astype(complex64)
    roots = numpy.exp(-2j * math.pi * numpy.arange(512) / 1024).astype(complex64)
    return transform, (rows, 512), (x, roots, numpy.zeros_like(x)), 2, lambda: numpy.fft.fft(x)


def cholesky(cuda):
    """Cholesky factors of 16384 matrices of 32 x 32 doubles"""

    @cuda.jit
    def factor(a, out):
        s = cuda.shared.array((32, 33), float64)
        t = cuda.threadIdx.x
        m = cuda.blockIdx.x
        for j in range(32):
            s[j, t] = a[m, j, t]
        cuda.syncthreads()
        for k in range(32):
            if t == k:
                s[k, k] = math.sqrt(s[k, k])
            cuda.syncthreads()
            if t > k:
                s[t, k] /= s[k, k]
            cuda.syncthreads()
            if t > k:
                for j in range(k + 1, t + 1):
                    s[t, j] -= s[t, k] * s[j, k]
            cuda.syncthreads()
        for j in range(32):
            out[m, j, t] = s[j, t] if t <= j else 0.0

    count = 16384
    x = numpy.random.default_rng(6).standard_normal((count, 32, 32))
    a = x @ x.transpose(0, 2, 1) + 32 * numpy.eye(32)
    return factor, (count, 32), (a, numpy.zeros_like(a)), 1, lambda: numpy.linalg.cholesky(a)


def histogram(cuda):
    """counts of 2**25 int32 in 256 bins, by atomics in shared memory"""

    @cuda.jit
    def count(x, bins):
        s = cuda.shared.array(256, int32)
        t = cuda.threadIdx.x
        s[t] = 0
        cuda.syncthreads()
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            cuda.atomic.add(s, x[i], 1)
        cuda.syncthreads()
        cuda.atomic.add(bins, t, s[t])

    x = numpy.random.default_rng(7).integers(0, 256, 1 << 25).astype(int32)
    return count, (1056, 256), (x, numpy.zeros(256, int32)), 1, lambda: numpy.bincount(x, minlength=256)


def scan(cuda):
    """sums up to each element of 2**15 tiles of 512 float32"""

    @cuda.jit
    def add_up(x, out):
        s = cuda.shared.array(512, float32)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        s[t] = x[i]
        cuda.syncthreads()
        step = 1
        while step < 512:
            before = s[t - step] if t >= step else float32(0)
            cuda.syncthreads()
            s[t] += before
            cuda.syncthreads()
            step *= 2
        out[i] = s[t]

    tiles = 1 << 15
    x = numpy.random.default_rng(8).random(tiles * 512).astype(float32)
    return add_up, (tiles, 512), (x, numpy.zeros_like(x)), 1, lambda: numpy.cumsum(x.reshape(-1, 512), axis=1).ravel()


def bitonic(cuda):
    """bitonic sort of 8192 rows of 1024 float32 in shared memory"""

    @cuda.jit
    def sort(x, out):
        s = cuda.shared.array(1024, float32)
        t = cuda.threadIdx.x
        row = cuda.blockIdx.x
        s[t] = x[row, t]
        s[t + 512] = x[row, t + 512]
        cuda.syncthreads()
        k = 2
        while k <= 1024:
            j = k // 2
            while j > 0:
                i = 2 * t - (t & (j - 1))
                a = s[i]
                b = s[i + j]
                if (a > b) == ((i & k) == 0):
                    s[i] = b
                    s[i + j] = a
                cuda.syncthreads()
                j //= 2
            k *= 2
        out[row, t] = s[t]
        out[row, t + 512] = s[t + 512]

    x = numpy.random.default_rng(9).random((8192, 1024)).astype(float32)
    return sort, (8192, 512), (x, numpy.zeros_like(x)), 1, lambda: numpy.sort(x)


MEASURES = (fourier, cholesky, histogram, scan, bitonic)
