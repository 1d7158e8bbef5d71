"""Types that are called convert numbers."""

import numpy

from tessera import jit


@jit("(float64, int64, complex64)")
def function(x, k, z):
    return (
        int(x),
        float(k),
        complex(k),
        bool(x),
        numpy.float32(x),
        numpy.uint8(k),
        numpy.int16(x),
        abs(z) * numpy.float32(2),
    )


# prints
# function(x: float64, k: int64, z: complex64) -> tuple(int64, float64, complex128, bool, float32, uint8, int16, float32)
#   return (
#       ( int(x), float(k), complex(k), bool(x), numpy.float32(x), numpy.uint8(k), numpy.int16(x), abs(z) * numpy.float32(2), ): tuple(int64, float64, complex128, bool, float32, uint8, int16, float32)
#         int(x): int64
#         float(k): float64
#         complex(k): complex128
#         bool(x): bool
#         numpy.float32(x): float32
#         numpy.uint8(k): uint8
#         numpy.int16(x): int16
#         abs(z) * numpy.float32(2): float32
#           abs(z): float32
#           numpy.float32(2): float32
