"""Conjugate gradients in one launch: the blocks of a cooperative grid wait for each other between the steps.

python examples/kernels/conjugate_gradients.py
"""

import numpy

from tessera import cuda

THREADS = 128


@cuda.jit(device=True)
def dot(grid, x, y, parts):
    """The sum of products, the same in every thread: blocks' sums in a tree, then all of them by each thread in order."""
    held = cuda.shared.array(THREADS, numpy.float64)
    t = cuda.threadIdx.x
    mine = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        mine += x[i] * y[i]
    held[t] = mine
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            held[t] += held[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        parts[cuda.blockIdx.x] = held[0]
    grid.sync()
    total = 0.0
    for k in range(cuda.gridDim.x):
        total += parts[k]
    grid.sync()
    return total


@cuda.jit
def solve(b, x, r, p, q, parts, steps, tolerance, done):
    """A x = b, where A is the second difference of a line: 2 on the diagonal, -1 beside it."""
    grid = cuda.cg.this_grid()
    first, stride, n = cuda.grid(1), cuda.gridsize(1), b.size
    for i in range(first, n, stride):
        x[i] = 0.0
        r[i] = p[i] = b[i]
    grid.sync()
    square = dot(grid, r, r, parts)
    count = 0
    while count < steps and square > tolerance:
        for i in range(first, n, stride):
            left = p[i - 1] if i > 0 else 0.0
            right = p[i + 1] if i + 1 < n else 0.0
            q[i] = 2 * p[i] - left - right
        grid.sync()
        alpha = square / dot(grid, p, q, parts)
        for i in range(first, n, stride):
            x[i] += alpha * p[i]
            r[i] -= alpha * q[i]
        grid.sync()
        before = square
        square = dot(grid, r, r, parts)
        for i in range(first, n, stride):
            p[i] = r[i] + square / before * p[i]
        grid.sync()
        count += 1
    if first == 0:
        done[0] = count


n = 2000
b = numpy.random.default_rng(1).standard_normal(n)
x, r, p, q = (cuda.device_array(n) for _ in range(4))
done = numpy.zeros(1, numpy.int64)
blocks = 8
parts = cuda.device_array(blocks)
solve[blocks, THREADS](b, x, r, p, q, parts, 3 * n, 1e-16, done)
given = x.copy_to_host()
product = 2 * given
product[1:] -= given[:-1]
product[:-1] -= given[1:]
print(f"{done[0]} steps; largest residual {numpy.abs(product - b).max():.1e}")
