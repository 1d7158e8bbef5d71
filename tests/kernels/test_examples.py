"""Kernels as users write them, against NumPy."""

import math

import numpy as np
import pytest
import tessera.numpy as tnp

from tessera import cuda

TILE = 8
THREADS = 64


@cuda.jit
def smooth(a, out):
    x, y = cuda.grid(2)
    if 0 < x < a.shape[1] - 1 and 0 < y < a.shape[0] - 1:
        total = 0
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                total += a[y + dy, x + dx]
        out[y, x] = total // 9


def test_smooth():
    a = np.random.default_rng(1).integers(0, 100, (30, 40)).astype(np.int8)
    out = np.zeros_like(a)
    smooth[(5, 4), (8, 8)](a, out)
    wide = a.astype(int)
    windows = np.lib.stride_tricks.sliding_window_view(wide, (3, 3)).sum(axis=(2, 3)) // 9
    np.testing.assert_array_equal(out[1:-1, 1:-1], windows)


@cuda.jit
def matmul(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@cuda.jit
def tiled_matmul(a, b, c):
    sa = cuda.shared.array((TILE, TILE), np.float64)
    sb = cuda.shared.array((TILE, TILE), np.float64)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = 0.0
    for tile in range(cuda.gridDim.x):
        sa[ty, tx] = a[i, tx + tile * TILE]
        sb[ty, tx] = b[ty + tile * TILE, j]
        cuda.syncthreads()
        for k in range(TILE):
            total += sa[ty, k] * sb[k, tx]
        cuda.syncthreads()
    c[i, j] = total


@pytest.mark.parametrize("kernel", [matmul, tiled_matmul], ids=["plain", "tiled"])
def test_matrix_product(kernel):
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((2, 32, 32))
    c = np.zeros((32, 32))
    kernel[(4, 4), (8, 8)](a, b, c)
    np.testing.assert_allclose(c, a @ b)


@cuda.jit
def block_sums(a, sums):
    held = cuda.shared.array(THREADS, np.int64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    held[t] = a[i] if i < a.size else 0
    cuda.syncthreads()
    step = cuda.blockDim.x // 2
    while step > 0:
        if t < step:
            held[t] += held[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = held[0]


def test_block_reduction():
    a = np.arange(1000)
    sums = np.zeros(16, np.int64)
    block_sums[16, THREADS](a, sums)
    assert sums.sum() == a.sum()


@cuda.jit
def histogram(a, bins):
    start = cuda.grid(1)
    for i in range(start, a.size, cuda.gridsize(1)):
        cuda.atomic.add(bins, a[i], 1)


def test_histogram():
    a = np.random.default_rng(3).integers(0, 16, 5000)
    bins = np.zeros(16, np.int32)
    histogram[4, 32](a, bins)
    np.testing.assert_array_equal(bins, np.bincount(a, minlength=16))


@cuda.jit(device=True)
def escape_time(c, limit):
    z = 0j
    for k in range(limit):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag >= 4:
            return k
    return limit


@cuda.jit
def mandelbrot(out, limit):
    x, y = cuda.grid(2)
    if x < out.shape[1] and y < out.shape[0]:
        out[y, x] = escape_time(complex(-2 + 3 * x / out.shape[1], -1 + 2 * y / out.shape[0]), limit)


def test_mandelbrot():
    out = np.zeros((20, 30), np.int32)
    mandelbrot[(4, 3), (8, 8)](out, 40)

    def plain(c):
        z = 0j
        for k in range(40):
            z = z * z + c
            if z.real * z.real + z.imag * z.imag >= 4:
                return k
        return 40

    wanted = [[plain(complex(-2 + 3 * x / 30, -1 + 2 * y / 20)) for x in range(30)] for y in range(20)]
    np.testing.assert_array_equal(out, wanted)


@cuda.jit
def accelerations(position, mass, out):
    i = cuda.grid(1)
    if i >= mass.size:
        return
    ax, ay, az = 0.0, 0.0, 0.0
    for j in range(mass.size):
        if j == i:
            continue
        dx = position[j, 0] - position[i, 0]
        dy = position[j, 1] - position[i, 1]
        dz = position[j, 2] - position[i, 2]
        r2 = dx * dx + dy * dy + dz * dz + 0.01
        f = mass[j] / (r2 * math.sqrt(r2))
        ax += f * dx
        ay += f * dy
        az += f * dz
    out[i, 0] = ax
    out[i, 1] = ay
    out[i, 2] = az


def test_n_body():
    rng = np.random.default_rng(4)
    position, mass = rng.standard_normal((50, 3)), rng.random(50)
    out = np.zeros((50, 3))
    accelerations.forall(50)(position, mass, out)
    d = position[None] - position[:, None]
    r2 = (d**2).sum(axis=2) + 0.01
    np.testing.assert_allclose(out, (d * (mass / r2**1.5)[..., None]).sum(axis=1))


@cuda.jit(device=True)
def cnd(d):
    return 0.5 + 0.5 * math.erf(d / math.sqrt(2.0))


@cuda.jit
def black_scholes(s, x, t, r, v, call, put):
    i = cuda.grid(1)
    if i >= s.size:
        return
    root = math.sqrt(t[i])
    d1 = (math.log(s[i] / x[i]) + (r + 0.5 * v * v) * t[i]) / (v * root)
    d2 = d1 - v * root
    rest = x[i] * math.exp(-r * t[i])
    call[i] = s[i] * cnd(d1) - rest * cnd(d2)
    put[i] = rest * cnd(-d2) - s[i] * cnd(-d1)


def test_black_scholes():
    rng = np.random.default_rng(5)
    s, x, t = rng.uniform(5, 30, 100), rng.uniform(1, 100, 100), rng.uniform(0.25, 10, 100)
    call, put = np.zeros(100), np.zeros(100)
    black_scholes[2, 64](s, x, t, 0.02, 0.3, call, put)
    np.testing.assert_allclose(call - put, s - x * np.exp(-0.02 * t), atol=1e-12)


@cuda.jit
def monte_carlo_pi(hits, trials):
    i = cuda.grid(1)
    state = np.uint32(i * 7919 + 12345)
    inside = 0
    for _ in range(trials):
        state = np.uint32(state * np.uint32(1664525) + np.uint32(1013904223))
        x = state / 4294967296.0
        state = np.uint32(state * np.uint32(1664525) + np.uint32(1013904223))
        y = state / 4294967296.0
        if x * x + y * y < 1.0:
            inside += 1
    cuda.atomic.add(hits, 0, inside)


def test_monte_carlo_pi():
    hits = np.zeros(1, np.int64)
    monte_carlo_pi[8, 64](hits, 500)
    assert abs(4 * hits[0] / (8 * 64 * 500) - math.pi) < 0.05


@cuda.jit
def game_of_life(cells, after):
    x, y = cuda.grid(2)
    h, w = cells.shape
    if x >= w or y >= h:
        return
    alive = 0
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            if dx != 0 or dy != 0:
                alive += cells[(y + dy) % h, (x + dx) % w]
    after[y, x] = 1 if alive == 3 or (alive == 2 and cells[y, x]) else 0


def test_game_of_life():
    cells = np.random.default_rng(6).integers(0, 2, (19, 23)).astype(np.uint8)
    after = np.zeros_like(cells)
    game_of_life[(3, 3), (8, 8)](cells, after)
    around = sum(np.roll(np.roll(cells, dy, 0), dx, 1) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
    np.testing.assert_array_equal(after, (around == 3) | ((around == 2) & (cells == 1)))


@cuda.jit
def bitonic_step(a, j, k):
    i = cuda.grid(1)
    other = i ^ j
    if other > i:
        up = (i & k) == 0
        if (a[i] > a[other]) == up:
            a[i], a[other] = a[other], a[i]


def test_bitonic_sort():
    a = np.random.default_rng(7).standard_normal(256)
    held = cuda.to_device(a)
    k = 2
    while k <= 256:
        j = k // 2
        while j > 0:
            bitonic_step[4, 64](held, j, k)
            j //= 2
        k *= 2
    np.testing.assert_array_equal(held.copy_to_host(), np.sort(a))


@cuda.jit
def prefix_sums(a, out):
    held = cuda.shared.array(THREADS, np.float64)
    t = cuda.threadIdx.x
    held[t] = a[t]
    cuda.syncthreads()
    step = 1
    while step < cuda.blockDim.x:
        add = held[t - step] if t >= step else 0.0
        cuda.syncthreads()
        held[t] += add
        cuda.syncthreads()
        step *= 2
    out[t] = held[t]


def test_prefix_sums():
    a = np.arange(float(THREADS))
    out = np.zeros(THREADS)
    prefix_sums[1, THREADS](a, out)
    np.testing.assert_array_equal(out, np.cumsum(a))


@cuda.jit
def floyd_warshall_step(d, k):
    j, i = cuda.grid(2)
    if i < d.shape[0] and j < d.shape[1] and i != k and j != k:
        d[i, j] = min(d[i, j], d[i, k] + d[k, j])


def test_floyd_warshall():
    d = np.random.default_rng(8).uniform(1, 10, (20, 20))
    np.fill_diagonal(d, 0)
    wanted = d.copy()
    held = tnp.array(d)
    for k in range(20):
        floyd_warshall_step[(3, 3), (8, 8)](held, k)
        wanted = np.minimum(wanted, wanted[:, k : k + 1] + wanted[k : k + 1])
    np.testing.assert_allclose(np.asarray(held), wanted)


@cuda.jit
def transpose(a, out):
    held = cuda.shared.array((TILE, TILE + 1), np.float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x = cuda.blockIdx.x * TILE + tx
    y = cuda.blockIdx.y * TILE + ty
    if x < a.shape[1] and y < a.shape[0]:
        held[ty, tx] = a[y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * TILE + tx
    y = cuda.blockIdx.x * TILE + ty
    if x < out.shape[1] and y < out.shape[0]:
        out[y, x] = held[tx, ty]


def test_transposition():
    a = np.arange(20 * 30, dtype=np.float32).reshape(20, 30)
    out = np.zeros((30, 20), np.float32)
    transpose[(4, 3), (8, 8)](a, out)
    np.testing.assert_array_equal(out, a.T)
