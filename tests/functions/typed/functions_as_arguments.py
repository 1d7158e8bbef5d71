"""A function that is passed has the function as its type; calls have theirs."""

from tessera import jit
from tessera import jit as compiled


@compiled
def twice(f, x):
    return f(f(x))


@compiled
def half(x):
    return x / 2


@jit("(float32, int64)")
def function(x, k):
    return twice(half, x), twice(half, k), twice(lambda y: y + 1, k)


# prints
# function(x: float32, k: int64) -> tuple(float64, float64, int64)
#   return twice(half, x), twice(half, k), twice(lambda y: y + 1, k)
#       twice(half, x), twice(half, k), twice(lambda y: y + 1, k): tuple(float64, float64, int64)
#         twice(half, x): float64
#         twice(half, k): float64
#         twice(lambda y: y + 1, k): int64
#           lambda y: y + 1: device function <lambda>
