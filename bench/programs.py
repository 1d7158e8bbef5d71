"""Whole programs: heat stencil, Black-Scholes, cavity flow, LU by rows, each written once for any NumPy-like module."""

import math

import numpy


def heat(xp, n, steps):
    """Five-point stencil on an n x n plate by shifted views."""
    grid = xp.zeros((n, n))
    grid[0, :] = 40.0
    center, north, south = grid[1:-1, 1:-1], grid[:-2, 1:-1], grid[2:, 1:-1]
    west, east = grid[1:-1, :-2], grid[1:-1, 2:]
    for _ in range(steps):
        average = 0.2 * (center + north + east + west + south)
        center[:] = average
    return grid


def heat_numba():
    """The same stencil as a hand-written parallel loop."""
    import numba

    @numba.njit(parallel=True)
    def step(old, new):
        for i in numba.prange(1, old.shape[0] - 1):
            for j in range(1, old.shape[1] - 1):
                new[i, j] = 0.2 * (old[i, j] + old[i - 1, j] + old[i, j + 1] + old[i, j - 1] + old[i + 1, j])

    def run(n, steps):
        old = numpy.zeros((n, n))
        old[0, :] = 40.0
        new = old.copy()
        for _ in range(steps):
            step(old, new)
            old, new = new, old
        return old

    return run


def black_scholes(xp, erf, price, strike, time, rate, volatility):
    """European call and put."""
    root = xp.sqrt(time)
    d1 = (xp.log(price / strike) + (rate + volatility * volatility / 2) * time) / (volatility * root)
    d2 = d1 - volatility * root
    c1 = 0.5 + 0.5 * erf(d1 / math.sqrt(2))
    c2 = 0.5 + 0.5 * erf(d2 / math.sqrt(2))
    discounted = strike * xp.exp(-rate * time)
    call = price * c1 - discounted * c2
    put = discounted * (1 - c2) - price * (1 - c1)
    return call, put


def black_scholes_inputs(n, dtype):
    """Prices, strikes and times drawn once."""
    rng = numpy.random.default_rng(1)
    return [rng.uniform(low, high, n).astype(dtype) for low, high in ((5, 30), (1, 100), (0.25, 10))]


def cavity(xp, n, steps, nit):
    """CFDPython step 11, the cavity flow, by the notebook's formulas."""
    rho, nu, dt = 1, 0.1, 0.001 if n < 100 else 1e-7
    dx = dy = 2 / (n - 1)
    u, v, p, b = (xp.zeros((n, n)) for _ in range(4))
    for _ in range(steps):
        un, vn = u.copy(), v.copy()
        b[1:-1, 1:-1] = rho * (
            1 / dt * ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx) + (v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy))
            - ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx)) ** 2
            - 2 * ((u[2:, 1:-1] - u[0:-2, 1:-1]) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, 0:-2]) / (2 * dx))
            - ((v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy)) ** 2
        )
        for _ in range(nit):
            pn = p.copy()
            p[1:-1, 1:-1] = ((pn[1:-1, 2:] + pn[1:-1, 0:-2]) * dy**2 + (pn[2:, 1:-1] + pn[0:-2, 1:-1]) * dx**2) / (
                2 * (dx**2 + dy**2)
            ) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, 0:-2])
            - vn[1:-1, 1:-1] * dt / dy * (un[1:-1, 1:-1] - un[0:-2, 1:-1])
            - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, 0:-2])
            + nu
            * (
                dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, 0:-2])
                + dt / dy**2 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[0:-2, 1:-1])
            )
        )
        v[1:-1, 1:-1] = (
            vn[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (vn[1:-1, 1:-1] - vn[1:-1, 0:-2])
            - vn[1:-1, 1:-1] * dt / dy * (vn[1:-1, 1:-1] - vn[0:-2, 1:-1])
            - dt / (2 * rho * dy) * (p[2:, 1:-1] - p[0:-2, 1:-1])
            + nu
            * (
                dt / dx**2 * (vn[1:-1, 2:] - 2 * vn[1:-1, 1:-1] + vn[1:-1, 0:-2])
                + dt / dy**2 * (vn[2:, 1:-1] - 2 * vn[1:-1, 1:-1] + vn[0:-2, 1:-1])
            )
        )
        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = 1
        v[0, :] = 0
        v[-1, :] = 0
        v[:, 0] = 0
        v[:, -1] = 0
    return u, v, p


def lu_by_rows(xp, a):
    """In-place LU without pivoting, row by row: shapes shrink with every step."""
    a = a.copy()
    n = a.shape[0]
    for k in range(n - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k : k + 1] * a[k : k + 1, k + 1 :]
    return a
