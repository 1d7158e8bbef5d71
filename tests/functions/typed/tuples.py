"""Tuples: elements have types of their own, and so do iterations over them."""

from tessera import jit


@jit("((float64, int64), int64)")
def function(p, scale=2):
    x, y = p
    total = p[0] * scale
    for part in (x, y):
        total += part + 1
    return (total, y), p[1]


# prints
# function(p: tuple(float64, int64), scale: int64) -> tuple(tuple(float64, int64), int64)
#   total: float64
#   x: float64
#   y: int64
#   x, y = p
#   total = p[0] * scale
#       p[0] * scale: float64
#         p[0]: float64
#   for part in (x, y):
#       (x, y): tuple(float64, int64)
#     total += part + 1
#         part + 1: float64 or int64
#   return (total, y), p[1]
#       (total, y), p[1]: tuple(tuple(float64, int64), int64)
#         (total, y): tuple(float64, int64)
#         p[1]: int64
