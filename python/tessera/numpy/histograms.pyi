# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def bincount(x: ArrayLike, /, weights: ArrayLike | None = ..., minlength: SupportsIndex = ...) -> NDArray[Any]:
    """How often, or with how much weight, each non-negative integer occurs."""
def histogram(a: ArrayLike, bins: ArrayLike | str = ..., range: Any = ..., density: bool | None = ..., weights: ArrayLike | None = ...) -> tuple[NDArray[Any], NDArray[Any]]:
    """How many elements, or how much weight, each bin holds; and the bins' edges."""
def histogram2d(x: ArrayLike, y: ArrayLike, bins: Any = ..., range: Any = ..., density: bool | None = ..., weights: ArrayLike | None = ...) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Counts on a grid of bins over pairs; and the edges along x and y."""
def histogram_bin_edges(a: ArrayLike, bins: ArrayLike | str = ..., range: Any = ..., weights: ArrayLike | None = ...) -> NDArray[Any]:
    """The edges of the bins that `histogram` would use."""
def histogramdd(sample: Any, bins: Any = ..., range: Any = ..., density: bool | None = ..., weights: ArrayLike | None = ...) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Counts on a grid of bins over points of several coordinates; and the edges along each."""

__all__ = [
    "bincount",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
]
