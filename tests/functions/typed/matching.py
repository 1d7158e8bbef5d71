"""match: values, alternatives, guards and captures."""

from tessera import jit


@jit("(int64, float64)")
def function(k, x):
    match k:
        case 0:
            found = 0
        case 1 | 2 if x > 0:
            found = x
        case n:
            found = n * 2
    return found


# prints
# function(k: int64, x: float64) -> float64
#   found: float64
#   n: int64
#   subject_of_line_8: int64
#   match k:
#   case 0:
#       0: bool
#     found = 0
#   else:
#     case 1 | 2 if x > 0:
#         1 | 2: bool
#           1 | 2: bool
#             1: bool
#             2: bool
#           x > 0: bool
#       found = x
#     else:
#       case n:
#       found = n * 2
#           n * 2: int64
#   return found
