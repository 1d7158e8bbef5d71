"""Elements, slices and rows of arrays; negative and computed indices."""

from tessera import jit


@jit("(int16[:, :], int64)")
def function(a, k):
    row = a[k]
    block = a[1:, ::2]
    last = a[-1, -1]
    column = a[..., 0]
    new = a[None]
    return row[0], block[0, 0], last, column[k], new.ndim


# prints
# function(a: array(int16, 2d), k: int64) -> tuple(int16, int16, int16, int16, int64)
#   block: array(int16, 2d)
#   column: array(int16, 1d)
#   last: int16
#   new: array(int16, 3d)
#   row: array(int16, 1d)
#   row = a[k]
#       a[k]: array(int16, 1d)
#   block = a[1:, ::2]
#       a[1:, ::2]: array(int16, 2d)
#         1:, ::2: tuple(slice, slice)
#           1:: slice
#           ::2: slice
#   last = a[-1, -1]
#       a[-1, -1]: int16
#         -1, -1: tuple(int64, int64)
#           -1: int64
#           -1: int64
#   column = a[..., 0]
#       a[..., 0]: array(int16, 1d)
#         ..., 0: tuple(..., int64)
#           ...: ...
#   new = a[None]
#       a[None]: array(int16, 3d)
#   return row[0], block[0, 0], last, column[k], new.ndim
#       row[0], block[0, 0], last, column[k], new.ndim: tuple(int16, int16, int16, int16, int64)
#         row[0]: int16
#         block[0, 0]: int16
#           0, 0: tuple(int64, int64)
#         column[k]: int16
#         new.ndim: int64
