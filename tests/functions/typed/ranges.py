"""Ranges of other integers, steps, and their variables behind the loop."""

from tessera import jit


@jit("(int32, uint8)")
def function(i, u):
    total = 0
    for k in range(i, 0, -2):
        total += k
    for n in range(u):
        total += n
    return total, len(range(i)), range(i)[1]


# prints
# function(i: int32, u: uint8) -> tuple(int64, int64, int64)
#   k: int64
#   n: int64
#   total: int64
#   total = 0
#   for k in range(i, 0, -2):
#       -2: int64
#     total += k
#   for n in range(u):
#     total += n
#   return total, len(range(i)), range(i)[1]
#       total, len(range(i)), range(i)[1]: tuple(int64, int64, int64)
#         len(range(i)): int64
#           range(i): range
#         range(i)[1]: int64
#           range(i): range
