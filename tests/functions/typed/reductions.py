"""Reductions: sums widen integers, means and deviations are floats."""

import numpy

from tessera import jit


@jit("(float32[:], int8[:], boolean[:])")
def function(a, k, b):
    return (
        a.sum(),
        k.sum(),
        b.sum(),
        a.mean(),
        k.mean(),
        k.max(),
        a.std(),
        a.argmin(),
        b.any(),
        numpy.prod(k),
        numpy.var(a),
    )


# prints
# function(a: array(float32, 1d), k: array(int8, 1d), b: array(bool, 1d)) -> tuple(float32, int64, int64, float32, float64, int8, float32, int64, bool, int64, float32)
#   return (
#       ( a.sum(), k.sum(), b.sum(), a.mean(), k.mean(), k.max(), a.std(), a.argmin(), b.any(), numpy.prod(k), numpy.var(a), ): tuple(float32, int64, int64, float32, float64, int8, float32, int64, bool, int64, float32)
#         a.sum(): float32
#         k.sum(): int64
#         b.sum(): int64
#         a.mean(): float32
#         k.mean(): float64
#         k.max(): int8
#         a.std(): float32
#         a.argmin(): int64
#         b.any(): bool
#         numpy.prod(k): int64
#         numpy.var(a): float32
