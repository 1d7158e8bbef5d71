"""Augmented assignment widens the variable, and keeps the array's dtype."""

from tessera import jit


@jit("(float32[:], int64)")
def function(a, k):
    total = 0
    for x in a:
        total += x
    a += k
    a[0] *= 2.5
    total //= 2
    return total


# prints
# function(a: array(float32, 1d), k: int64) -> float64
#   total: float64
#   x: float32
#   total = 0
#   for x in a:
#     total += x
#   a += k
#   a[0] *= 2.5
#   total //= 2
#   return total
