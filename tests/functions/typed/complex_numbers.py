"""Parts of complex numbers are floats of half their size."""

import cmath

from tessera import jit


@jit("(complex64, complex128, float64)")
def function(z, v, x):
    w = z * x
    return z.real, v.imag, w, cmath.exp(v), z.conjugate()


# prints
# function(z: complex64, v: complex128, x: float64) -> tuple(float32, float64, complex128, complex128, complex64)
#   w: complex128
#   w = z * x
#       z * x: complex128
#   return z.real, v.imag, w, cmath.exp(v), z.conjugate()
#       z.real, v.imag, w, cmath.exp(v), z.conjugate(): tuple(float32, float64, complex128, complex128, complex64)
#         z.real: float32
#         v.imag: float64
#         cmath.exp(v): complex128
#         z.conjugate(): complex64
