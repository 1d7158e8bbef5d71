"""Slices are values with integers or None in them."""

from tessera import jit


@jit("(float64[:], int64)")
def function(a, k):
    part = slice(1, k)
    whole = slice(None)
    return a[part].sum(), a[whole].size, part.start, part.step, part.indices(9)


# prints
# function(a: array(float64, 1d), k: int64) -> tuple(float64, int64, int64, None, tuple(int64, int64, int64))
#   part: slice
#   whole: slice
#   part = slice(1, k)
#       slice(1, k): slice
#   whole = slice(None)
#       slice(None): slice
#   return a[part].sum(), a[whole].size, part.start, part.step, part.indices(9)
#       a[part].sum(), a[whole].size, part.start, part.step, part.indices(9): tuple(float64, int64, int64, None, tuple(int64, int64, int64))
#         a[part].sum(): float64
#           a[part]: array(float64, 1d)
#         a[whole].size: int64
#           a[whole]: array(float64, 1d)
#         part.start: int64
#         part.step: None
#         part.indices(9): tuple(int64, int64, int64)
