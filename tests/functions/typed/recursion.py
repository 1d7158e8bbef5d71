"""A function that calls itself: what it returns is of one type."""

from tessera import jit


@jit("int64(int64)")
def function(n):
    if n < 2:
        return n
    return function(n - 1) + function(n - 2)


# prints
# function(n: int64) -> int64
#   if n < 2:
#       n < 2: bool
#     return n
#   return function(n - 1) + function(n - 2)
#       function(n - 1) + function(n - 2): int64
#         function(n - 1): int64
#           n - 1: int64
#         function(n - 2): int64
#           n - 2: int64
