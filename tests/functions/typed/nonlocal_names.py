"""nonlocal: what the inner function assigns widens the outer variable."""

from tessera import jit


@jit("(int64,)")
def function(k):
    total = 0

    def add(x):
        nonlocal total
        total = total + x

    add(k)
    add(0.5)
    return total


# prints
# function(k: int64) -> float64
#   add: device function add
#   result_1_of_nonlocal: None
#   result_2_of_nonlocal: None
#   total: float64
#   total = 0
#   def add(x):
#   add(k)
#       add(k): tuple(None, float64)
#   add(k)
#   add(0.5)
#       add(0.5): tuple(None, float64)
#   add(0.5)
#   return total
