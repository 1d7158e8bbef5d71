"""Transposed arrays, views of other shapes, and copies."""

import numpy

from tessera import jit


@jit("(float32[:, :],)")
def function(a):
    turned = a.T
    flat = a.ravel()
    folded = a.reshape((-1, 2))
    copied = numpy.ascontiguousarray(turned)
    return turned[0, 0], flat[0], folded.shape, copied


# prints
# function(a: array(float32, 2d)) -> tuple(float32, float32, tuple(int64, int64), array(float32, 2d))
#   copied: array(float32, 2d)
#   flat: array(float32, 1d)
#   folded: array(float32, 2d)
#   turned: array(float32, 2d)
#   turned = a.T
#       a.T: array(float32, 2d)
#   flat = a.ravel()
#       a.ravel(): array(float32, 1d)
#   folded = a.reshape((-1, 2))
#       a.reshape((-1, 2)): array(float32, 2d)
#         (-1, 2): tuple(int64, int64)
#           -1: int64
#   copied = numpy.ascontiguousarray(turned)
#       numpy.ascontiguousarray(turned): array(float32, 2d)
#   return turned[0, 0], flat[0], folded.shape, copied
#       turned[0, 0], flat[0], folded.shape, copied: tuple(float32, float32, tuple(int64, int64), array(float32, 2d))
#         turned[0, 0]: float32
#           0, 0: tuple(int64, int64)
#         flat[0]: float32
#         folded.shape: tuple(int64, int64)
