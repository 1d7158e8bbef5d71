"""while with break, continue and else."""

from tessera import jit


@jit("(int64,)")
def function(n):
    k = 0
    while k < n:
        k += 1
        if k % 7 == 0:
            break
        if k % 2:
            continue
        half = k / 2
    else:
        half = -1.0
    return half


# prints
# function(n: int64) -> float64
#   half: float64
#   k: int64
#   k = 0
#   while k < n:
#       k < n: bool
#     k += 1
#     if k % 7 == 0:
#         k % 7 == 0: bool
#           k % 7: int64
#       break
#     if k % 2:
#         k % 2: int64
#       continue
#     half = k / 2
#         k / 2: float64
#   else:
#     half = -1.0
#         -1.0: float64
#   return half
