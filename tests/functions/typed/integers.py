"""Integers compute in 64 bits; signed with unsigned of 64 bits is a float."""

from tessera import jit


@jit("(int8, uint8, uint64, int64)")
def function(i, u, w, j):
    return i + u, u + u, w + w, w + i, i * j, -u, ~u, w - 1


# prints
# function(i: int8, u: uint8, w: uint64, j: int64) -> tuple(int64, uint64, uint64, int64, int64, uint64, uint64, uint64)
#   return i + u, u + u, w + w, w + i, i * j, -u, ~u, w - 1
#       i + u, u + u, w + w, w + i, i * j, -u, ~u, w - 1: tuple(int64, uint64, uint64, int64, int64, uint64, uint64, uint64)
#         i + u: int64
#         u + u: uint64
#         w + w: uint64
#         w + i: int64
#         i * j: int64
#         -u: uint64
#         ~u: uint64
#         w - 1: uint64
