"""Functions defined inside see the variables around; each call has types of its own."""

from tessera import jit


@jit("(int64, float32)")
def function(i, f):
    def scaled(x):
        return x * i

    return scaled(i), scaled(f)


# prints
# function(i: int64, f: float32) -> tuple(int64, float64)
#   scaled: device function scaled
#   def scaled(x):
#   return scaled(i), scaled(f)
#       scaled(i), scaled(f): tuple(int64, float64)
#         scaled(i): int64
#         scaled(f): float64
