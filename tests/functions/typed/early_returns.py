"""What a function returns is of the type that holds all of its results."""

from tessera import jit


@jit("(float64[:], float64)")
def function(a, limit):
    for k in range(len(a)):
        if a[k] > limit:
            return k
        if a[k] < 0:
            return a[k]
    return None


# prints
# function(a: array(float64, 1d), limit: float64) -> float64
#   k: int64
#   for k in range(len(a)):
#       len(a): int64
#     if a[k] > limit:
#         a[k] > limit: bool
#           a[k]: float64
#       return k
#     if a[k] < 0:
#         a[k] < 0: bool
#           a[k]: float64
#       return a[k]
#           a[k]: float64
#   return None
