"""Dtypes are values: arrays are made with them, numbers converted."""

import numpy

from tessera import jit


@jit("(float32[:], int64)")
def function(a, n):
    kind = a.dtype
    made = numpy.zeros(n, kind)
    other = numpy.empty_like(a, dtype=numpy.complex64)
    return made[0], other[0], kind.type(n), type(n)(2.5)


# prints
# function(a: array(float32, 1d), n: int64) -> tuple(float32, complex64, float32, int64)
#   kind: type float32
#   made: array(float32, 1d)
#   other: array(complex64, 1d)
#   kind = a.dtype
#       a.dtype: type float32
#   made = numpy.zeros(n, kind)
#       numpy.zeros(n, kind): array(float32, 1d)
#   other = numpy.empty_like(a, dtype=numpy.complex64)
#       numpy.empty_like(a, dtype=numpy.complex64): array(complex64, 1d)
#         numpy.complex64: type complex64
#   return made[0], other[0], kind.type(n), type(n)(2.5)
#       made[0], other[0], kind.type(n), type(n)(2.5): tuple(float32, complex64, float32, int64)
#         made[0]: float32
#         other[0]: complex64
#         kind.type(n): float32
#           kind.type: type float32
#         type(n)(2.5): int64
#           type(n): type int64
