"""min and max take the type that holds all operands."""

from tessera import jit


@jit("(int8, int64, float32)")
def function(i, j, f):
    return min(i, j), max(i, f), min((i, 2)), max(f, 1.5, j)


# prints
# function(i: int8, j: int64, f: float32) -> tuple(int64, float32, int64, float64)
#   return min(i, j), max(i, f), min((i, 2)), max(f, 1.5, j)
#       min(i, j), max(i, f), min((i, 2)), max(f, 1.5, j): tuple(int64, float32, int64, float64)
#         min(i, j): int64
#         max(i, f): float32
#         min((i, 2)): int64
#           (i, 2): tuple(int8, int64)
#         max(f, 1.5, j): float64
