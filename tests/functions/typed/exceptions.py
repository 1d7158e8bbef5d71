"""A handler's variable, and what the body, handlers and else assign."""

from tessera import jit


@jit("(int64[:], int64)")
def function(a, k):
    try:
        if k > len(a):
            raise IndexError("outside")
        x = a[k]
    except IndexError:
        x = 2.5
    else:
        k = 0
    finally:
        done = True
    return x, k, done


# prints
# function(a: array(int64, 1d), k: int64) -> tuple(float64, int64, bool)
#   done: bool
#   x: float64
#   try:
#     try:
#       if k > len(a):
#           k > len(a): bool
#             len(a): int64
#         raise IndexError("outside")
#       x = a[k]
#           a[k]: int64
#     try:
#       x = 2.5
#     try:
#       k = 0
#     try:
#       done = True
#   return x, k, done
#       x, k, done: tuple(float64, int64, bool)
