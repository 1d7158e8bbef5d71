"""Forty kernels without a fault, some of which look like it. Each runs what it is given a decorator for, and returns its results."""

import math

import numpy as np

from tessera import cuda

KERNELS = []


def kernel(function):
    KERNELS.append(function)
    return function


def launch(jit, function, blocks, threads, *arguments, shared=0):
    jit(function)[blocks, threads, 0, shared](*arguments)
    return [one for one in arguments if isinstance(one, np.ndarray)]


def numbers(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


@kernel
def vector_add(jit):
    def add(a, b, c):
        i = cuda.grid(1)
        if i < c.size:
            c[i] = a[i] + b[i]

    return launch(jit, add, 5, 64, numbers(300), numbers(300), np.zeros(300))


@kernel
def early_return(jit):
    def add(a, c):
        i = cuda.grid(1)
        if i >= c.size:
            return
        c[i] = a[i] * 2

    return launch(jit, add, 5, 64, numbers(300), np.zeros(300))


@kernel
def return_before_a_barrier(jit):
    def reversed_block(a, c):
        s = cuda.shared.array(64, np.float64)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        if i >= a.size:
            return
        s[t] = a[i]
        cuda.syncthreads()
        c[i] = s[t ^ 1]

    return launch(jit, reversed_block, 2, 64, numbers(100), np.zeros(100))


@kernel
def block_sum(jit):
    def sums(x, out):
        s = cuda.shared.array(128, np.float64)
        t = cuda.threadIdx.x
        s[t] = x[cuda.grid(1)]
        cuda.syncthreads()
        k = 64
        while k > 0:
            if t < k:
                s[t] += s[t + k]
            cuda.syncthreads()
            k //= 2
        if t == 0:
            out[cuda.blockIdx.x] = s[0]

    return launch(jit, sums, 4, 128, numbers(512), np.zeros(4))


@kernel
def tiled_product(jit):
    def product(a, b, c):
        sa = cuda.shared.array((8, 8), np.float32)
        sb = cuda.shared.array((8, 8), np.float32)
        x, y = cuda.grid(2)
        tx = cuda.threadIdx.x
        ty = cuda.threadIdx.y
        total = np.float32(0)
        for k in range(a.shape[1] // 8):
            sa[ty, tx] = a[y, k * 8 + tx]
            sb[ty, tx] = b[k * 8 + ty, x]
            cuda.syncthreads()
            for j in range(8):
                total += sa[ty, j] * sb[j, tx]
            cuda.syncthreads()
        c[y, x] = total

    a, b = numbers((16, 24)).astype(np.float32), numbers((24, 16)).astype(np.float32)
    return launch(jit, product, (2, 2), (8, 8), a, b, np.zeros((16, 16), np.float32))


@kernel
def histogram(jit):
    def count(x, bins):
        s = cuda.shared.array(16, np.int32)
        t = cuda.threadIdx.x
        if t < 16:
            s[t] = 0
        cuda.syncthreads()
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            cuda.atomic.add(s, x[i], 1)
        cuda.syncthreads()
        if t < 16:
            cuda.atomic.add(bins, t, s[t])

    return launch(jit, count, 3, 64, np.arange(1000, dtype=np.int32) % 16, np.zeros(16, np.int32))


@kernel
def scan(jit):
    def add_up(x, out):
        s = cuda.shared.array(64, np.float64)
        t = cuda.threadIdx.x
        s[t] = x[cuda.grid(1)]
        cuda.syncthreads()
        step = 1
        while step < 64:
            before = s[t - step] if t >= step else 0.0
            cuda.syncthreads()
            s[t] += before
            cuda.syncthreads()
            step *= 2
        out[cuda.grid(1)] = s[t]

    return launch(jit, add_up, 2, 64, numbers(128), np.zeros(128))


@kernel
def bitonic_sort(jit):
    def sort(x):
        s = cuda.shared.array(64, np.float64)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncthreads()
        k = 2
        while k <= 64:
            j = k // 2
            while j > 0:
                other = t ^ j
                if other > t and (s[t] > s[other]) == ((t & k) == 0):
                    s[t], s[other] = s[other], s[t]
                cuda.syncthreads()
                j //= 2
            k *= 2
        x[t] = s[t]

    return launch(jit, sort, 1, 64, numbers(64))


@kernel
def stencil_with_halo(jit):
    def smooth(x, out):
        s = cuda.shared.array(66, np.float64)
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        s[t + 1] = x[i]
        if t == 0:
            s[0] = x[i - 1] if i > 0 else 0.0
        if t == 63:
            s[65] = x[i + 1] if i + 1 < x.size else 0.0
        cuda.syncthreads()
        out[i] = s[t] + s[t + 1] + s[t + 2]

    return launch(jit, smooth, 3, 64, numbers(192), np.zeros(192))


@kernel
def equal_concurrent_writes(jit):
    def flag(x, out):
        if x[cuda.grid(1)] > 0:
            out[0] = 1

    return launch(jit, flag, 2, 64, numbers(128), np.zeros(1))


@kernel
def equal_writes_to_shared(jit):
    def flag(x, out):
        found = cuda.shared.array(1, np.int32)
        found[0] = 0
        cuda.syncthreads()
        if x[cuda.grid(1)] > 2:
            found[0] = 1
        cuda.syncthreads()
        out[cuda.grid(1)] = found[0]

    return launch(jit, flag, 2, 64, numbers(128), np.zeros(128))


@kernel
def softmax_of_rows(jit):
    def rows(x, out):
        s = cuda.shared.array(32, np.float64)
        t = cuda.threadIdx.x
        r = cuda.blockIdx.x
        m = x[r, t]
        for j in range(t + 32, x.shape[1], 32):
            m = max(m, x[r, j])
        s[t] = m
        cuda.syncthreads()
        k = 16
        while k > 0:
            if t < k:
                s[t] = max(s[t], s[t + k])
            cuda.syncthreads()
            k //= 2
        for j in range(t, x.shape[1], 32):
            out[r, j] = math.exp(x[r, j] - s[0])

    return launch(jit, rows, 4, 32, numbers((4, 100)), np.zeros((4, 100)))


@kernel
def transpose(jit):
    def turned(x, out):
        s = cuda.shared.array((8, 9), np.float64)
        tx = cuda.threadIdx.x
        ty = cuda.threadIdx.y
        s[ty, tx] = x[cuda.blockIdx.y * 8 + ty, cuda.blockIdx.x * 8 + tx]
        cuda.syncthreads()
        out[cuda.blockIdx.x * 8 + ty, cuda.blockIdx.y * 8 + tx] = s[tx, ty]

    return launch(jit, turned, (3, 2), (8, 8), numbers((16, 24)), np.zeros((24, 16)))


@kernel
def shuffled_sum(jit):
    def sums(x, out):
        v = x[cuda.grid(1)]
        d = 16
        while d > 0:
            v += cuda.shfl_down_sync(0xFFFFFFFF, v, d)
            d //= 2
        if cuda.laneid == 0:
            cuda.atomic.add(out, 0, v)

    return launch(jit, sums, 2, 64, np.arange(128.0), np.zeros(1))


@kernel
def warps_by_syncwarp(jit):
    def turned(x, out):
        s = cuda.shared.array(64, np.float64)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncwarp()
        v = s[t ^ 31]
        cuda.syncwarp()
        s[t] = v
        cuda.syncwarp()
        out[t] = s[t ^ 1]

    return launch(jit, turned, 1, 64, numbers(64), np.zeros(64))


@kernel
def last_block_sums(jit):
    def total(x, parts, counter, out):
        s = cuda.shared.array(1, np.int32)
        t = cuda.threadIdx.x
        if t == 0:
            part = 0.0
            for k in range(32):
                part += x[cuda.blockIdx.x * 32 + k]
            parts[cuda.blockIdx.x] = part
            cuda.threadfence()
            s[0] = cuda.atomic.inc(counter, 0, 1000) == cuda.gridDim.x - 1
        cuda.syncthreads()
        if s[0] and t == 0:
            sums = 0.0
            for k in range(cuda.gridDim.x):
                sums += parts[k]
            out[0] = sums

    return launch(jit, total, 6, 32, numbers(192), np.zeros(6), np.zeros(1, np.uint32), np.zeros(1))[::3]


@kernel
def lock_with_fences(jit):
    def add(mutex, total):
        if cuda.threadIdx.x == 0:
            while cuda.atomic.cas(mutex, 0, 0, 1) != 0:
                pass
            cuda.threadfence()
            total[0] = total[0] + cuda.blockIdx.x
            cuda.threadfence()
            cuda.atomic.exch(mutex, 0, 0)

    return launch(jit, add, 8, 1, np.zeros(1, np.int32), np.zeros(1, np.int64))


@kernel
def grid_barrier(jit):
    def rows(m):
        col = cuda.grid(1)
        g = cuda.cg.this_grid()
        for row in range(1, m.shape[0]):
            m[row, col] = m[row - 1, m.shape[1] - col - 1] + 1
            g.sync()

    return launch(jit, rows, 4, 16, np.zeros((8, 64)))


@kernel
def grid_wide_sum(jit):
    def total(x, parts, out):
        g = cuda.cg.this_grid()
        i = cuda.grid(1)
        parts[i] = x[i] * 2
        g.sync()
        out[i] = parts[x.size - 1 - i]

    return launch(jit, total, 4, 16, numbers(64), np.zeros(64), np.zeros(64))


@kernel
def double_buffer(jit):
    def steps(x, out):
        s = cuda.shared.array((2, 64), np.float64)
        t = cuda.threadIdx.x
        s[0, t] = x[t]
        cuda.syncthreads()
        for k in range(4):
            s[1 - k % 2, t] = s[k % 2, (t + 1) % 64]
            cuda.syncthreads()
        out[t] = s[0, t]

    return launch(jit, steps, 1, 64, numbers(64), np.zeros(64))


@kernel
def local_array(jit):
    def sorts(x, out):
        a = cuda.local.array(4, np.float64)
        i = cuda.grid(1)
        for k in range(4):
            a[k] = x[i, k]
        for k in range(3):
            for j in range(3 - k):
                if a[j] > a[j + 1]:
                    a[j], a[j + 1] = a[j + 1], a[j]
        for k in range(4):
            out[i, k] = a[k]

    return launch(jit, sorts, 2, 16, numbers((32, 4)), np.zeros((32, 4)))


@kernel
def dynamic_shared_of_two_types(jit):
    def mixed(x, out):
        d = cuda.shared.array(0, np.float64)
        k = cuda.shared.array(0, np.int32)
        t = cuda.threadIdx.x
        d[t] = x[t]
        k[64 + t] = t
        cuda.syncthreads()
        out[t] = d[31 - t] + k[64 + (t ^ 1)]

    return launch(jit, mixed, 1, 32, numbers(32), np.zeros(32), shared=384)


@kernel
def complex_numbers(jit):
    def turn(x, out):
        s = cuda.shared.array(32, np.complex128)
        t = cuda.threadIdx.x
        s[t] = x[t] * 1j
        cuda.syncthreads()
        out[t] = s[31 - t]

    return launch(jit, turn, 1, 32, numbers(32) + 1j * numbers(32, 1), np.zeros(32, np.complex128))


@kernel
def in_place(jit):
    def doubled(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += x[i]

    return launch(jit, doubled, 2, 64, numbers(100))


@kernel
def one_array_twice(jit):
    def doubled(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = x[i] + 1

    a = numbers(100)
    return launch(jit, doubled, 2, 64, a, a)


@kernel
def own_rows(jit):
    def sums(x, out):
        i = cuda.grid(1)
        out[i] = 0
        for k in range(x.shape[1]):
            out[i] += x[i, k]

    return launch(jit, sums, 2, 16, numbers((32, 5)), np.zeros(32))


@kernel
def records(jit):
    def move(p):
        i = cuda.grid(1)
        p[i].x += p[i].v
        p[i].v = 0

    p = np.zeros(32, [("x", np.float64), ("v", np.float32)])
    p["v"] = numbers(32)
    return launch(jit, move, 1, 32, p)


@kernel
def slices(jit):
    def copy(x, out):
        i = cuda.grid(1)
        row = x[i, 1:4]
        out[i, :3] = row
        out[i, 3] = row.sum()

    return launch(jit, copy, 1, 16, numbers((16, 5)), np.zeros((16, 4)))


@kernel
def uniform_branch(jit):
    def maybe(x, n, out):
        s = cuda.shared.array(32, np.float64)
        t = cuda.threadIdx.x
        s[t] = x[t]
        if n > 3:
            cuda.syncthreads()
            out[t] = s[31 - t]
        else:
            out[t] = s[t]

    return launch(jit, maybe, 1, 32, numbers(32), 5, np.zeros(32))


@kernel
def blocks_with_different_barriers(jit):
    def different(x, out):
        s = cuda.shared.array(32, np.float64)
        t = cuda.threadIdx.x
        for k in range(cuda.blockIdx.x):
            s[t] = x[t] + k
            cuda.syncthreads()
            out[cuda.blockIdx.x, t] = s[31 - t]
            cuda.syncthreads()

    return launch(jit, different, 3, 32, numbers(32), np.zeros((3, 32)))


@kernel
def until_nothing_changes(jit):
    def spread(x):
        changed = cuda.shared.array(1, np.int32)
        t = cuda.threadIdx.x
        while True:
            if t == 0:
                changed[0] = 0
            cuda.syncthreads()
            left = x[t - 1] if t > 0 else 0
            cuda.syncthreads()
            if left > x[t]:
                x[t] = left
                changed[0] = 1
            cuda.syncthreads()
            if changed[0] == 0:
                break
            cuda.syncthreads()

    return launch(jit, spread, 1, 16, np.array([5.0] + 15 * [1.0]))


@kernel
def votes(jit):
    def count(x, out):
        n = cuda.syncthreads_count(x[cuda.grid(1)] > 0)
        if cuda.threadIdx.x == 0:
            out[cuda.blockIdx.x] = n

    return launch(jit, count, 3, 64, numbers(192), np.zeros(3, np.int64))


@kernel
def compaction(jit):
    def chosen(x, out, count):
        i = cuda.grid(1)
        if x[i] > 0:
            cuda.atomic.add(count, 0, 1)
            out[i] = 1

    return launch(jit, chosen, 2, 64, numbers(128), np.zeros(128), np.zeros(1, np.int64))


@kernel
def maximum_by_atomic(jit):
    def most(x, out):
        cuda.atomic.max(out, 0, x[cuda.grid(1)])

    return launch(jit, most, 2, 64, numbers(128), np.full(1, -9.0))


@kernel
def waiting_for_a_flag(jit):
    def relay(turn, order):
        i = cuda.grid(1)
        while cuda.atomic.add(turn, 0, 0) != i:
            pass
        order[i] = i
        cuda.threadfence()
        cuda.atomic.add(turn, 0, 1)

    return launch(jit, relay, 8, 1, np.zeros(1, np.int64), np.zeros(8, np.int64))


@kernel
def volatile_flag(jit):
    def pass_on(flags, values):
        b = cuda.blockIdx.x
        if b > 0:
            while cuda.ldcv(flags, b - 1) == 0:
                pass
            cuda.threadfence()
            values[b] = values[b - 1] + 1
        cuda.threadfence()
        flags[b] = 1

    return launch(jit, pass_on, 6, 1, np.zeros(6, np.int32), np.zeros(6))


@kernel
def device_function(jit):
    @cuda.jit(device=True)
    def swapped(s, t):
        return s[t ^ 1]

    def swap(x):
        s = cuda.shared.array(32, np.float64)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncthreads()
        x[t] = swapped(s, t)

    return launch(jit, swap, 1, 32, numbers(32))


@kernel
def three_axes(jit):
    def numbered(out):
        x, y, z = cuda.grid(3)
        out[z, y, x] = (z * 10 + y) * 10 + x

    return launch(jit, numbered, (2, 2, 2), (2, 3, 4), np.zeros((8, 6, 4)))


@kernel
def columns(jit):
    def smooth(x, out):
        i, j = cuda.grid(2)
        n, m = x.shape
        if 1 <= i < n - 1 and 1 <= j < m - 1:
            out[i, j] = (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1]) // 4

    x = (numbers((40, 40)) * 50).astype(np.int8)
    return launch(jit, smooth, (3, 3), (16, 16), x, np.zeros_like(x))


@kernel
def global_constants(jit):
    table = np.arange(8.0)

    def looked_up(x, out):
        i = cuda.grid(1)
        out[i] = table[i % 8] + x[i]

    return launch(jit, looked_up, 1, 32, numbers(32), np.zeros(32))
