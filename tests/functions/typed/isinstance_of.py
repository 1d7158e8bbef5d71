"""isinstance is known while compiling: the other branch is not looked at."""

import numpy

from tessera import jit


@jit("(float64[:], int64)")
def function(a, k):
    if isinstance(a, numpy.ndarray):
        x = a.sum()
    else:
        x = a.nothing()
    y = k.bits() if isinstance(k, float) else k
    return x, y


# prints
# function(a: array(float64, 1d), k: int64) -> tuple(float64, int64)
#   x: float64
#   y: int64
#   if isinstance(a, numpy.ndarray):
#       isinstance(a, numpy.ndarray): bool
#         numpy.ndarray: function numpy.ndarray
#     x = a.sum()
#         a.sum(): float64
#   else:
#     x = a.nothing()
#   y = k.bits() if isinstance(k, float) else k
#       k.bits() if isinstance(k, float) else k: int64
#         isinstance(k, float): bool
#   return x, y
#       x, y: tuple(float64, int64)
