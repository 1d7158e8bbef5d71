"""Names from outside are constants; a tuple of them has its elements' types."""

from tessera import jit

SIZES = (3, 2.5, True)
NAME = "odd"


@jit("(int64,)")
def function(k):
    chosen = SIZES[1] if NAME == "odd" else SIZES[0]
    return SIZES, chosen * k


# prints
# function(k: int64) -> tuple(tuple(int64, float64, bool), float64)
#   chosen: float64
#   chosen = SIZES[1] if NAME == "odd" else SIZES[0]
#       SIZES[1] if NAME == "odd" else SIZES[0]: float64
#         NAME == "odd": bool
#         SIZES[1]: float64
#   return SIZES, chosen * k
#       SIZES, chosen * k: tuple(tuple(int64, float64, bool), float64)
#         chosen * k: float64
