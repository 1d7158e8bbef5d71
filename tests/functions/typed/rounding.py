"""round, floor and trunc: Python's give integers, NumPy's floats."""

import math

import numpy

from tessera import jit


@jit("(float32, float64)")
def function(x, y):
    return round(x), round(y, 2), math.ceil(y), math.trunc(x), numpy.rint(x), int(y)


# prints
# function(x: float32, y: float64) -> tuple(int64, float64, int64, int64, float32, int64)
#   return round(x), round(y, 2), math.ceil(y), math.trunc(x), numpy.rint(x), int(y)
#       round(x), round(y, 2), math.ceil(y), math.trunc(x), numpy.rint(x), int(y): tuple(int64, float64, int64, int64, float32, int64)
#         round(x): int64
#         round(y, 2): float64
#         math.ceil(y): int64
#         math.trunc(x): int64
#         numpy.rint(x): float32
#         int(y): int64
