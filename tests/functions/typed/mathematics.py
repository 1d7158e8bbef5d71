"""Functions of math give float64, those of numpy keep float32."""

import math

import numpy

from tessera import jit


@jit("(float32, int64)")
def function(x, k):
    return (
        math.sin(x),
        numpy.sin(x),
        math.floor(x),
        numpy.floor(x),
        math.sqrt(k),
        numpy.sqrt(k),
        math.hypot(x, k),
        math.isnan(x),
        math.pi * x,
    )


# prints
# function(x: float32, k: int64) -> tuple(float32, float32, int64, float32, float64, float64, float64, bool, float64)
#   return (
#       ( math.sin(x), numpy.sin(x), math.floor(x), numpy.floor(x), math.sqrt(k), numpy.sqrt(k), math.hypot(x, k), math.isnan(x), math.pi * x, ): tuple(float32, float32, int64, float32, float64, float64, float64, bool, float64)
#         math.sin(x): float32
#         numpy.sin(x): float32
#         math.floor(x): int64
#         numpy.floor(x): float32
#         math.sqrt(k): float64
#         numpy.sqrt(k): float64
#         math.hypot(x, k): float64
#         math.isnan(x): bool
#         math.pi * x: float64
#           math.pi: float64
