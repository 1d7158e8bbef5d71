# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ShapeT, ndarray, ufunc

def bmat(obj: ArrayLike, ldict: Any = ..., gdict: Any = ...) -> Any:
    """A matrix of blocks; a text names variables, the caller's unless others are given."""
@overload
def diag(v: ndarray[Any, numpy.dtype[ScalarT]], k: SupportsIndex = ...) -> NDArray[ScalarT]: ...
@overload
def diag(v: ArrayLike, k: SupportsIndex = ...) -> NDArray[Any]:
    """A copy of the k-th diagonal of a matrix, or the matrix with a vector as its k-th diagonal."""
def diagflat(v: ArrayLike, k: SupportsIndex = ...) -> NDArray[Any]:
    """A matrix with the flattened elements as its k-th diagonal."""
def mask_indices(n: ArrayLike, mask_func: Any, k: SupportsIndex = ...) -> tuple[NDArray[Any], ...]:
    """The indices that a masking function such as `triu` keeps of an n x n array."""
def trace(a: ArrayLike, offset: SupportsIndex = ..., axis1: SupportsIndex = ..., axis2: SupportsIndex = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ...) -> Any:
    """The sum along a diagonal."""
@overload
def tri(N: SupportsIndex, M: SupportsIndex | None = ..., k: SupportsIndex = ..., dtype: None = ..., *, like: Any = ...) -> ndarray[tuple[int, int], numpy.dtype[numpy.float64]]: ...
@overload
def tri(N: SupportsIndex, M: SupportsIndex | None = ..., k: SupportsIndex = ..., *, dtype: type[ScalarT] | numpy.dtype[ScalarT], like: Any = ...) -> ndarray[tuple[int, int], numpy.dtype[ScalarT]]: ...
@overload
def tri(N: SupportsIndex, M: SupportsIndex | None = ..., k: SupportsIndex = ..., dtype: DTypeLike = ..., *, like: Any = ...) -> ndarray[tuple[int, int], numpy.dtype[Any]]:
    """Ones on and below the k-th diagonal."""
@overload
def tril(m: ndarray[ShapeT, numpy.dtype[ScalarT]], k: SupportsIndex = ...) -> ndarray[ShapeT, numpy.dtype[ScalarT]]: ...
@overload
def tril(m: ndarray[Any, numpy.dtype[ScalarT]], k: SupportsIndex = ...) -> NDArray[ScalarT]: ...
@overload
def tril(m: ArrayLike, k: SupportsIndex = ...) -> NDArray[Any]:
    """The array with zeros above the k-th diagonal."""
def tril_indices(n: ArrayLike, k: SupportsIndex = ..., m: ArrayLike | None = ...) -> tuple[NDArray[Any], ...]:
    """The indices of the lower triangle of an n x m array."""
def tril_indices_from(arr: ArrayLike, k: SupportsIndex = ...) -> tuple[NDArray[Any], ...]:
    """The indices of the lower triangle of the array."""
@overload
def triu(m: ndarray[ShapeT, numpy.dtype[ScalarT]], k: SupportsIndex = ...) -> ndarray[ShapeT, numpy.dtype[ScalarT]]: ...
@overload
def triu(m: ndarray[Any, numpy.dtype[ScalarT]], k: SupportsIndex = ...) -> NDArray[ScalarT]: ...
@overload
def triu(m: ArrayLike, k: SupportsIndex = ...) -> NDArray[Any]:
    """The array with zeros below the k-th diagonal."""
def triu_indices(n: ArrayLike, k: SupportsIndex = ..., m: ArrayLike | None = ...) -> tuple[NDArray[Any], ...]:
    """The indices of the upper triangle of an n x m array."""
def triu_indices_from(arr: ArrayLike, k: SupportsIndex = ...) -> tuple[NDArray[Any], ...]:
    """The indices of the upper triangle of the array."""
def vander(x: ArrayLike, N: SupportsIndex | None = ..., increasing: bool = ...) -> NDArray[Any]:
    """The matrix whose columns are powers of the vector."""

__all__ = [
    "bmat",
    "diag",
    "diagflat",
    "mask_indices",
    "trace",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "vander",
]
