"""Lists widen to what is added; methods and slices."""

from tessera import jit


@jit("(int64,)")
def function(n):
    made = []
    for k in range(n):
        made.append(k)
    made.append(2.5)
    made.insert(0, n)
    part = made[1:3]
    last = made.pop()
    nested = [[n], [n, 2]]
    return made, part, last, nested[0], sum(made), n in made


# prints
# function(n: int64) -> tuple(list(float64), list(float64), float64, list(int64), float64, bool)
#   k: int64
#   last: float64
#   made: list
#   nested: list
#   part: list
#   made = []
#       []: tuple()
#   for k in range(n):
#     made.append(k)
#         made.append(k): None
#   made.append(2.5)
#       made.append(2.5): None
#   made.insert(0, n)
#       made.insert(0, n): None
#   part = made[1:3]
#       made[1:3]: list
#         1:3: slice
#   last = made.pop()
#       made.pop(): float64
#   nested = [[n], [n, 2]]
#       [[n], [n, 2]]: tuple(tuple(int64), tuple(int64, int64))
#         [n]: tuple(int64)
#         [n, 2]: tuple(int64, int64)
#   return made, part, last, nested[0], sum(made), n in made
#       made, part, last, nested[0], sum(made), n in made: tuple(list, list, float64, list, float64, bool)
#         nested[0]: list
#         sum(made): float64
#         n in made: bool
