"""Objects of a user's class: fields, methods and operators."""

from tessera import jit, jitclass, types


@jitclass([("x", types.float64), ("steps", types.int64)])
class Walker:
    def __init__(self, x):
        self.x = x
        self.steps = 0

    def walk(self, by):
        self.x += by
        self.steps += 1
        return self

    def __add__(self, other):
        return Walker(self.x + other.x)


@jit("(float64,)")
def function(x):
    walker = Walker(x)
    walker.walk(2)
    both = walker + Walker(1.0)
    return both.x, walker.steps


# prints
# function(x: float64) -> tuple(float64, int64)
#   both: Walker
#   walker: Walker
#   walker = Walker(x)
#       Walker(x): Walker
#   walker.walk(2)
#       walker.walk(2): Walker
#   both = walker + Walker(1.0)
#       walker + Walker(1.0): Walker
#         Walker(1.0): Walker
#   return both.x, walker.steps
#       both.x, walker.steps: tuple(float64, int64)
#         both.x: float64
#         walker.steps: int64
