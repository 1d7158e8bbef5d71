"""A variable is one of several functions, a parameter another one."""

import math

from tessera import jit


@jit
def half(x):
    return x / 2


@jit("(float64,)")
def function(x):
    chosen = half if x > 1 else math.sqrt
    total = 0.0
    for each in (half, half):
        total += each(x)
    return chosen(x), total


# prints
# function(x: float64) -> tuple(float64, float64)
#   chosen: one of (function math.sqrt, device function half)
#   total: float64
#   chosen = half if x > 1 else math.sqrt
#       half if x > 1 else math.sqrt: one of (function math.sqrt, device function half)
#         x > 1: bool
#         math.sqrt: function math.sqrt
#   total = 0.0
#   for each in (half, half):
#       (half, half): tuple(device function half, device function half)
#     total += each(x)
#         each(x): float64
#   return chosen(x), total
#       chosen(x), total: tuple(float64, float64)
#         chosen(x): float64
