# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

@overload
def empty(shape: SupportsIndex | Sequence[SupportsIndex], dtype: type[ScalarT] | numpy.dtype[ScalarT], order: str = ..., *, device: Any = ..., like: Any = ...) -> NDArray[ScalarT]: ...
@overload
def empty(shape: SupportsIndex | Sequence[SupportsIndex], dtype: DTypeLike | None = ..., order: str = ..., *, device: Any = ..., like: Any = ...) -> NDArray[Any]:
    """A new array whose elements are not set."""
@overload
def empty_like(prototype: Any, /, dtype: type[ScalarT] | numpy.dtype[ScalarT], order: str = ..., subok: bool = ..., shape: SupportsIndex | Sequence[SupportsIndex] | None = ..., *, device: Any = ...) -> NDArray[ScalarT]: ...
@overload
def empty_like(prototype: Any, /, dtype: DTypeLike | None = ..., order: str = ..., subok: bool = ..., shape: SupportsIndex | Sequence[SupportsIndex] | None = ..., *, device: Any = ...) -> NDArray[Any]:
    """An unset array with the shape, dtype and memory order of another."""
@overload
def eye(N: SupportsIndex, M: SupportsIndex | None = ..., k: SupportsIndex = ..., *, dtype: type[ScalarT] | numpy.dtype[ScalarT], order: str = ..., device: Any = ..., like: Any = ...) -> NDArray[ScalarT]: ...
@overload
def eye(N: SupportsIndex, M: SupportsIndex | None = ..., k: SupportsIndex = ..., dtype: DTypeLike = ..., order: str = ..., *, device: Any = ..., like: Any = ...) -> NDArray[Any]:
    """Ones on the k-th diagonal, zeros elsewhere."""
@overload
def full(shape: SupportsIndex | Sequence[SupportsIndex], fill_value: Any, dtype: type[ScalarT] | numpy.dtype[ScalarT], order: str = ..., *, device: Any = ..., like: Any = ...) -> NDArray[ScalarT]: ...
@overload
def full(shape: SupportsIndex | Sequence[SupportsIndex], fill_value: Any, dtype: DTypeLike | None = ..., order: str = ..., *, device: Any = ..., like: Any = ...) -> NDArray[Any]:
    """A new array filled with one value, or with an array broadcast to the shape."""
@overload
def full_like(a: ArrayLike, fill_value: Any, dtype: type[ScalarT] | numpy.dtype[ScalarT], order: str = ..., subok: bool = ..., shape: SupportsIndex | Sequence[SupportsIndex] | None = ..., *, device: Any = ...) -> NDArray[ScalarT]: ...
@overload
def full_like(a: ArrayLike, fill_value: Any, dtype: DTypeLike | None = ..., order: str = ..., subok: bool = ..., shape: SupportsIndex | Sequence[SupportsIndex] | None = ..., *, device: Any = ...) -> NDArray[Any]:
    """One value with the shape, dtype and memory order of another array."""
@overload
def identity(n: ArrayLike, dtype: type[ScalarT] | numpy.dtype[ScalarT], *, like: Any = ...) -> NDArray[ScalarT]: ...
@overload
def identity(n: ArrayLike, dtype: DTypeLike | None = ..., *, like: Any = ...) -> NDArray[Any]:
    """The n x n identity matrix."""
@overload
def ones(shape: SupportsIndex | Sequence[SupportsIndex], dtype: type[ScalarT] | numpy.dtype[ScalarT], order: str = ..., *, device: Any = ..., like: Any = ...) -> NDArray[ScalarT]: ...
@overload
def ones(shape: SupportsIndex | Sequence[SupportsIndex], dtype: DTypeLike | None = ..., order: str = ..., *, device: Any = ..., like: Any = ...) -> NDArray[Any]:
    """A new array of ones."""
@overload
def ones_like(a: ArrayLike, dtype: type[ScalarT] | numpy.dtype[ScalarT], order: str = ..., subok: bool = ..., shape: SupportsIndex | Sequence[SupportsIndex] | None = ..., *, device: Any = ...) -> NDArray[ScalarT]: ...
@overload
def ones_like(a: ArrayLike, dtype: DTypeLike | None = ..., order: str = ..., subok: bool = ..., shape: SupportsIndex | Sequence[SupportsIndex] | None = ..., *, device: Any = ...) -> NDArray[Any]:
    """Ones with the shape, dtype and memory order of another array."""
@overload
def zeros(shape: SupportsIndex | Sequence[SupportsIndex], dtype: type[ScalarT] | numpy.dtype[ScalarT], order: str = ..., *, device: Any = ..., like: Any = ...) -> NDArray[ScalarT]: ...
@overload
def zeros(shape: SupportsIndex | Sequence[SupportsIndex], dtype: DTypeLike | None = ..., order: str = ..., *, device: Any = ..., like: Any = ...) -> NDArray[Any]:
    """A new array of zeros."""
@overload
def zeros_like(a: ArrayLike, dtype: type[ScalarT] | numpy.dtype[ScalarT], order: str = ..., subok: bool = ..., shape: SupportsIndex | Sequence[SupportsIndex] | None = ..., *, device: Any = ...) -> NDArray[ScalarT]: ...
@overload
def zeros_like(a: ArrayLike, dtype: DTypeLike | None = ..., order: str = ..., subok: bool = ..., shape: SupportsIndex | Sequence[SupportsIndex] | None = ..., *, device: Any = ...) -> NDArray[Any]:
    """Zeros with the shape, dtype and memory order of another array."""

__all__ = [
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "identity",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]
