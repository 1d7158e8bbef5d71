"""Starred elements and arguments."""

from tessera import jit


@jit("(int64, float32)")
def function(k, f):
    rest = (f, 2, True)
    pair = (k, *rest)
    return rest, max(*pair[:2]), min(k, *rest[:1])


# prints
# function(k: int64, f: float32) -> tuple(tuple(float32, int64, bool), float64, float64)
#   pair: tuple(int64, float32, int64, bool)
#   rest: tuple(float32, int64, bool)
#   rest = (f, 2, True)
#       (f, 2, True): tuple(float32, int64, bool)
#   pair = (k, *rest)
#       (k, *rest): tuple(int64, float32, int64, bool)
#   return rest, max(*pair[:2]), min(k, *rest[:1])
#       rest, max(*pair[:2]), min(k, *rest[:1]): tuple(tuple(float32, int64, bool), float64, float64)
#         max(*pair[:2]): float64
#           pair[:2]: tuple(int64, float32)
#             :2: slice
#         min(k, *rest[:1]): float64
#           rest[:1]: tuple(float32)
#             :1: slice
