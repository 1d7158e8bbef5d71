"""Sorting, choosing and counting."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Table:
    columns: dict[str, NDArray[np.float64]]

    def __init__(self, columns: dict[str, ArrayLike]) -> None:
        self.columns = {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}

    def where(self, name: str, low: float) -> "Table":
        mask: NDArray[np.bool_] = self.columns[name] > low
        return Table({key: column[mask] for key, column in self.columns.items()})

    def sorted_by(self, names: Iterable[str]) -> "Table":
        order: NDArray[np.intp] = np.lexsort([self.columns[name] for name in names])
        return Table({key: column[order] for key, column in self.columns.items()})

    def means(self) -> dict[str, float]:
        return {key: float(np.mean(column)) for key, column in self.columns.items()}


def count(values: ArrayLike) -> dict[int, int]:
    found, counts = np.unique(np.asarray(values, dtype=np.int64), return_counts=True)
    return dict(zip(found.tolist(), counts.tolist()))


def clean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    finite: NDArray[np.bool_] = np.isfinite(values)
    if not finite.all():
        values = np.where(finite, values, 0.0)
    return np.concatenate([values, np.zeros(3)]).reshape(-1)


if __name__ == "__main__":
    table = Table({"mass": [3.0, 1.0, 2.0], "speed": [1, 2, 3]}).where("mass", 1.5).sorted_by(["mass"])
    names: tuple[str, ...] = tuple(table.columns)
    print(table.means(), count([1, 1, 2]), clean(np.array([1.0, np.nan])).shape, names)
