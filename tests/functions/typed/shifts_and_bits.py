"""Shifts and bits keep integers; of bools they are bools."""

from tessera import jit


@jit("(int32, uint64, boolean)")
def function(i, w, b):
    return i << 2, w >> 1, i & 7, i | i, i ^ -1, b & b, b ^ True, not b


# prints
# function(i: int32, w: uint64, b: bool) -> tuple(int64, uint64, int64, int64, int64, bool, bool, bool)
#   return i << 2, w >> 1, i & 7, i | i, i ^ -1, b & b, b ^ True, not b
#       i << 2, w >> 1, i & 7, i | i, i ^ -1, b & b, b ^ True, not b: tuple(int64, uint64, int64, int64, int64, bool, bool, bool)
#         i << 2: int64
#         w >> 1: uint64
#         i & 7: int64
#         i | i: int64
#         i ^ -1: int64
#           -1: int64
#         b & b: bool
#         b ^ True: bool
#         not b: bool
