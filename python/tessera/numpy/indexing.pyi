# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def argwhere(a: ArrayLike) -> NDArray[Any]:
    """The indices of the nonzero elements, one row an element."""
def choose(a: ArrayLike, choices: ArrayLike, out: NDArray[Any] | None = ..., mode: str = ...) -> NDArray[Any]:
    """Each element taken from the array that `a` names at its place."""
@overload
def compress(condition: ArrayLike, a: ndarray[Any, numpy.dtype[ScalarT]], axis: Any | None = ..., out: NDArray[Any] | None = ...) -> NDArray[ScalarT]: ...
@overload
def compress(condition: ArrayLike, a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """The slices along an axis for which the condition holds."""
def count_nonzero(a: ArrayLike, axis: Any | None = ..., *, keepdims: bool = ...) -> Any:
    """How many elements are not zero, in all or along axes."""
def diag_indices(n: ArrayLike, ndim: SupportsIndex = ...) -> tuple[NDArray[Any], ...]:
    """The indices of the main diagonal of an array of ndim axes of extent n."""
def diag_indices_from(arr: ArrayLike) -> tuple[NDArray[Any], ...]:
    """The indices of the main diagonal of the array."""
@overload
def diagonal(a: ndarray[Any, numpy.dtype[ScalarT]], offset: SupportsIndex = ..., axis1: SupportsIndex = ..., axis2: SupportsIndex = ...) -> NDArray[ScalarT]: ...
@overload
def diagonal(a: ArrayLike, offset: SupportsIndex = ..., axis1: SupportsIndex = ..., axis2: SupportsIndex = ...) -> NDArray[Any]:
    """A read-only view of a diagonal."""
@overload
def extract(condition: ArrayLike, arr: ndarray[Any, numpy.dtype[ScalarT]]) -> ndarray[tuple[int], numpy.dtype[ScalarT]]: ...
@overload
def extract(condition: ArrayLike, arr: ArrayLike) -> NDArray[Any]:
    """The elements of the array, flattened, where the condition holds."""
def fill_diagonal(a: ArrayLike, val: Any, wrap: bool = ...) -> None:
    """Writes the main diagonal in place."""
def flatnonzero(a: ArrayLike) -> NDArray[Any]:
    """The flat positions of the nonzero elements."""
def nonzero(a: ArrayLike) -> tuple[NDArray[Any], ...]:
    """The indices of the nonzero elements, one array an axis."""
def piecewise(x: ArrayLike, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """A function given by cases: each function on the elements where its condition holds."""
def place(arr: ArrayLike, mask: ArrayLike, vals: ArrayLike) -> None:
    """Writes the values, repeated in turn, where the mask holds."""
def put(a: ArrayLike, ind: Any, v: ArrayLike, mode: str = ...) -> None:
    """Writes values at flat positions."""
def put_along_axis(arr: ArrayLike, indices: ArrayLike, values: ArrayLike, axis: Any | None) -> None:
    """Writes values at matching positions along an axis."""
def putmask(a: ArrayLike, /, mask: ArrayLike, values: ArrayLike) -> None:
    """Writes values[i % len(values)] at each flat position i where the mask holds."""
def ravel_multi_index(multi_index: Any, dims: Any, mode: str = ..., order: str = ...) -> Any:
    """Flat positions for indices given one array an axis."""
def select(condlist: Any, choicelist: Any, default: SupportsIndex = ...) -> Any:
    """For each place the choice of the first condition that holds."""
def take(a: ArrayLike, indices: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., mode: str = ...) -> Any:
    """The elements at the indices, along an axis or of the flattened array."""
def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: SupportsIndex | None = ...) -> NDArray[Any]:
    """Matching elements: result[..., i, ...] = arr[..., indices[..., i, ...], ...]."""
def unravel_index(indices: ArrayLike, shape: SupportsIndex | Sequence[SupportsIndex], order: str = ...) -> tuple[NDArray[Any], ...]:
    """The indices, one array an axis, of flat positions."""
def where(condition: ArrayLike, x: ArrayLike | None = ..., y: ArrayLike | None = ..., /) -> Any:
    """Elements of x where the condition holds, else of y; with the condition alone, its nonzero positions."""

__all__ = [
    "argwhere",
    "choose",
    "compress",
    "count_nonzero",
    "diag_indices",
    "diag_indices_from",
    "diagonal",
    "extract",
    "fill_diagonal",
    "flatnonzero",
    "nonzero",
    "piecewise",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "ravel_multi_index",
    "select",
    "take",
    "take_along_axis",
    "unravel_index",
    "where",
]
