"""Integers that are written are int64, but take their operand's type beside unsigned ones."""

from tessera import jit


@jit("(uint64, uint8, float32)")
def function(w, u, f):
    return w + 1, u + 1, f + 1, f + 1.5, w & 0xFF, 1 << u, 2**0.5, 2**3


# prints
# function(w: uint64, u: uint8, f: float32) -> tuple(uint64, int64, float64, float64, uint64, int64, float64, int64)
#   return w + 1, u + 1, f + 1, f + 1.5, w & 0xFF, 1 << u, 2**0.5, 2**3
#       w + 1, u + 1, f + 1, f + 1.5, w & 0xFF, 1 << u, 2**0.5, 2**3: tuple(uint64, int64, float64, float64, uint64, int64, float64, int64)
#         w + 1: uint64
#         u + 1: int64
#         f + 1: float64
#         f + 1.5: float64
#         w & 0xFF: uint64
#         1 << u: int64
#         2**0.5: float64
#         2**3: int64
