"""A value that may be None is optional until it is compared with None."""

from tessera import jit


@jit("(int64,)")
def function(k):
    found = None
    for n in range(k):
        if n * n > k:
            found = n
            break
    if found is None:
        return -1
    return found + 1


# prints
# function(k: int64) -> int64
#   found: optional(int64)
#   n: int64
#   found = None
#   for n in range(k):
#     if n * n > k:
#         n * n > k: bool
#           n * n: int64
#       found = n
#       break
#   if found is None:
#       found is None: bool
#     return -1
#         -1: int64
#   return found + 1
#       found + 1: int64
