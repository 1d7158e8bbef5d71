"""A function that @overload serves, chosen by types."""

from tessera import extending, jit, types


def size_of(x):
    raise NotImplementedError


@extending.overload(size_of)
def _size_of(x):
    if isinstance(x, types.Array):
        return lambda x: x.size
    return lambda x: x * 0.5


@jit("(float32[:], int64)")
def function(a, k):
    return size_of(a), size_of(k)


# prints
# function(a: array(float32, 1d), k: int64) -> tuple(int64, float64)
#   return size_of(a), size_of(k)
#       size_of(a), size_of(k): tuple(int64, float64)
#         size_of(a): int64
#         size_of(k): float64
