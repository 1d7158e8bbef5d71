# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def as_strided(x: ArrayLike, shape: SupportsIndex | Sequence[SupportsIndex] | None = ..., strides: Any = ..., subok: bool = ..., writeable: bool = ...) -> NDArray[Any]:
    """A view of the memory with this shape and these strides; nothing is checked."""
def broadcast_arrays(*args: Any, subok: bool = ...) -> tuple[NDArray[Any], ...]:
    """Views of all arrays in their common shape."""
@overload
def broadcast_to(array: ndarray[Any, numpy.dtype[ScalarT]], shape: SupportsIndex | Sequence[SupportsIndex], subok: bool = ...) -> NDArray[ScalarT]: ...
@overload
def broadcast_to(array: ArrayLike, shape: SupportsIndex | Sequence[SupportsIndex], subok: bool = ...) -> NDArray[Any]:
    """A read-only view repeated to the shape without copying."""
def sliding_window_view(x: ArrayLike, window_shape: Any, axis: Any | None = ..., *, subok: bool = ..., writeable: bool = ...) -> NDArray[Any]:
    """A view with the windows of a shape at every position as trailing axes."""

__all__ = [
    "as_strided",
    "broadcast_arrays",
    "broadcast_to",
    "sliding_window_view",
]
