"""A sum by shared memory and barriers: each block adds its elements in a tree, then the blocks' sums are added.

python examples/kernels/reduction.py
"""

import numpy

from tessera import cuda

THREADS = 128


@cuda.jit
def block_sums(a, sums):
    held = cuda.shared.array(THREADS, numpy.float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    held[t] = a[i] if i < a.size else 0.0
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            held[t] += held[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = held[0]


a = numpy.arange(100_000.0)
blocks = (a.size + THREADS - 1) // THREADS
sums = cuda.device_array(blocks)
block_sums[blocks, THREADS](a, sums)
print("by the kernel:", float(sums.sum()), " by NumPy:", a.sum())
