"""A kernel: nested loops, conditions, integers of 8 bits that are computed in 64."""

from tessera import cuda


@cuda.jit("void(int8[:, :], int8[:, :])")
def function(a, out):
    x, y = cuda.grid(2)
    if 0 < x < a.shape[1] - 1 and 0 < y < a.shape[0] - 1:
        total = 0
        for dy in range(-1, 2):
            total += a[y + dy, x]
        out[y, x] = total // 3


# prints
# function(a: array(int8, 2d), out: array(int8, 2d)) -> None
#   dy: int64
#   total: int64
#   x: int64
#   y: int64
#   x, y = cuda.grid(2)
#       cuda.grid(2): tuple(int64, int64)
#   if 0 < x < a.shape[1] - 1 and 0 < y < a.shape[0] - 1:
#       0 < x < a.shape[1] - 1 and 0 < y < a.shape[0] - 1: bool
#         0 < x < a.shape[1] - 1: bool
#           a.shape[1] - 1: int64
#             a.shape[1]: int64
#               a.shape: tuple(int64, int64)
#         0 < y < a.shape[0] - 1: bool
#           a.shape[0] - 1: int64
#             a.shape[0]: int64
#               a.shape: tuple(int64, int64)
#     total = 0
#     for dy in range(-1, 2):
#         -1: int64
#       total += a[y + dy, x]
#           a[y + dy, x]: int8
#             y + dy, x: tuple(int64, int64)
#               y + dy: int64
#     out[y, x] = total // 3
#         y, x: tuple(int64, int64)
#         total // 3: int64
