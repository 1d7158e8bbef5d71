"""
Reaction and diffusion
======================

The Gray-Scott model (P. Gray and S. K. Scott, 1983; patterns by J. E. Pearson, 1993): two substances that diffuse and react. A step of NumPy
makes some twenty temporary arrays; here it is two kernels without any.
"""

import time

import matplotlib.pyplot as plt
import numpy
import tessera.numpy as np

N, FEED, KILL = 384, 0.035, 0.062


def laplacian(a):
    """Differences from four neighbours, on a ring in both directions."""
    return -4 * a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]


def wrap(a):
    """The edges repeat the opposite sides."""
    a[0, :], a[-1, :] = a[-2, :], a[1, :]
    a[:, 0], a[:, -1] = a[:, -2], a[:, 1]


def solve(xp, steps):
    """The second substance after so many steps."""
    u, v = xp.ones((N + 2, N + 2)), xp.zeros((N + 2, N + 2))
    random = numpy.random.default_rng(3)
    for row, column in random.integers(20, N - 20, (30, 2)):
        u[row : row + 12, column : column + 12] = 0.5
        v[row : row + 12, column : column + 12] = 0.25
    inner_u, inner_v = u[1:-1, 1:-1], v[1:-1, 1:-1]
    for _ in range(steps):
        wrap(u)
        wrap(v)
        reaction = inner_u * inner_v**2
        new_u = inner_u + 0.16 * laplacian(u) - reaction + FEED * (1 - inner_u)
        inner_v[:] = inner_v + 0.08 * laplacian(v) + reaction - (FEED + KILL) * inner_v
        inner_u[:] = new_u
    return numpy.asarray(inner_v)


def timed(xp, steps):
    """Seconds and the result."""
    start = time.perf_counter()
    result = solve(xp, steps)
    return time.perf_counter() - start, result


timed(np, 20)  # kernels compile
ours, pattern = timed(np, 300)
theirs, expected = timed(numpy, 300)
numpy.testing.assert_allclose(pattern, expected, rtol=1e-7, atol=1e-9)
print(f"300 steps: tessera {ours:.3f} s, NumPy {theirs:.3f} s: {theirs / ours:.1f} times as fast")

# %%
# After 6000 steps the spots have divided.

seconds, pattern = timed(np, 6000)
print(f"6000 steps: {seconds:.1f} s")
figure, axes = plt.subplots(figsize=(5, 5), layout="constrained")
axes.imshow(pattern, cmap="magma", vmin=0, vmax=0.4)
axes.axis("off")
plt.show()
