"""A stencil over views of one array."""

import numpy as np
import numpy.typing as npt


def plate(size: int, edge: float) -> npt.NDArray[np.float64]:
    grid = np.zeros((size, size), dtype=np.float64)
    grid[0, :] = edge
    return grid


def step(grid: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    center, north, south = grid[1:-1, 1:-1], grid[:-2, 1:-1], grid[2:, 1:-1]
    west, east = grid[1:-1, :-2], grid[1:-1, 2:]
    average = 0.2 * (center + north + east + west + south)
    grid[1:-1, 1:-1] = average
    return grid


def residual(before: npt.NDArray[np.float64], after: npt.NDArray[np.float64]) -> float:
    return float(np.abs(after - before).max())


def run(size: int, steps: int) -> tuple[npt.NDArray[np.float64], list[float]]:
    grid = plate(size, 40.0)
    residuals: list[float] = []
    for _ in range(steps):
        before = grid.copy()
        grid = step(grid)
        residuals.append(residual(before, grid))
    return grid, residuals


if __name__ == "__main__":
    final, history = run(20, 5)
    rows, columns = final.shape
    print(rows * columns, final.dtype.name, final.size, history[-1])
