"""Dicts and sets have the types of what is added, written dicts of several types names."""

from tessera import jit


@jit("(int64,)")
def function(n):
    counts = {}
    for k in range(n):
        counts[k % 3] = counts.get(k % 3, 0) + 1
    seen = {1, 2}
    seen.add(n)
    setting = {"size": n, "scale": 0.5}
    return len(counts), n in seen, setting["scale"], seen | {3}


# prints
# function(n: int64) -> tuple(int64, bool, float64, set(int64))
#   counts: dict
#   k: int64
#   seen: set
#   setting: dict
#   counts = {}
#       {}: dict
#   for k in range(n):
#     counts[k % 3] = counts.get(k % 3, 0) + 1
#         k % 3: int64
#         counts.get(k % 3, 0) + 1: int64
#           counts.get(k % 3, 0): int64
#             k % 3: int64
#   seen = {1, 2}
#       {1, 2}: set
#   seen.add(n)
#       seen.add(n): None
#   setting = {"size": n, "scale": 0.5}
#       {"size": n, "scale": 0.5}: dict
#   return len(counts), n in seen, setting["scale"], seen | {3}
#       len(counts), n in seen, setting["scale"], seen | {3}: tuple(int64, bool, float64, set)
#         len(counts): int64
#         n in seen: bool
#         setting["scale"]: float64
#         seen | {3}: set
#           {3}: set
