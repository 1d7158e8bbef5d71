"""Ufuncs of numbers and arrays, of two results, and of the user's."""

import numpy

from tessera import jit, vectorize


@vectorize
def third(x):
    return x / 3


@jit("(float32[:], float64, int32[:])")
def function(a, x, k):
    fraction, whole = numpy.modf(x)
    return (
        numpy.exp(a),
        numpy.add(a, k),
        numpy.maximum(x, 2),
        fraction,
        whole,
        third(a),
        numpy.isfinite(a),
        numpy.hypot(k, k),
    )


# prints
# function(a: array(float32, 1d), x: float64, k: array(int32, 1d)) -> tuple(array(float32, 1d), array(float64, 1d), float64, float64, float64, array(float64, 1d), array(bool, 1d), array(float64, 1d))
#   fraction: float64
#   whole: float64
#   fraction, whole = numpy.modf(x)
#       numpy.modf(x): tuple(float64, float64)
#   return (
#       ( numpy.exp(a), numpy.add(a, k), numpy.maximum(x, 2), fraction, whole, third(a), numpy.isfinite(a), numpy.hypot(k, k), ): tuple(array(float32, 1d), array(float64, 1d), float64, float64, float64, array(float64, 1d), array(bool, 1d), array(float64, 1d))
#         numpy.exp(a): array(float32, 1d)
#         numpy.add(a, k): array(float64, 1d)
#         numpy.maximum(x, 2): float64
#         third(a): array(float64, 1d)
#         numpy.isfinite(a): array(bool, 1d)
#         numpy.hypot(k, k): array(float64, 1d)
