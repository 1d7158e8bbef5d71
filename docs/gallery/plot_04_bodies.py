"""
N bodies
========

Gravity between all pairs of stars, by broadcasting. The matrices of differences have n x n elements; NumPy stores eight of them in each step,
here they exist only in registers: the sums over stars are taken in the kernel that computes the forces.
"""

import time

import matplotlib.pyplot as plt
import numpy
import tessera.numpy as np


def accelerations(xp, x, y, z, masses):
    """What pulls each star, with softened distances."""
    dx, dy, dz = x - x[:, None], y - y[:, None], z - z[:, None]
    inverse = masses / (dx * dx + dy * dy + dz * dz + 1e-2) ** 1.5
    return (dx * inverse).sum(axis=1), (dy * inverse).sum(axis=1), (dz * inverse).sum(axis=1)


def start(n):
    """A disc of stars that turns."""
    random = numpy.random.default_rng(1)
    radius, angle = random.uniform(0.2, 1, n), random.uniform(0, 2 * numpy.pi, n)
    position = radius * numpy.cos(angle), radius * numpy.sin(angle), random.normal(0, 0.02, n)
    speed = numpy.sqrt(radius)
    return position, (-speed * numpy.sin(angle), speed * numpy.cos(angle), numpy.zeros(n))


def simulate(xp, n, steps, dt=0.02):
    """Positions after so many leapfrog steps."""
    position, velocity = ([xp.asarray(part) for part in parts] for parts in start(n))
    masses = xp.full(n, 1.0 / n)
    for _ in range(steps):
        pull = accelerations(xp, *position, masses)
        velocity = [v + dt * a for v, a in zip(velocity, pull, strict=True)]
        position = [p + dt * v for p, v in zip(position, velocity, strict=True)]
    return numpy.stack([numpy.asarray(part) for part in position])


def timed(xp, *arguments):
    """Seconds and the result."""
    begin = time.perf_counter()
    result = simulate(xp, *arguments)
    return time.perf_counter() - begin, result


timed(np, 1500, 3)  # kernels compile
ours, stars = timed(np, 1500, 20)
theirs, expected = timed(numpy, 1500, 20)
numpy.testing.assert_allclose(stars, expected, rtol=1e-7, atol=1e-9)
print(f"1500 stars, 20 steps: tessera {ours:.3f} s, NumPy {theirs:.3f} s: {theirs / ours:.1f} times as fast")

# %%
# A hundred steps later.

_, stars = timed(np, 1500, 120)
figure, axes = plt.subplots(figsize=(5, 5), layout="constrained")
axes.scatter(stars[0], stars[1], s=2, c=stars[2], cmap="coolwarm")
axes.set(aspect="equal", xlim=(-1.6, 1.6), ylim=(-1.6, 1.6), xlabel="x", ylabel="y")
plt.show()
