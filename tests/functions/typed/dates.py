"""Dates and spans of time keep the finer unit; a span by a number is a span."""

import numpy as np

from tessera import jit


@jit("(int64,)")
def function(n):
    day = np.datetime64("2024-02-29") + n
    hours = np.timedelta64(n, "h")
    later = day + hours
    return later > day, later - day, hours / np.timedelta64(1, "m"), np.isnat(later), -hours * 2


# prints
# function(n: int64) -> tuple(bool, timedelta64[h], float64, bool, timedelta64[h])
#   day: datetime64[D]
#   hours: timedelta64[h]
#   later: datetime64[h]
#   day = np.datetime64("2024-02-29") + n
#       np.datetime64("2024-02-29") + n: datetime64[D]
#         np.datetime64("2024-02-29"): datetime64[D]
#   hours = np.timedelta64(n, "h")
#       np.timedelta64(n, "h"): timedelta64[h]
#   later = day + hours
#       day + hours: datetime64[h]
#   return later > day, later - day, hours / np.timedelta64(1, "m"), np.isnat(later), -hours * 2
#       later > day, later - day, hours / np.timedelta64(1, "m"), np.isnat(later), -hours * 2: tuple(bool, timedelta64[h], float64, bool, timedelta64[h])
#         later > day: bool
#         later - day: timedelta64[h]
#         hours / np.timedelta64(1, "m"): float64
#           np.timedelta64(1, "m"): timedelta64[m]
#         np.isnat(later): bool
#         -hours * 2: timedelta64[h]
#           -hours: timedelta64[h]
