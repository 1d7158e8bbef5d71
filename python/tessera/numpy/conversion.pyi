# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ShapeT, ndarray, ufunc

@overload
def array(object: Any, dtype: type[ScalarT] | numpy.dtype[ScalarT], *, copy: bool | None = ..., order: str = ..., subok: bool = ..., ndmin: SupportsIndex = ..., ndmax: SupportsIndex = ..., like: Any = ...) -> NDArray[ScalarT]: ...
@overload
def array(object: Any, dtype: DTypeLike | None = ..., *, copy: bool | None = ..., order: str = ..., subok: bool = ..., ndmin: SupportsIndex = ..., ndmax: SupportsIndex = ..., like: Any = ...) -> NDArray[Any]:
    """An array made from any object that NumPy reads as one."""
@overload
def asanyarray(a: Any, dtype: type[ScalarT] | numpy.dtype[ScalarT], order: Any = ..., *, device: Any = ..., copy: bool | None = ..., like: Any = ...) -> NDArray[ScalarT]: ...
@overload
def asanyarray(a: Any, dtype: DTypeLike | None = ..., order: Any = ..., *, device: Any = ..., copy: bool | None = ..., like: Any = ...) -> NDArray[Any]:
    """The same as `asarray`; subclasses are NumPy's and stay as they are."""
@overload
def asarray(a: Any, dtype: type[ScalarT] | numpy.dtype[ScalarT], order: Any = ..., *, device: Any = ..., copy: bool | None = ..., like: Any = ...) -> NDArray[ScalarT]: ...
@overload
def asarray(a: Any, dtype: DTypeLike | None = ..., order: Any = ..., *, device: Any = ..., copy: bool | None = ..., like: Any = ...) -> NDArray[Any]:
    """The object as an array, itself when it already is one of that dtype and order."""
def asarray_chkfinite(a: ArrayLike, dtype: DTypeLike | None = ..., order: Any = ...) -> NDArray[Any]:
    """The object as an array, refused when it holds NaN or infinity."""
@overload
def ascontiguousarray(a: ArrayLike, dtype: type[ScalarT] | numpy.dtype[ScalarT], *, like: Any = ...) -> NDArray[ScalarT]: ...
@overload
def ascontiguousarray(a: ArrayLike, dtype: DTypeLike | None = ..., *, like: Any = ...) -> NDArray[Any]:
    """The object as a C-ordered array of at least one dimension."""
@overload
def asfortranarray(a: ArrayLike, dtype: type[ScalarT] | numpy.dtype[ScalarT], *, like: Any = ...) -> NDArray[ScalarT]: ...
@overload
def asfortranarray(a: ArrayLike, dtype: DTypeLike | None = ..., *, like: Any = ...) -> NDArray[Any]:
    """The object as a Fortran-ordered array of at least one dimension."""
@overload
def astype(x: ArrayLike, dtype: type[ScalarT] | numpy.dtype[ScalarT], /, *, copy: bool | None = ..., device: Any = ...) -> NDArray[ScalarT]: ...
@overload
def astype(x: ArrayLike, dtype: DTypeLike, /, *, copy: bool | None = ..., device: Any = ...) -> NDArray[Any]:
    """The array with its elements converted."""
@overload
def copy(a: ndarray[ShapeT, numpy.dtype[ScalarT]], order: str = ..., subok: bool = ...) -> ndarray[ShapeT, numpy.dtype[ScalarT]]: ...
@overload
def copy(a: ndarray[Any, numpy.dtype[ScalarT]], order: str = ..., subok: bool = ...) -> NDArray[ScalarT]: ...
@overload
def copy(a: ArrayLike, order: str = ..., subok: bool = ...) -> NDArray[Any]:
    """A copy that owns its elements."""
def from_dlpack(x: Any, /, *, device: Any = ..., copy: bool | None = ...) -> NDArray[Any]:
    """An array over the memory of an object that speaks DLPack."""
@overload
def frombuffer(buffer: Any, dtype: type[ScalarT] | numpy.dtype[ScalarT], count: SupportsIndex = ..., offset: SupportsIndex = ..., *, like: Any = ...) -> NDArray[ScalarT]: ...
@overload
def frombuffer(buffer: Any, dtype: DTypeLike = ..., count: SupportsIndex = ..., offset: SupportsIndex = ..., *, like: Any = ...) -> NDArray[Any]:
    """A 1-D array over the memory of an object with a buffer."""
@overload
def fromfunction(function: Any, shape: SupportsIndex | Sequence[SupportsIndex], *, dtype: type[ScalarT] | numpy.dtype[ScalarT], like: Any = ..., **kwargs: Any) -> NDArray[ScalarT]: ...
@overload
def fromfunction(function: Any, shape: SupportsIndex | Sequence[SupportsIndex], *, dtype: DTypeLike = ..., like: Any = ..., **kwargs: Any) -> NDArray[Any]:
    """The function applied to the arrays of indices of a shape."""
@overload
def fromiter(iter: Any, dtype: type[ScalarT] | numpy.dtype[ScalarT], count: SupportsIndex = ..., *, like: Any = ...) -> NDArray[ScalarT]: ...
@overload
def fromiter(iter: Any, dtype: DTypeLike, count: SupportsIndex = ..., *, like: Any = ...) -> NDArray[Any]:
    """A 1-D array of what an iterable yields."""
@overload
def fromstring(string: Any, dtype: type[ScalarT] | numpy.dtype[ScalarT], count: SupportsIndex = ..., *, sep: str = ..., like: Any = ...) -> NDArray[ScalarT]: ...
@overload
def fromstring(string: Any, dtype: DTypeLike = ..., count: SupportsIndex = ..., *, sep: str = ..., like: Any = ...) -> NDArray[Any]:
    """A 1-D array of the numbers in a text."""
def require(a: ArrayLike, dtype: DTypeLike | None = ..., requirements: Any = ..., *, like: Any = ...) -> Any:
    """The array when it meets the requirements, else a copy that does."""

__all__ = [
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "astype",
    "copy",
    "from_dlpack",
    "frombuffer",
    "fromfunction",
    "fromiter",
    "fromstring",
    "require",
]
