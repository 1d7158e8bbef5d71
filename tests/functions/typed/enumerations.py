"""enumerate, zip and reversed give tuples of their operands' elements."""

from tessera import jit


@jit("(float32[:], int64[:])")
def function(a, b):
    total = 0.0
    for k, (x, n) in enumerate(zip(a, b)):
        total += k * x + n
    for x in reversed(a):
        total -= x
    return total


# prints
# function(a: array(float32, 1d), b: array(int64, 1d)) -> float64
#   k: int64
#   n: int64
#   total: float64
#   x: float32
#   total = 0.0
#   for k, (x, n) in enumerate(zip(a, b)):
#     total += k * x + n
#         k * x + n: float64
#           k * x: float64
#   for x in reversed(a):
#     total -= x
#   return total
