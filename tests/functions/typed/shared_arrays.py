"""A kernel with a shared and a local array, a barrier and an atomic operation."""

import numpy as np

from tessera import cuda


@cuda.jit
def function(out, x):
    tile = cuda.shared.array(32, np.float32)
    own = cuda.local.array(2, np.int64)
    i = cuda.threadIdx.x
    tile[i] = x[cuda.grid(1)]
    own[0] = i
    cuda.syncthreads()
    cuda.atomic.add(out, own[0] % 2, tile[31 - i])


function[1, 32](np.zeros(2, np.float32), np.ones(32, np.float32))


# prints
# function(out: array(float32, 1d), x: array(float32, 1d)) -> None
#   i: int64
#   own: array(int64, 1d)
#   tile: array(float32, 1d)
#   tile = cuda.shared.array(32, np.float32)
#       cuda.shared.array(32, np.float32): array(float32, 1d)
#         np.float32: type float32
#   own = cuda.local.array(2, np.int64)
#       cuda.local.array(2, np.int64): array(int64, 1d)
#         np.int64: type int64
#   i = cuda.threadIdx.x
#       cuda.threadIdx.x: int64
#   tile[i] = x[cuda.grid(1)]
#       x[cuda.grid(1)]: float32
#         cuda.grid(1): int64
#   own[0] = i
#   cuda.syncthreads()
#       cuda.syncthreads(): None
#   cuda.atomic.add(out, own[0] % 2, tile[31 - i])
#       cuda.atomic.add(out, own[0] % 2, tile[31 - i]): float32
#         own[0] % 2: int64
#           own[0]: int64
#         tile[31 - i]: float32
#           31 - i: int64
