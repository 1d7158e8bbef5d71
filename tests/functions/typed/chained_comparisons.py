"""Chained comparisons are bools, and evaluate their middle once."""

from tessera import jit


@jit("(int64, float64, uint8)")
def function(i, f, u):
    return i < f <= u, i == u != f


# prints
# function(i: int64, f: float64, u: uint8) -> tuple(bool, bool)
#   return i < f <= u, i == u != f
#       i < f <= u, i == u != f: tuple(bool, bool)
#         i < f <= u: bool
#         i == u != f: bool
