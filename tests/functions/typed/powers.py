"""Powers: of integers by integers, of floats, by constants."""

from tessera import jit


@jit("(int64, float32, int32)")
def function(k, f, i):
    return k**2, k**-1, f**2, f**k, k**f, i**i, 2.0**k, pow(f, 3)


# prints
# function(k: int64, f: float32, i: int32) -> tuple(int64, int64, float32, float32, float64, int64, float64, float32)
#   return k**2, k**-1, f**2, f**k, k**f, i**i, 2.0**k, pow(f, 3)
#       k**2, k**-1, f**2, f**k, k**f, i**i, 2.0**k, pow(f, 3): tuple(int64, int64, float32, float32, float64, int64, float64, float32)
#         k**2: int64
#         k**-1: int64
#           -1: int64
#         f**2: float32
#         f**k: float32
#         k**f: float64
#         i**i: int64
#         2.0**k: float64
#         pow(f, 3): float32
