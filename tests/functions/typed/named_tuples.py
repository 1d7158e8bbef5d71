"""Named tuples keep their fields; new ones are made in the function."""

import collections

from tessera import jit

Point = collections.namedtuple("Point", "x y")


@jit("(int64, float32)")
def function(k, f):
    point = Point(k, y=f)
    moved = Point(point.x + 1, point.y * 2)
    x, y = moved
    return moved, x, y, point[1]


# prints
# function(k: int64, f: float32) -> tuple(tuple(x: int64, y: float64), int64, float64, float32)
#   moved: tuple(x: int64, y: float64)
#   point: tuple(x: int64, y: float32)
#   x: int64
#   y: float64
#   point = Point(k, y=f)
#       Point(k, y=f): tuple(x: int64, y: float32)
#   moved = Point(point.x + 1, point.y * 2)
#       Point(point.x + 1, point.y * 2): tuple(x: int64, y: float64)
#         point.x + 1: int64
#           point.x: int64
#         point.y * 2: float64
#           point.y: float32
#   x, y = moved
#   return moved, x, y, point[1]
#       moved, x, y, point[1]: tuple(tuple(x: int64, y: float64), int64, float64, float32)
#         point[1]: float32
