"""Arithmetic of whole arrays broadcasts; comparisons are arrays of bools."""

import numpy

from tessera import jit


@jit("(float32[:, :], float64[:], int8[:])")
def function(a, b, k):
    total = a + b
    mask = a > 0.5
    chosen = numpy.where(mask, a, 0)
    return total, mask, chosen, -k, k * 2, a // 2, b[:, None] * b


# prints
# function(a: array(float32, 2d), b: array(float64, 1d), k: array(int8, 1d)) -> tuple(array(float64, 2d), array(bool, 2d), array(float64, 2d), array(int8, 1d), array(int64, 1d), array(float32, 2d), array(float64, 2d))
#   chosen: array(float64, 2d)
#   mask: array(bool, 2d)
#   total: array(float64, 2d)
#   total = a + b
#       a + b: array(float64, 2d)
#   mask = a > 0.5
#       a > 0.5: array(bool, 2d)
#   chosen = numpy.where(mask, a, 0)
#       numpy.where(mask, a, 0): array(float64, 2d)
#   return total, mask, chosen, -k, k * 2, a // 2, b[:, None] * b
#       total, mask, chosen, -k, k * 2, a // 2, b[:, None] * b: tuple(array(float64, 2d), array(bool, 2d), array(float64, 2d), array(int8, 1d), array(int64, 1d), array(float32, 2d), array(float64, 2d))
#         -k: array(int8, 1d)
#         k * 2: array(int64, 1d)
#         a // 2: array(float32, 2d)
#         b[:, None] * b: array(float64, 2d)
#           b[:, None]: array(float64, 2d)
#             :, None: tuple(slice, None)
#               :: slice
