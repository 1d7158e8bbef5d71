"""Arrays that functions make, by their shapes and dtypes."""

import numpy

from tessera import jit


@jit("(int64,)")
def function(n):
    return (
        numpy.zeros(n),
        numpy.ones((n, 2), numpy.int8),
        numpy.arange(n),
        numpy.arange(0.0, 1.0, 0.25),
        numpy.full(n, 3),
        numpy.linspace(0, 1, n),
        numpy.eye(n, dtype=numpy.float32),
        numpy.array([n, 2.5]),
    )


# prints
# function(n: int64) -> tuple(array(float64, 1d), array(int8, 2d), array(int64, 1d), array(float64, 1d), array(int64, 1d), array(float64, 1d), array(float32, 2d), array(float64, 1d))
#   return (
#       ( numpy.zeros(n), numpy.ones((n, 2), numpy.int8), numpy.arange(n), numpy.arange(0.0, 1.0, 0.25), numpy.full(n, 3), numpy.linspace(0, 1, n), numpy.eye(n, dtype=numpy.float32), numpy.array([n, 2.5]), ): tuple(array(float64, 1d), array(int8, 2d), array(int64, 1d), array(float64, 1d), array(int64, 1d), array(float64, 1d), array(float32, 2d), array(float64, 1d))
#         numpy.zeros(n): array(float64, 1d)
#         numpy.ones((n, 2), numpy.int8): array(int8, 2d)
#           (n, 2): tuple(int64, int64)
#           numpy.int8: type int8
#         numpy.arange(n): array(int64, 1d)
#         numpy.arange(0.0, 1.0, 0.25): array(float64, 1d)
#         numpy.full(n, 3): array(int64, 1d)
#         numpy.linspace(0, 1, n): array(float64, 1d)
#         numpy.eye(n, dtype=numpy.float32): array(float32, 2d)
#           numpy.float32: type float32
#         numpy.array([n, 2.5]): array(float64, 1d)
#           [n, 2.5]: tuple(int64, float64)
