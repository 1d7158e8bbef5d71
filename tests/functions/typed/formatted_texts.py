"""Texts that are formatted for exceptions and lines."""

from tessera import jit


@jit("(int64, float64)")
def function(k, x):
    if k < 0:
        raise ValueError(f"{k} is negative: {x}")
    print("k", k, x)
    return k > 3


# prints
# function(k: int64, x: float64) -> bool
#   if k < 0:
#       k < 0: bool
#     raise ValueError(f"{k} is negative: {x}")
#         f"{k} is negative: {x}": str
#           f"{k} is negative: {x}": str
#             f"{k} is negative: {x}": str
#           f"{k} is negative: {x}": str
#   print("k", k, x)
#       print("k", k, x): None
#   return k > 3
#       k > 3: bool
