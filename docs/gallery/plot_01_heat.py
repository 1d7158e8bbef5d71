"""
Heat on a plate
===============

The 5-point stencil, written with shifted views of one array. In NumPy each of the five operations of a step reads and writes whole arrays;
here a step is one kernel, and several steps go through the caches before the array is read from memory again.
"""

import time

import matplotlib.pyplot as plt
import numpy
import tessera.numpy as np


def solve(xp, n, steps):
    """A plate of n by n inner points with a hot upper edge, after so many steps."""
    grid = xp.zeros((n + 2, n + 2))
    grid[:, 0] = grid[:, -1] = grid[-1, :] = -273.15
    grid[0, :] = 40.0
    center, north, south = grid[1:-1, 1:-1], grid[:-2, 1:-1], grid[2:, 1:-1]
    west, east = grid[1:-1, :-2], grid[1:-1, 2:]
    for _ in range(steps):
        average = 0.2 * (center + north + east + west + south)
        center[:] = average
    return numpy.asarray(grid)


def timed(xp, *arguments, repeat=3):
    """The least time of some calls, and the result."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        result = solve(xp, *arguments)
        best = min(best, time.perf_counter() - start)
    return best, result


ours, plate = timed(np, 1200, 60)
theirs, expected = timed(numpy, 1200, 60, repeat=1)
numpy.testing.assert_allclose(plate, expected, rtol=1e-12)
print(f"tessera {ours:.3f} s, NumPy {theirs:.3f} s: {theirs / ours:.1f} times as fast")

# %%
# The upper left corner of the plate. The reading of ``grid`` at the end of ``solve`` is what makes the recorded steps run.

figure, axes = plt.subplots(figsize=(6, 4.5), layout="constrained")
image = axes.imshow(plate[:60, :60], cmap="inferno", vmin=-273.15, vmax=40)
axes.set(title="after 60 steps", xlabel="column", ylabel="row")
figure.colorbar(image, label="degrees Celsius")
plt.show()
