"""Functions that are called, with default values, and one that is defined inside."""

import math

from tessera import jit


@jit
def clamp(x, low=0, high=1.0):
    return min(max(x, low), high)


@jit("float64(float32)")
def function(x):
    def twice(y):
        return 2 * y

    return clamp(twice(x), high=3) + math.sin(x) - clamp(1)


# prints
# function(x: float32) -> float64
#   twice: device function twice
#   def twice(y):
#   return clamp(twice(x), high=3) + math.sin(x) - clamp(1)
#       clamp(twice(x), high=3) + math.sin(x) - clamp(1): float64
#         clamp(twice(x), high=3) + math.sin(x): float64
#           clamp(twice(x), high=3): float64
#             twice(x): float64
#           math.sin(x): float32
#         clamp(1): float64
