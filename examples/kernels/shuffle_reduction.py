"""A sum without shared memory: the threads of a warp hand numbers to each other, then one of them adds to the total.

python examples/kernels/shuffle_reduction.py
"""

import numpy

from tessera import cuda

ALL = 0xFFFFFFFF


@cuda.jit
def add_up(a, total):
    mine = 0
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        mine += a[i]
    step = cuda.warpsize // 2
    while step > 0:
        mine += cuda.shfl_down_sync(ALL, mine, step)
        step //= 2
    if cuda.laneid == 0:
        cuda.atomic.add(total, 0, mine)


a = numpy.arange(1_000_000)
total = numpy.zeros(1, numpy.int64)
add_up[64, 128](a, total)
print("by the kernel:", total[0], " by NumPy:", a.sum())
