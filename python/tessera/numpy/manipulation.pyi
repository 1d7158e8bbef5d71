# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ShapeT, ndarray, ufunc

def atleast_1d(*arys: Any) -> Any:
    """Each argument as an array of one axis or more."""
def atleast_2d(*arys: Any) -> Any:
    """Each argument as an array of two axes or more."""
def atleast_3d(*arys: Any) -> Any:
    """Each argument as an array of three axes or more."""
def broadcast_arrays(*args: Any, subok: bool = ...) -> tuple[NDArray[Any], ...]:
    """Views of all arrays in their common shape."""
@overload
def broadcast_to(array: ndarray[Any, numpy.dtype[ScalarT]], shape: SupportsIndex | Sequence[SupportsIndex], subok: bool = ...) -> NDArray[ScalarT]: ...
@overload
def broadcast_to(array: ArrayLike, shape: SupportsIndex | Sequence[SupportsIndex], subok: bool = ...) -> NDArray[Any]:
    """A read-only view repeated to the shape without copying."""
def copyto(dst: Any, src: Any, casting: str = ..., where: bool = ...) -> None:
    """Writes one array's elements into another, broadcast and cast."""
@overload
def expand_dims(a: ndarray[Any, numpy.dtype[ScalarT]], axis: Any | None) -> NDArray[ScalarT]: ...
@overload
def expand_dims(a: ArrayLike, axis: Any | None) -> NDArray[Any]:
    """A view with axes of extent one inserted."""
@overload
def flip(m: ndarray[ShapeT, numpy.dtype[ScalarT]], axis: SupportsIndex = ...) -> ndarray[ShapeT, numpy.dtype[ScalarT]]: ...
@overload
def flip(m: ndarray[Any, numpy.dtype[ScalarT]], axis: Any | None = ...) -> NDArray[ScalarT]: ...
@overload
def flip(m: ArrayLike, axis: Any | None = ...) -> NDArray[Any]:
    """A view with the elements along some axes in reverse."""
@overload
def fliplr(m: ndarray[ShapeT, numpy.dtype[ScalarT]]) -> ndarray[ShapeT, numpy.dtype[ScalarT]]: ...
@overload
def fliplr(m: ndarray[Any, numpy.dtype[ScalarT]]) -> NDArray[ScalarT]: ...
@overload
def fliplr(m: ArrayLike) -> NDArray[Any]:
    """A view with the columns in reverse."""
@overload
def flipud(m: ndarray[ShapeT, numpy.dtype[ScalarT]]) -> ndarray[ShapeT, numpy.dtype[ScalarT]]: ...
@overload
def flipud(m: ndarray[Any, numpy.dtype[ScalarT]]) -> NDArray[ScalarT]: ...
@overload
def flipud(m: ArrayLike) -> NDArray[Any]:
    """A view with the rows in reverse."""
@overload
def matrix_transpose(x: ndarray[Any, numpy.dtype[ScalarT]], /) -> NDArray[ScalarT]: ...
@overload
def matrix_transpose(x: ArrayLike, /) -> NDArray[Any]:
    """A view with the last two axes swapped."""
@overload
def moveaxis(a: ndarray[Any, numpy.dtype[ScalarT]], source: Any, destination: NDArray[Any]) -> NDArray[ScalarT]: ...
@overload
def moveaxis(a: ArrayLike, source: Any, destination: NDArray[Any]) -> NDArray[Any]:
    """A view with some axes at new places, the others in their order."""
def ndim(a: ArrayLike) -> int:
    """The number of axes."""
@overload
def permute_dims(a: ndarray[Any, numpy.dtype[ScalarT]], axes: Any | None = ...) -> NDArray[ScalarT]: ...
@overload
def permute_dims(a: ArrayLike, axes: Any | None = ...) -> NDArray[Any]:
    """A view with the axes permuted, reversed by default."""
@overload
def ravel(a: ndarray[Any, numpy.dtype[ScalarT]], order: str = ...) -> ndarray[tuple[int], numpy.dtype[ScalarT]]: ...
@overload
def ravel(a: ArrayLike, order: str = ...) -> NDArray[Any]:
    """The elements in one axis; a view when the memory allows it."""
@overload
def repeat(a: ndarray[Any, numpy.dtype[ScalarT]], repeats: Any, axis: Any | None = ...) -> NDArray[ScalarT]: ...
@overload
def repeat(a: ArrayLike, repeats: Any, axis: Any | None = ...) -> NDArray[Any]:
    """Each element repeated, along an axis or flattened."""
@overload
def reshape(a: ndarray[Any, numpy.dtype[ScalarT]], /, shape: SupportsIndex | Sequence[SupportsIndex], order: str = ..., *, copy: bool | None = ...) -> NDArray[ScalarT]: ...
@overload
def reshape(a: ArrayLike, /, shape: SupportsIndex | Sequence[SupportsIndex], order: str = ..., *, copy: bool | None = ...) -> NDArray[Any]:
    """The same elements in another shape; a view when the memory allows it."""
@overload
def resize(a: ndarray[Any, numpy.dtype[ScalarT]], new_shape: SupportsIndex | Sequence[SupportsIndex]) -> NDArray[ScalarT]: ...
@overload
def resize(a: ArrayLike, new_shape: SupportsIndex | Sequence[SupportsIndex]) -> NDArray[Any]:
    """A new array of the shape, filled with repeated copies of the elements."""
@overload
def roll(a: ndarray[ShapeT, numpy.dtype[ScalarT]], shift: SupportsIndex | Sequence[SupportsIndex], axis: SupportsIndex = ...) -> ndarray[ShapeT, numpy.dtype[ScalarT]]: ...
@overload
def roll(a: ndarray[Any, numpy.dtype[ScalarT]], shift: SupportsIndex | Sequence[SupportsIndex], axis: Any | None = ...) -> NDArray[ScalarT]: ...
@overload
def roll(a: ArrayLike, shift: SupportsIndex | Sequence[SupportsIndex], axis: Any | None = ...) -> NDArray[Any]:
    """The elements moved along axes, those that leave at one end entering at the other."""
@overload
def rollaxis(a: ndarray[Any, numpy.dtype[ScalarT]], axis: Any | None, start: SupportsIndex = ...) -> NDArray[ScalarT]: ...
@overload
def rollaxis(a: ArrayLike, axis: Any | None, start: SupportsIndex = ...) -> NDArray[Any]:
    """A view with one axis moved in front of another."""
@overload
def rot90(m: ndarray[Any, numpy.dtype[ScalarT]], k: SupportsIndex = ..., axes: Any | None = ...) -> NDArray[ScalarT]: ...
@overload
def rot90(m: ArrayLike, k: SupportsIndex = ..., axes: Any | None = ...) -> NDArray[Any]:
    """The array turned by k quarter turns in the plane of two axes."""
def shape(a: ArrayLike) -> tuple[int, ...]:
    """The extents of the axes."""
def size(a: ArrayLike, axis: Any | None = ...) -> int:
    """The number of elements, in all or along the given axes."""
@overload
def squeeze(a: ndarray[Any, numpy.dtype[ScalarT]], axis: Any | None = ...) -> NDArray[ScalarT]: ...
@overload
def squeeze(a: ArrayLike, axis: Any | None = ...) -> NDArray[Any]:
    """A view without the axes of extent one."""
@overload
def swapaxes(a: ndarray[Any, numpy.dtype[ScalarT]], axis1: SupportsIndex, axis2: SupportsIndex) -> NDArray[ScalarT]: ...
@overload
def swapaxes(a: ArrayLike, axis1: SupportsIndex, axis2: SupportsIndex) -> NDArray[Any]:
    """A view with two axes exchanged."""
@overload
def tile(A: ndarray[Any, numpy.dtype[ScalarT]], reps: Any) -> NDArray[ScalarT]: ...
@overload
def tile(A: Any, reps: Any) -> NDArray[Any]:
    """The array repeated as a block along each axis."""
@overload
def transpose(a: ndarray[Any, numpy.dtype[ScalarT]], axes: Any | None = ...) -> NDArray[ScalarT]: ...
@overload
def transpose(a: ArrayLike, axes: Any | None = ...) -> NDArray[Any]:
    """A view with the axes permuted, reversed by default."""

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "copyto",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "matrix_transpose",
    "moveaxis",
    "ndim",
    "permute_dims",
    "ravel",
    "repeat",
    "reshape",
    "resize",
    "roll",
    "rollaxis",
    "rot90",
    "shape",
    "size",
    "squeeze",
    "swapaxes",
    "tile",
    "transpose",
]
