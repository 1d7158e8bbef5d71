"""Heat spreading over a plate: the 5-point stencil, written with shifted views of one array.

python examples/heat.py --size 2000 --steps 200
"""

import argparse

import _report
import numpy
import tessera.numpy as np


def initialize(xp, n):
    """A plate at 0 degrees, n by n inner points, with a hot upper edge and cold other edges."""
    grid = xp.zeros((n + 2, n + 2))
    grid[:, 0] = -273.15
    grid[:, -1] = -273.15
    grid[-1, :] = -273.15
    grid[0, :] = 40.0
    return grid


def solve(xp, n, steps, label=None):
    """The plate after `steps` rounds in which each inner point becomes the mean of its neighbours and itself."""
    grid = initialize(xp, n)
    center = grid[1:-1, 1:-1]
    north = grid[0:-2, 1:-1]
    east = grid[1:-1, 2:]
    west = grid[1:-1, 0:-2]
    south = grid[2:, 1:-1]
    for _ in _report.progress(steps, label) if label else range(steps):
        average = 0.2 * (center + north + east + west + south)
        center[:] = average
    return grid


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=1500, help="inner points along one edge")
    parser.add_argument("--steps", type=int, default=100)
    args, _ = parser.parse_known_args()
    solve(np, args.size, 3)  # memory and kernels are warm from here on, for both
    ours = _report.timed(solve, np, args.size, args.steps, "tessera")
    theirs = _report.timed(solve, numpy, args.size, args.steps, "NumPy  ")
    _report.compare(f"heat {args.size}x{args.size}, {args.steps} steps", ours, theirs, rtol=1e-12)

    fig = _report.figure(7, 5.5)
    axes = fig.subplots()
    edge = max(8, min(args.size // 8, args.steps // 2))
    image = axes.imshow(ours[1][:edge, :edge], cmap="inferno", vmin=-273.15, vmax=40)
    axes.set(title=f"Heat after {args.steps} steps, upper left {edge} x {edge} points", xlabel="column", ylabel="row")
    fig.colorbar(image, label="degrees Celsius")
    _report.save(fig, "heat.png")


if __name__ == "__main__":
    main()
