"""A variable that both branches assign is of the type that holds both."""

from tessera import jit


@jit("(boolean, int32, float32)")
def function(b, i, f):
    if b:
        x = i
    else:
        x = f
    return x


# prints
# function(b: bool, i: int32, f: float32) -> float64
#   x: float64
#   if b:
#     x = i
#   else:
#     x = f
#   return x
