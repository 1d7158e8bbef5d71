"""Quotients of integers are floats; whole ones and remainders are integers."""

from tessera import jit


@jit("(int32, uint32, float32)")
def function(i, u, f):
    return i / u, i // u, i % u, i / f, i // f, divmod(i, u), u // 2, i % 2.5


# prints
# function(i: int32, u: uint32, f: float32) -> tuple(float64, int64, int64, float64, float64, tuple(int64, int64), int64, float64)
#   return i / u, i // u, i % u, i / f, i // f, divmod(i, u), u // 2, i % 2.5
#       i / u, i // u, i % u, i / f, i // f, divmod(i, u), u // 2, i % 2.5: tuple(float64, int64, int64, float64, float64, tuple(int64, int64), int64, float64)
#         i / u: float64
#         i // u: int64
#         i % u: int64
#         i / f: float64
#         i // f: float64
#         divmod(i, u): tuple(int64, int64)
#         u // 2: int64
#         i % 2.5: float64
