"""Arguments that are left out have the types of their default values."""

from tessera import jit
from tessera import jit as compiled


@compiled
def added(x, y=2.5, z=None):
    if z is None:
        return x + y
    return x + y + z


@jit("(int64,)")
def function(k):
    return added(k), added(k, 1), added(k, 1, 2)


# prints
# function(k: int64) -> tuple(float64, int64, int64)
#   return added(k), added(k, 1), added(k, 1, 2)
#       added(k), added(k, 1), added(k, 1, 2): tuple(float64, int64, int64)
#         added(k): float64
#         added(k, 1): int64
#         added(k, 1, 2): int64
