# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def cross(a: ArrayLike, b: ArrayLike, axisa: SupportsIndex = ..., axisb: SupportsIndex = ..., axisc: SupportsIndex = ..., axis: Any | None = ...) -> NDArray[Any]:
    """The cross product of vectors of three components (before NumPy 2.5 also of two)."""
def diff(a: ArrayLike, n: SupportsIndex = ..., axis: SupportsIndex | None = ..., prepend: Any = ..., append: Any = ...) -> NDArray[Any]:
    """The n-th differences of neighbours along an axis."""
def ediff1d(ary: ArrayLike, to_end: Any = ..., to_begin: Any = ...) -> NDArray[Any]:
    """The differences of neighbours in the flattened array, with values put around them."""
def gradient(f: Any, *varargs: Any, axis: SupportsIndex | Sequence[SupportsIndex] | None = ..., edge_order: SupportsIndex = ...) -> Any:
    """Central differences inside, one-sided ones at the ends, along each axis."""
def interp(x: ArrayLike, xp: ArrayLike, fp: ArrayLike, left: ArrayLike | None = ..., right: ArrayLike | None = ..., period: Any = ...) -> Any:
    """Piecewise linear interpolation through the points (xp, fp)."""
def trapezoid(y: ArrayLike, x: ArrayLike | None = ..., dx: float = ..., axis: SupportsIndex | None = ...) -> Any:
    """The integral along an axis by the trapezoidal rule."""
def unwrap(p: ArrayLike, discont: Any = ..., axis: SupportsIndex | None = ..., *, period: float = ...) -> Any:
    """The array with jumps of more than half a period taken out."""

__all__ = [
    "cross",
    "diff",
    "ediff1d",
    "gradient",
    "interp",
    "trapezoid",
    "unwrap",
]
