"""Arrays of texts of a fixed width: elements are texts, comparisons are of each."""

import numpy as np

from tessera import jit


@jit("(int64,)")
def function(n):
    names = np.zeros(n, dtype="U5")
    names[0] = "alpha"
    return names[0] + "!", names == "alpha", names[0].upper(), len(names)


# prints
# function(n: int64) -> tuple(str, array(bool, 1d), str, int64)
#   names: array(<U5, 1d)
#   names = np.zeros(n, dtype="U5")
#       np.zeros(n, dtype="U5"): array(<U5, 1d)
#   names[0] = "alpha"
#   return names[0] + "!", names == "alpha", names[0].upper(), len(names)
#       names[0] + "!", names == "alpha", names[0].upper(), len(names): tuple(str, array(bool, 1d), str, int64)
#         names[0] + "!": str
#           names[0]: str
#         names == "alpha": array(bool, 1d)
#         names[0].upper(): str
#           names[0]: str
#         len(names): int64
