# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def intersect1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = ..., return_indices: bool = ...) -> Any:
    """The distinct elements of both arrays, in order."""
def isin(element: Any, test_elements: ArrayLike, assume_unique: bool = ..., invert: bool = ..., *, kind: str | None = ...) -> Any:
    """Whether each element is one of the test elements."""
def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = ...) -> NDArray[Any]:
    """The distinct elements of the first array that the second lacks."""
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = ...) -> NDArray[Any]:
    """The distinct elements of exactly one of the arrays, in order."""
def union1d(ar1: ArrayLike, ar2: ArrayLike) -> NDArray[Any]:
    """The distinct elements of either array, in order."""
def unique(ar: ArrayLike, return_index: bool = ..., return_inverse: bool = ..., return_counts: bool = ..., axis: Any | None = ..., *, equal_nan: bool = ..., sorted: bool = ...) -> Any:
    """The distinct elements in order, and where and how often they occur when asked."""
def unique_all(x: ArrayLike) -> Any:
    """The distinct elements with first positions, inverse and counts."""
def unique_counts(x: ArrayLike) -> Any:
    """The distinct elements and how often each occurs."""
def unique_inverse(x: ArrayLike) -> Any:
    """The distinct elements and the positions that rebuild the array from them."""
def unique_values(x: ArrayLike) -> NDArray[Any]:
    """The distinct elements."""

__all__ = [
    "intersect1d",
    "isin",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]
