# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ShapeT, ndarray, ufunc

def argpartition(a: ArrayLike, kth: Any, axis: SupportsIndex | None = ..., kind: str = ..., order: Any = ...) -> NDArray[Any]:
    """The indices that partition the array."""
def argsort(a: ArrayLike, axis: SupportsIndex | None = ..., kind: str | None = ..., order: Any = ..., *, stable: bool | None = ..., descending: Any = ...) -> NDArray[Any]:
    """The indices that sort the array, along an axis or flattened. Descending or not, NaNs come last."""
def digitize(x: ArrayLike, bins: ArrayLike, right: ArrayLike = ...) -> Any:
    """The number of the bin that each value lies in."""
def lexsort(keys: Any, axis: SupportsIndex | None = ...) -> NDArray[Any]:
    """The indices that sort by the last key, then by the one before it, and so on."""
@overload
def partition(a: ndarray[ShapeT, numpy.dtype[ScalarT]], kth: Any, axis: SupportsIndex = ..., kind: str = ..., order: Any = ...) -> ndarray[ShapeT, numpy.dtype[ScalarT]]: ...
@overload
def partition(a: ndarray[Any, numpy.dtype[ScalarT]], kth: Any, axis: SupportsIndex | None = ..., kind: str = ..., order: Any = ...) -> NDArray[ScalarT]: ...
@overload
def partition(a: ArrayLike, kth: Any, axis: SupportsIndex | None = ..., kind: str = ..., order: Any = ...) -> NDArray[Any]:
    """A copy with the kth elements where sorting would put them, smaller ones before and larger ones after."""
def searchsorted(a: ArrayLike, v: ArrayLike, side: str = ..., sorter: Any = ...) -> Any:
    """Where the values would be inserted to keep the array sorted."""
@overload
def sort(a: ndarray[ShapeT, numpy.dtype[ScalarT]], axis: SupportsIndex = ..., kind: str | None = ..., order: Any = ..., *, stable: bool | None = ..., descending: Any = ...) -> ndarray[ShapeT, numpy.dtype[ScalarT]]: ...
@overload
def sort(a: ndarray[Any, numpy.dtype[ScalarT]], axis: SupportsIndex | None = ..., kind: str | None = ..., order: Any = ..., *, stable: bool | None = ..., descending: Any = ...) -> NDArray[ScalarT]: ...
@overload
def sort(a: ArrayLike, axis: SupportsIndex | None = ..., kind: str | None = ..., order: Any = ..., *, stable: bool | None = ..., descending: Any = ...) -> NDArray[Any]:
    """A sorted copy, along an axis or flattened. Descending or not, NaNs come last."""
def sort_complex(a: ArrayLike) -> NDArray[Any]:
    """A sorted copy, complex: by the real part, then by the imaginary part."""

__all__ = [
    "argpartition",
    "argsort",
    "digitize",
    "lexsort",
    "partition",
    "searchsorted",
    "sort",
    "sort_complex",
]
