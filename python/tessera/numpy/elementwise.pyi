# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ShapeT, ndarray, ufunc

def angle(z: ArrayLike, deg: SupportsIndex = ...) -> Any:
    """The angles of complex numbers, in radians or degrees."""
@overload
def around(a: ndarray[ShapeT, numpy.dtype[ScalarT]], decimals: SupportsIndex = ..., out: NDArray[Any] | None = ...) -> ndarray[ShapeT, numpy.dtype[ScalarT]]: ...
@overload
def around(a: ndarray[Any, numpy.dtype[ScalarT]], decimals: SupportsIndex = ..., out: NDArray[Any] | None = ...) -> NDArray[ScalarT]: ...
@overload
def around(a: ArrayLike, decimals: SupportsIndex = ..., out: NDArray[Any] | None = ...) -> Any:
    """The elements rounded to a number of decimals, by round's older name."""
def clip(a: ArrayLike, a_min: Any = ..., a_max: Any = ..., out: NDArray[Any] | None = ..., *, min: Any = ..., max: Any = ..., **kwargs: Any) -> Any:
    """The elements, moved to the nearer bound where they lie outside."""
def fix(x: ArrayLike, out: NDArray[Any] | None = ...) -> Any:
    """The elements rounded towards zero. Deprecated since NumPy 2.5 in favour of `trunc`."""
def i0(x: ArrayLike) -> Any:
    """The modified Bessel function of the first kind and order 0."""
def imag(val: Any) -> Any:
    """The imaginary parts."""
@overload
def nan_to_num(x: ndarray[ShapeT, numpy.dtype[ScalarT]], copy: bool | None = ..., nan: float = ..., posinf: Any = ..., neginf: Any = ...) -> ndarray[ShapeT, numpy.dtype[ScalarT]]: ...
@overload
def nan_to_num(x: ndarray[Any, numpy.dtype[ScalarT]], copy: bool | None = ..., nan: float = ..., posinf: Any = ..., neginf: Any = ...) -> NDArray[ScalarT]: ...
@overload
def nan_to_num(x: ArrayLike, copy: bool | None = ..., nan: float = ..., posinf: Any = ..., neginf: Any = ...) -> Any:
    """NaN, infinity and -infinity replaced by numbers."""
def packbits(a: ArrayLike, /, axis: Any | None = ..., bitorder: str = ...) -> NDArray[Any]:
    """Eight booleans to a byte, along an axis or flattened."""
def real(val: Any) -> Any:
    """The real parts."""
def real_if_close(a: ArrayLike, tol: SupportsIndex = ...) -> Any:
    """The real parts when every imaginary part is nearly zero, else the array itself."""
@overload
def round(a: ndarray[ShapeT, numpy.dtype[ScalarT]], decimals: SupportsIndex = ..., out: NDArray[Any] | None = ...) -> ndarray[ShapeT, numpy.dtype[ScalarT]]: ...
@overload
def round(a: ndarray[Any, numpy.dtype[ScalarT]], decimals: SupportsIndex = ..., out: NDArray[Any] | None = ...) -> NDArray[ScalarT]: ...
@overload
def round(a: ArrayLike, decimals: SupportsIndex = ..., out: NDArray[Any] | None = ...) -> Any:
    """The elements rounded to a number of decimals, halves to the even neighbour."""
def sinc(x: ArrayLike) -> Any:
    """sin(pi x) / (pi x), 1 at zero."""
def unpackbits(a: ArrayLike, /, axis: Any | None = ..., count: Any = ..., bitorder: str = ...) -> NDArray[Any]:
    """Each byte as eight elements of 0 and 1."""

__all__ = [
    "angle",
    "around",
    "clip",
    "fix",
    "i0",
    "imag",
    "nan_to_num",
    "packbits",
    "real",
    "real_if_close",
    "round",
    "sinc",
    "unpackbits",
]
