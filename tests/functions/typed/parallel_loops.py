"""prange: totals join what iterations add, arrays are stored in."""

from tessera import jit, prange


@jit("(float32[:], int64[:])", parallel=True)
def function(a, b):
    total, most = 0.0, -1
    for k in prange(len(a)):
        total += a[k]
        most = max(most, b[k])
        b[k] = k
    return total, most


# prints
# function(a: array(float32, 1d), b: array(int64, 1d)) -> tuple(float64, int64)
#   k: int64
#   most: int64
#   total: float64
#   total, most = 0.0, -1
#       0.0, -1: tuple(float64, int64)
#         -1: int64
#   for k in prange(len(a)):
#       len(a): int64
#     total += a[k]
#         a[k]: float32
#     most = max(most, b[k])
#         max(most, b[k]): int64
#           b[k]: int64
#     b[k] = k
#   return total, most
#       total, most: tuple(float64, int64)
