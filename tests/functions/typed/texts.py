"""Texts are chosen at run time among those that are written."""

from tessera import jit


@jit("(boolean, int64)")
def function(b, k):
    name = "yes" if b else "no"
    if k > 1:
        name = "many"
    return name == "no", len(name), name + "!" == "no!"


# prints
# function(b: bool, k: int64) -> tuple(bool, int64, bool)
#   name: str
#   name = "yes" if b else "no"
#       "yes" if b else "no": str
#   if k > 1:
#       k > 1: bool
#     name = "many"
#   return name == "no", len(name), name + "!" == "no!"
#       name == "no", len(name), name + "!" == "no!": tuple(bool, int64, bool)
#         name == "no": bool
#         len(name): int64
#         name + "!" == "no!": bool
#           name + "!": str
