"""Arrays as indices: bools choose, integers take."""

from tessera import jit


@jit("(float64[:], int32[:])")
def function(a, k):
    chosen = a[a > 0.5]
    taken = a[k]
    taken[k > 1] = 0
    return chosen.sum(), taken


# prints
# function(a: array(float64, 1d), k: array(int32, 1d)) -> tuple(float64, array(float64, 1d))
#   chosen: array(float64, 1d)
#   taken: array(float64, 1d)
#   chosen = a[a > 0.5]
#       a[a > 0.5]: array(float64, 1d)
#         a > 0.5: array(bool, 1d)
#   taken = a[k]
#       a[k]: array(float64, 1d)
#   taken[k > 1] = 0
#       k > 1: array(bool, 1d)
#   return chosen.sum(), taken
#       chosen.sum(), taken: tuple(float64, array(float64, 1d))
#         chosen.sum(): float64
