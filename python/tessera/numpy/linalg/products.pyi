# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex | None = ...) -> NDArray[Any]:
    """The cross product of vectors of three elements."""
@overload
def diagonal(x: ndarray[Any, numpy.dtype[ScalarT]], /, *, offset: SupportsIndex = ...) -> NDArray[ScalarT]: ...
@overload
def diagonal(x: ArrayLike, /, *, offset: SupportsIndex = ...) -> NDArray[Any]:
    """The diagonals of the matrices in the last two axes."""
@overload
def matrix_transpose(x: ndarray[Any, numpy.dtype[ScalarT]], /) -> NDArray[ScalarT]: ...
@overload
def matrix_transpose(x: ArrayLike, /) -> NDArray[Any]:
    """The matrices in the last two axes transposed."""
def multi_dot(arrays: Any, *, out: NDArray[Any] | None = ...) -> Any:
    """The product of several matrices, in the order that costs least."""
def outer(x1: ArrayLike, x2: ArrayLike, /) -> NDArray[Any]:
    """All products of an element of one vector with one of the other."""
def trace(x: ArrayLike, /, *, offset: SupportsIndex = ..., dtype: DTypeLike | None = ...) -> Any:
    """The sums of those diagonals."""
