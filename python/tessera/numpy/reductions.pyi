# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def all(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ..., *, where: Any = ...) -> Any:
    """Whether every element is true, of all or along axes."""
def amax(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ..., initial: Any = ..., where: Any = ...) -> Any:
    """The largest element, by max's older name."""
def amin(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ..., initial: Any = ..., where: Any = ...) -> Any:
    """The smallest element, by min's older name."""
def any(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ..., *, where: Any = ...) -> Any:
    """Whether any element is true, of all or along axes."""
def argmax(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., *, keepdims: bool = ...) -> Any:
    """The position of the first largest element."""
def argmin(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., *, keepdims: bool = ...) -> Any:
    """The position of the first smallest element."""
@overload
def cumprod(a: ArrayLike, axis: Any | None = ..., *, dtype: type[ScalarT] | numpy.dtype[ScalarT], out: NDArray[Any] | None = ...) -> NDArray[ScalarT]: ...
@overload
def cumprod(a: ArrayLike, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """The running products, flattened or along an axis."""
@overload
def cumsum(a: ArrayLike, axis: Any | None = ..., *, dtype: type[ScalarT] | numpy.dtype[ScalarT], out: NDArray[Any] | None = ...) -> NDArray[ScalarT]: ...
@overload
def cumsum(a: ArrayLike, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """The running sums, flattened or along an axis."""
def cumulative_prod(x: ArrayLike, /, *, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ..., include_initial: bool = ...) -> NDArray[Any]:
    """The running products along an axis, with a leading 1 when asked."""
def cumulative_sum(x: ArrayLike, /, *, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ..., include_initial: bool = ...) -> NDArray[Any]:
    """The running sums along an axis, with a leading 0 when asked."""
def max(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ..., initial: Any = ..., where: Any = ...) -> Any:
    """The largest element, of all or along axes."""
def mean(a: ArrayLike, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ..., *, where: Any = ...) -> Any:
    """The arithmetic mean, of all elements or along axes."""
def min(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ..., initial: Any = ..., where: Any = ...) -> Any:
    """The smallest element, of all or along axes."""
def prod(a: ArrayLike, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ..., initial: Any = ..., where: Any = ...) -> Any:
    """The product of the elements, of all or along axes."""
def ptp(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ...) -> Any:
    """The largest minus the smallest element."""
def std(a: ArrayLike, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ..., ddof: SupportsIndex = ..., keepdims: bool = ..., *, where: Any = ..., mean: ArrayLike = ..., correction: Any = ...) -> Any:
    """The square root of the variance."""
def sum(a: ArrayLike, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ..., initial: Any = ..., where: Any = ...) -> Any:
    """The sum of the elements, of all or along axes."""
def var(a: ArrayLike, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ..., ddof: SupportsIndex = ..., keepdims: bool = ..., *, where: Any = ..., mean: ArrayLike = ..., correction: Any = ...) -> Any:
    """The mean squared distance from the mean."""

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]
