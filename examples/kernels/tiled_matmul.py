"""A matrix product by 16 x 16 tiles in shared memory: each element is loaded once a tile in place of once a product.

python examples/kernels/tiled_matmul.py
"""

import numpy

from tessera import cuda

TILE = 16


@cuda.jit
def multiply(a, b, c):
    of_a = cuda.shared.array((TILE, TILE), numpy.float32)
    of_b = cuda.shared.array((TILE, TILE), numpy.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = numpy.float32(0)
    for first in range(0, a.shape[1], TILE):
        of_a[ty, tx] = a[row, first + tx] if row < a.shape[0] and first + tx < a.shape[1] else 0
        of_b[ty, tx] = b[first + ty, column] if column < b.shape[1] and first + ty < b.shape[0] else 0
        cuda.syncthreads()
        for k in range(TILE):
            total += of_a[ty, k] * of_b[k, tx]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


a, b = numpy.random.default_rng(1).random((2, 250, 250), numpy.float32)
c = cuda.device_array((250, 250), numpy.float32)
blocks = -(-250 // TILE)
multiply[(blocks, blocks), (TILE, TILE)](a, b, c)
print("largest difference from NumPy:", float(numpy.abs(c.copy_to_host() - a @ b).max()))
