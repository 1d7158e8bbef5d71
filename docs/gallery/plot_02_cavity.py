"""
Flow in a cavity
================

Incompressible flow in a box whose lid moves, after step 11 of L. A. Barba's and G. F. Forsyth's *CFD Python* (2018). The arrays have 41 x 41
elements, so NumPy spends its time on calls rather than on arithmetic. Small operations run at once here, without a graph, and repeated
loop bodies are recognised.
"""

import time

import matplotlib.pyplot as plt
import numpy
import tessera.numpy as np

N, ROUNDS, RHO, NU, DT = 41, 50, 1.0, 0.1, 0.001
H = 2.0 / (N - 1)


def source(u, v):
    """The right side of the pressure's equation at inner points."""
    ux, vy = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * H), (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * H)
    uy, vx = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * H), (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * H)
    return RHO * ((ux + vy) / DT - ux**2 - 2 * uy * vx - vy**2)


def relax(p, b):
    """Some rounds of Jacobi's iteration for the pressure."""
    for _ in range(ROUNDS):
        old = p.copy()
        p[1:-1, 1:-1] = 0.25 * (old[1:-1, 2:] + old[1:-1, :-2] + old[2:, 1:-1] + old[:-2, 1:-1] - H**2 * b)
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


def advance(w, u, v, slope):
    """One component at inner points after a step, by upwind convection, pressure and diffusion."""
    c = w[1:-1, 1:-1]
    convected = u[1:-1, 1:-1] * (c - w[1:-1, :-2]) + v[1:-1, 1:-1] * (c - w[:-2, 1:-1])
    spread = w[1:-1, 2:] + w[1:-1, :-2] + w[2:, 1:-1] + w[:-2, 1:-1] - 4 * c
    return c - DT / H * convected - DT / (2 * RHO * H) * slope + NU * DT / H**2 * spread


def solve(xp, steps):
    """Velocities and pressure after so many steps."""
    u, v, p = (xp.zeros((N, N)) for _ in range(3))
    for _ in range(steps):
        relax(p, source(u, v))
        new_u = advance(u, u, v, p[1:-1, 2:] - p[1:-1, :-2])
        v[1:-1, 1:-1] = advance(v, u, v, p[2:, 1:-1] - p[:-2, 1:-1])
        u[1:-1, 1:-1] = new_u
        u[-1, :] = 1
    return tuple(numpy.asarray(each) for each in (u, v, p))


solve(np, 20)  # kernels compile
start = time.perf_counter()
u, v, p = solve(np, 400)
ours = time.perf_counter() - start
start = time.perf_counter()
expected = solve(numpy, 400)
theirs = time.perf_counter() - start
numpy.testing.assert_allclose(u, expected[0], rtol=1e-8, atol=1e-10)
print(f"{400 * ROUNDS} rounds: tessera {ours:.3f} s, NumPy {theirs:.3f} s: {theirs / ours:.1f} times as fast")

# %%
# Pressure, and the direction of the flow.

figure, axes = plt.subplots(figsize=(6, 4.5), layout="constrained")
x = numpy.linspace(0, 2, N)
filled = axes.contourf(x, x, p, 24, cmap="viridis")
axes.streamplot(x, x, u, v, color="white", linewidth=0.6, density=1.1)
axes.set(title="lid-driven cavity, 400 steps", xlabel="x", ylabel="y", xlim=(0, 2), ylim=(0, 2))
figure.colorbar(filled, label="pressure")
plt.show()
