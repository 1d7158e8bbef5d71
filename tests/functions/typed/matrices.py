"""Products of matrices and vectors take the dtype that holds both."""

import numpy

from tessera import jit


@jit("(float32[:, :], float64[:, :], float64[:])")
def function(a, b, v):
    return (a @ b)[0, 0], (b @ v)[0], v @ v, numpy.dot(a, a)[0, 0]


# prints
# function(a: array(float32, 2d), b: array(float64, 2d), v: array(float64, 1d)) -> tuple(float64, float64, float64, float32)
#   return (a @ b)[0, 0], (b @ v)[0], v @ v, numpy.dot(a, a)[0, 0]
#       (a @ b)[0, 0], (b @ v)[0], v @ v, numpy.dot(a, a)[0, 0]: tuple(float64, float64, float64, float32)
#         (a @ b)[0, 0]: float64
#           a @ b: array(float64, 2d)
#           0, 0: tuple(int64, int64)
#         (b @ v)[0]: float64
#           b @ v: array(float64, 1d)
#         v @ v: float64
#         numpy.dot(a, a)[0, 0]: float32
#           numpy.dot(a, a): array(float32, 2d)
#           0, 0: tuple(int64, int64)
