"""A variable is what all assignments to it unify to."""

from tessera import jit


@jit("float64(int64, boolean)")
def function(n, up):
    total = 0
    for k in range(n):
        if up:
            total += 0.5
        else:
            total -= k
    return total


# prints
# function(n: int64, up: bool) -> float64
#   k: int64
#   total: float64
#   total = 0
#   for k in range(n):
#     if up:
#       total += 0.5
#     else:
#       total -= k
#   return total
