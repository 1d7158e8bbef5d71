# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def append(arr: ArrayLike, values: ArrayLike, axis: Any | None = ...) -> NDArray[Any]:
    """The array with values joined to its end."""
def array_split(ary: ArrayLike, indices_or_sections: Any, axis: SupportsIndex | None = ...) -> list[NDArray[Any]]:
    """Views of consecutive parts, which need not be of one size."""
def block(arrays: Any) -> NDArray[Any]:
    """One array from nested lists of blocks: innermost along the last axis, and so on outwards."""
def column_stack(tup: Any) -> NDArray[Any]:
    """1-D arrays as the columns of a 2-D array."""
def concat(arrays: Any, /, axis: SupportsIndex | None = ..., out: NDArray[Any] | None = ..., *, dtype: DTypeLike | None = ..., casting: str = ...) -> NDArray[Any]:
    """The arrays one after another along an existing axis."""
@overload
def concatenate(arrays: Any, /, axis: SupportsIndex | None = ..., out: NDArray[Any] | None = ..., *, dtype: type[ScalarT] | numpy.dtype[ScalarT], casting: str = ...) -> NDArray[ScalarT]: ...
@overload
def concatenate(arrays: Any, /, axis: SupportsIndex | None = ..., out: NDArray[Any] | None = ..., *, dtype: DTypeLike | None = ..., casting: str = ...) -> NDArray[Any]:
    """The arrays one after another along an existing axis."""
def delete(arr: ArrayLike, obj: ArrayLike, axis: Any | None = ...) -> Any:
    """The array without the rows that an index, slice, list or mask names."""
def dsplit(ary: ArrayLike, indices_or_sections: Any) -> list[NDArray[Any]]:
    """`split` along the third axis."""
def dstack(tup: Any) -> NDArray[Any]:
    """The arrays one behind another along the third axis."""
def hsplit(ary: ArrayLike, indices_or_sections: Any) -> list[NDArray[Any]]:
    """`split` along the second axis, or the first of a 1-D array."""
def hstack(tup: Any, *, dtype: DTypeLike | None = ..., casting: str = ...) -> NDArray[Any]:
    """The arrays side by side: along the second axis, or the first of 1-D ones."""
def insert(arr: ArrayLike, obj: ArrayLike, values: ArrayLike, axis: Any | None = ...) -> Any:
    """The array with values inserted before the given positions."""
def row_stack(tup: Any, *, dtype: DTypeLike | None = ..., casting: str = ...) -> NDArray[Any]:
    """The arrays one below another, by vstack's older name."""
def split(ary: ArrayLike, indices_or_sections: Any, axis: SupportsIndex | None = ...) -> list[NDArray[Any]]:
    """Views of consecutive parts, all of one size when a number is given."""
@overload
def stack(arrays: Any, axis: SupportsIndex | None = ..., out: NDArray[Any] | None = ..., *, dtype: type[ScalarT] | numpy.dtype[ScalarT], casting: str = ...) -> NDArray[ScalarT]: ...
@overload
def stack(arrays: Any, axis: SupportsIndex | None = ..., out: NDArray[Any] | None = ..., *, dtype: DTypeLike | None = ..., casting: str = ...) -> NDArray[Any]:
    """The arrays one after another along a new axis."""
@overload
def trim_zeros(filt: ndarray[Any, numpy.dtype[ScalarT]], trim: str = ..., axis: Any | None = ...) -> NDArray[ScalarT]: ...
@overload
def trim_zeros(filt: Any, trim: str = ..., axis: Any | None = ...) -> NDArray[Any]:
    """The array without the zeros around it."""
def unstack(x: ArrayLike, /, *, axis: SupportsIndex | None = ...) -> tuple[NDArray[Any], ...]:
    """A tuple of views, one for each index along an axis."""
def vsplit(ary: ArrayLike, indices_or_sections: Any) -> list[NDArray[Any]]:
    """`split` along the first axis."""
def vstack(tup: Any, *, dtype: DTypeLike | None = ..., casting: str = ...) -> NDArray[Any]:
    """The arrays one below another."""

__all__ = [
    "append",
    "array_split",
    "block",
    "column_stack",
    "concat",
    "concatenate",
    "delete",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "insert",
    "row_stack",
    "split",
    "stack",
    "trim_zeros",
    "unstack",
    "vsplit",
    "vstack",
]
