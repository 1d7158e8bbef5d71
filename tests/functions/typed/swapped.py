"""Tuples are unpacked after all of their elements are known."""

from tessera import jit


@jit("(int64, float32)")
def function(k, f):
    a, b = k, f
    a, b = b, a
    (c, d), e = (a, b), 1
    return a, b, c, d, e


# prints
# function(k: int64, f: float32) -> tuple(float32, int64, float32, int64, int64)
#   a: int64
#   a'2: float32
#   b: float32
#   b'2: int64
#   c: float32
#   d: int64
#   e: int64
#   a, b = k, f
#       k, f: tuple(int64, float32)
#   a, b = b, a
#       b, a: tuple(float32, int64)
#   (c, d), e = (a, b), 1
#       (a, b), 1: tuple(tuple(float32, int64), int64)
#         (a, b): tuple(float32, int64)
#   return a, b, c, d, e
#       a, b, c, d, e: tuple(float32, int64, float32, int64, int64)
