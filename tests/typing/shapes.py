"""Shapes as users type them."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Vector: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]
Matrix: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Image: TypeAlias = np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]


def plane(rows: int, columns: int) -> Matrix:
    made: Matrix = np.zeros((rows, columns))
    ones: Matrix = np.ones(made.shape, dtype=np.float64)
    unit: Matrix = np.eye(rows)
    alike: Matrix = np.empty_like(unit)
    alike[...] = unit
    made[:, 0] = ones[:, 0] + alike[0, 0]
    return made


def grey(image: Image) -> Matrix:
    height, width, _ = image.shape
    total: Matrix = np.zeros((height, width))
    total += image.astype(np.float64).sum(axis=2)
    return np.sort(total.copy())


def spread(matrix: Matrix) -> Vector:
    flat: Vector = matrix.ravel()
    again: Matrix = flat.reshape(2, -1)
    counts: np.ndarray[tuple[int], np.dtype[np.int64]] = np.arange(flat.size, dtype=np.int64)
    assert again.T.shape == (flat.size // 2, 2) and counts.size == flat.size
    return np.flip(flat)


def any_shape(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    total: npt.NDArray[np.float64] = np.zeros_like(values)
    total += np.full(values.shape, 2.0)
    return total


if __name__ == "__main__":
    image: Image = np.full((2, 3, 4), 7, dtype=np.uint8)
    print(plane(2, 2).tolist(), grey(image).shape, spread(plane(2, 2)).tolist(), any_shape(plane(1, 2)).tolist())
