"""literal_unroll: each element of a tuple with its own type."""

from tessera.cuda import literal_unroll

from tessera import jit


@jit("(int64, float32[:])")
def function(k, a):
    total = 0.0
    for one in literal_unroll((k, a, 2.5)):
        if isinstance(one, int):
            total += one * 2
        elif isinstance(one, float):
            total -= one
        else:
            total += one[0]
    return total


# prints
# function(k: int64, a: array(float32, 1d)) -> float64
#   total: float64
#   total = 0.0
#   for one in literal_unroll((k, a, 2.5)):
#       (k, a, 2.5): tuple(int64, array(float32, 1d), float64)
#     if isinstance(one, int):
#         isinstance(one, int): bool
#       total += one * 2
#           one * 2: int64
#     else:
#       elif isinstance(one, float):
#           isinstance(one, float): bool
#         total -= one
#       else:
#         total += one[0]
#             one[0]: float32
#   return total
