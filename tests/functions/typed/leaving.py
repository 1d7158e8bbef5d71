"""Loops that are left, conditional values, and code that is not reached."""

from tessera import jit


@jit("int64(int64[:], int64)")
def function(a, wanted):
    found = -1
    k = 0
    while k < a.size:
        if a[k] == wanted:
            found = k
            break
        k += 1
    else:
        found = -2 if a.size else -3
    return found
    k = a.size + 1


# prints
# function(a: array(int64, 1d), wanted: int64) -> int64
#   found: int64
#   k: int64
#   found = -1
#       -1: int64
#   k = 0
#   while k < a.size:
#       k < a.size: bool
#         a.size: int64
#     if a[k] == wanted:
#         a[k] == wanted: bool
#           a[k]: int64
#       found = k
#       break
#     k += 1
#   else:
#     found = -2 if a.size else -3
#         -2 if a.size else -3: int64
#           a.size: int64
#           -2: int64
#           -3: int64
#   return found
#   k = a.size + 1
