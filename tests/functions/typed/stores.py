"""What is stored takes the array's dtype."""

from tessera import jit


@jit("(int8[:], float32[:, :], complex64[:])")
def function(a, b, z):
    a[0] = 2.9
    b[0, :] = a[0]
    b[:] = b * 2
    z[0] = b[0, 0]
    z[1:] = 1j
    return a[0], z[0]


# prints
# function(a: array(int8, 1d), b: array(float32, 2d), z: array(complex64, 1d)) -> tuple(int8, complex64)
#   a[0] = 2.9
#   b[0, :] = a[0]
#       0, :: tuple(int64, slice)
#         :: slice
#       a[0]: int8
#   b[:] = b * 2
#       :: slice
#       b * 2: array(float32, 2d)
#   z[0] = b[0, 0]
#       b[0, 0]: float32
#         0, 0: tuple(int64, int64)
#   z[1:] = 1j
#       1:: slice
#   return a[0], z[0]
#       a[0], z[0]: tuple(int8, complex64)
#         a[0]: int8
#         z[0]: complex64
