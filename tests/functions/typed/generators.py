"""A function that yields, in a loop and by next."""

from tessera import jit


@jit
def halves(n):
    while n > 0:
        yield n / 2
        n -= 1


@jit("(int64,)")
def function(n):
    total = 0.0
    for half in halves(n):
        total += half
    first = next(halves(n))
    return total, first, sum(k * k for k in range(n))


# prints
# function(n: int64) -> tuple(float64, float64, int64)
#   first: float64
#   half: float64
#   total: float64
#   total = 0.0
#   for half in halves(n):
#     total += half
#   first = next(halves(n))
#       next(halves(n)): float64
#         halves(n): generator
#   return total, first, sum(k * k for k in range(n))
#       total, first, sum(k * k for k in range(n)): tuple(float64, float64, int64)
#         sum(k * k for k in range(n)): int64
#           (k * k for k in range(n)): range
