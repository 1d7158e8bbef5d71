"""Whole programs that bench/placement.py measures, written as users write them; PROGRAMS has them and the operations."""

from __future__ import annotations

from types import SimpleNamespace as State

import numpy
from placement_operations import PROGRAMS, image, normal, program, size, table, tiled

__all__ = ["PROGRAMS"]


@program(table)
def covariance_eigh(np, s):
    return tuple(np.linalg.eigh(np.cov(s.a, rowvar=False)))


def make_poisson(np, scale):
    s = image(np, scale)
    n = s.a.shape[0]
    kx, ky = numpy.fft.rfftfreq(n), numpy.fft.fftfreq(n)[:, None]
    symbol = 4 - 2 * numpy.cos(2 * numpy.pi * kx) - 2 * numpy.cos(2 * numpy.pi * ky)
    symbol[0, 0] = 1
    s.inverse = np.array(1 / symbol)
    return s


@program(make_poisson)
def poisson_fft(np, s):
    return np.fft.irfft2(np.fft.rfft2(s.a) * s.inverse)


@program(image)
def pad_stencil(np, s):
    n = s.a.shape[0]
    p = np.pad(s.a, 1, mode="edge")
    return sum(p[i : i + n, j : j + n] for i in range(3) for j in range(3)) / 9


@program(
    lambda np, scale: State(
        a=np.array(numpy.random.default_rng(6).integers(0, 2, (size(4096, scale),) * 2, dtype="u1"))
    )
)
def life_by_roll(np, s):
    around = sum(np.roll(s.a, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
    s.a = ((around == 3) | ((s.a == 1) & (around == 2))).astype(s.a.dtype)
    return s.a


def make_points(np, scale):
    points = numpy.random.default_rng(7).standard_normal((max(64, size(2 * 10**5, scale)), 8))
    return State(points=np.array(points), centers=np.array(points[:16]))


@program(make_points)
def k_means_masks(np, s):
    distances = ((s.points[:, None, :] - s.centers[None, :, :]) ** 2).sum(axis=2)
    nearest = distances.argmin(axis=1)
    s.centers = np.stack([s.points[nearest == k].mean(axis=0) for k in range(16)])
    return s.centers


@program(lambda np, scale: State(b=normal(np, size(200, scale), size(200, scale))))
def conjugate_gradients(np, s):
    x, r = np.zeros_like(s.b), s.b.copy()
    p, rs = r.copy(), (r * r).sum()
    for _ in range(50):
        q = 4.0 * p
        q[1:] -= p[:-1]
        q[:-1] -= p[1:]
        q[:, 1:] -= p[:, :-1]
        q[:, :-1] -= p[:, 1:]
        alpha = rs / (p * q).sum()
        x += alpha * p
        r -= alpha * q
        old, rs = rs, (r * r).sum()
        if float(rs) < 1e-12:
            break
        p = r + (rs / old) * p
    return x


def lorenz(np, u):
    x, y, z = u
    return np.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])


@program(lambda np, scale: State(u=normal(np, 3, size(10**6, scale))))
def runge_kutta_stack(np, s):
    dt = 0.01
    k1 = lorenz(np, s.u)
    k2 = lorenz(np, s.u + dt / 2 * k1)
    k3 = lorenz(np, s.u + dt / 2 * k2)
    k4 = lorenz(np, s.u + dt * k3)
    s.u = s.u + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return s.u


def make_graph(np, scale):
    nodes, edges = size(10**6, scale), size(10**7, scale)
    source, target = (numpy.random.default_rng(seed).integers(0, nodes, edges) for seed in (8, 9))
    degree = numpy.maximum(numpy.bincount(source, minlength=nodes), 1)
    rank = numpy.full(nodes, 1 / nodes)
    return State(
        n=nodes, source=np.array(source), target=np.array(target), degree=np.array(degree), rank=np.array(rank)
    )


@program(make_graph)
def page_rank(np, s):
    share = s.rank / s.degree
    s.rank = 0.15 / s.n + 0.85 * np.bincount(s.target, weights=share[s.source], minlength=s.n)
    return s.rank


@program(lambda np, scale: image(np, scale, "f4"))
def filter_chain(np, s):
    p = np.pad(s.a, 2, mode="reflect")
    rows = (p[:-4] + 4 * p[1:-3] + 6 * p[2:-2] + 4 * p[3:-1] + p[4:]) / 16
    smooth = (rows[:, :-4] + 4 * rows[:, 1:-3] + 6 * rows[:, 2:-2] + 4 * rows[:, 3:-1] + rows[:, 4:]) / 16
    edges = np.hypot(smooth[1:-1, 2:] - smooth[1:-1, :-2], smooth[2:, 1:-1] - smooth[:-2, 1:-1])
    sharp = np.clip(s.a[1:-1, 1:-1] + 0.7 * (s.a - smooth)[1:-1, 1:-1], 0, 1)
    return np.where(edges > edges.mean(), sharp, smooth[1:-1, 1:-1])


def make_dominant(np, scale):
    n = size(400, scale)
    return State(a=np.array(numpy.random.default_rng(11).standard_normal((n, n)) + n * numpy.eye(n)))


@program(make_dominant)
def lu_by_rows(np, s):
    a = s.a.copy()
    for k in range(a.shape[0] - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k : k + 1] * a[k : k + 1, k + 1 :]
    return a


@program(lambda np, scale: State(p=np.zeros((41, 41)), b=normal(np, 41, 41)))
def small_relaxation(np, s):
    p, h = s.p, 0.05
    for _ in range(50):
        old = p.copy()
        p[1:-1, 1:-1] = ((old[1:-1, 2:] + old[1:-1, :-2]) + (old[2:, 1:-1] + old[:-2, 1:-1])) / 4 - h * h / 4 * s.b[
            1:-1, 1:-1
        ]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0
    return p


@program(lambda np, scale: State(n=size(10**6, scale)))
def monte_carlo(np, s):
    return np.exp(0.2 * np.random.default_rng(0).standard_normal(s.n)).mean()


def make_moving_average(np, scale):
    return State(x=tiled(np, size(2 * 10**7, scale)), every=1000)


@program(make_moving_average)
def moving_average(np, s):
    total = np.cumsum(s.x)
    return numpy.asarray(((total[s.every :] - total[: -s.every]) / s.every)[:: s.every])


def make_walk(np, scale):
    random = numpy.random.default_rng(12)
    return State(
        x=normal(np, size(50_000, scale)), moves=normal(np, size(50_000, scale), seed=13), chances=random.random(50)
    )


@program(make_walk)
def metropolis(np, s):
    x, energy = s.x, float((s.x * s.x).sum())
    for k, chance in enumerate(s.chances):
        y = x + (0.01 if k % 2 else -0.01) * s.moves
        proposed = float((y * y).sum())
        if chance < numpy.exp(min(0.0, energy - proposed)):
            x, energy = y, proposed
    return x


def make_kalman(np, scale):
    step = numpy.eye(4) + 0.1 * numpy.eye(4, k=2)
    return State(
        f=np.array(step),
        h=np.array(numpy.eye(2, 4)),
        seen=[np.array(z) for z in numpy.random.default_rng(14).random((size(100, scale), 2))],
    )


@program(make_kalman)
def kalman_filter(np, s):
    x, p, unit = np.zeros(4), np.eye(4), np.eye(2)
    for z in s.seen:
        x, p = s.f @ x, s.f @ p @ s.f.T + 0.01 * np.eye(4)
        gain = p @ s.h.T @ np.linalg.inv(s.h @ p @ s.h.T + unit)
        x, p = x + gain @ (z - s.h @ x), p - gain @ s.h @ p
    return float(x[0]), p


def make_plane(np, scale):
    n = size(1000, scale)
    return State(c=np.array(numpy.linspace(-2, 0.6, n)[None, :] + 1j * numpy.linspace(-1.3, 1.3, n)[:, None]))


@program(make_plane)
def mandelbrot(np, s):
    z, count = np.zeros_like(s.c), np.zeros(s.c.shape, dtype="i8")
    for _ in range(40):
        inside = abs(z) <= 2
        z = np.where(inside, z * z + s.c, z)
        count += inside
    return count
