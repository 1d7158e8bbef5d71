"""Absolute values: of complex numbers a float, of bools an integer."""

from tessera import jit


@jit("(complex64, int8, boolean)")
def function(z, k, b):
    return abs(z), abs(k), abs(b)


# prints
# function(z: complex64, k: int8, b: bool) -> tuple(float32, int8, int64)
#   return abs(z), abs(k), abs(b)
#       abs(z), abs(k), abs(b): tuple(float32, int8, int64)
#         abs(z): float32
#         abs(k): int8
#         abs(b): int64
