"""Arrays: views, an array that is chosen at run time, expressions of whole arrays, reductions."""

import numpy

from tessera import jit


@jit("(float32[:, :], float32[:])")
def function(a, b):
    row = a[1:, 0] if a.shape[0] > 2 else b
    row[0] = 1
    difference = numpy.sqrt(a - b)
    return difference.sum() + row.max() + len(b)


# prints
# function(a: array(float32, 2d), b: array(float32, 1d)) -> float64
#   difference: array(float32, 2d)
#   row: array(float32, 1d)
#   row = a[1:, 0] if a.shape[0] > 2 else b
#       a[1:, 0] if a.shape[0] > 2 else b: array(float32, 1d)
#         a.shape[0] > 2: bool
#           a.shape[0]: int64
#             a.shape: tuple(int64, int64)
#         a[1:, 0]: array(float32, 1d)
#           1:, 0: tuple(slice, int64)
#             1:: slice
#   row[0] = 1
#   difference = numpy.sqrt(a - b)
#       numpy.sqrt(a - b): array(float32, 2d)
#         a - b: array(float32, 2d)
#   return difference.sum() + row.max() + len(b)
#       difference.sum() + row.max() + len(b): float64
#         difference.sum() + row.max(): float32
#           difference.sum(): float32
#           row.max(): float32
#         len(b): int64
