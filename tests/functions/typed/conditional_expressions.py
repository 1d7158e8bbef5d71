"""Conditional expressions unify both values."""

from tessera import jit


@jit("(boolean, int8, int64, float32)")
def function(b, i, j, f):
    small = i if b else j
    mixed = f if b else i
    maybe = j if b else None
    return small, mixed, maybe


# prints
# function(b: bool, i: int8, j: int64, f: float32) -> tuple(int64, float32, optional(int64))
#   maybe: optional(int64)
#   mixed: float32
#   small: int64
#   small = i if b else j
#       i if b else j: int64
#   mixed = f if b else i
#       f if b else i: float32
#   maybe = j if b else None
#       j if b else None: optional(int64)
#   return small, mixed, maybe
#       small, mixed, maybe: tuple(int64, float32, optional(int64))
