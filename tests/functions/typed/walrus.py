"""Assignments in expressions."""

from tessera import jit


@jit("(float64[:], int64)")
def function(a, k):
    if (n := len(a)) > k:
        return a[k] * n
    return (y := k) + y


# prints
# function(a: array(float64, 1d), k: int64) -> float64
#   n: int64
#   y: int64
#   if (n := len(a)) > k:
#       len(a): int64
#   if (n := len(a)) > k:
#       (n := len(a)) > k: bool
#     return a[k] * n
#         a[k] * n: float64
#           a[k]: float64
#   return (y := k) + y
#   return (y := k) + y
#       (y := k) + y: int64
