# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def nanargmax(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., *, keepdims: bool = ...) -> Any:
    """The position of the first largest element that is not NaN."""
def nanargmin(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., *, keepdims: bool = ...) -> Any:
    """The position of the first smallest element that is not NaN."""
def nancumprod(a: ArrayLike, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """The running products, NaN counting as one."""
def nancumsum(a: ArrayLike, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """The running sums, NaN counting as zero."""
def nanmax(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ..., initial: Any = ..., where: Any = ...) -> Any:
    """The largest element that is not NaN."""
def nanmean(a: ArrayLike, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ..., *, where: Any = ...) -> Any:
    """The mean of the elements that are not NaN."""
def nanmedian(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., overwrite_input: bool = ..., keepdims: bool = ...) -> Any:
    """The median of the elements that are not NaN."""
def nanmin(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ..., initial: Any = ..., where: Any = ...) -> Any:
    """The smallest element that is not NaN."""
def nanpercentile(a: ArrayLike, q: Any, axis: Any | None = ..., out: NDArray[Any] | None = ..., overwrite_input: bool = ..., method: str = ..., keepdims: bool = ..., *, weights: ArrayLike | None = ...) -> Any:
    """The percentiles of the elements that are not NaN."""
def nanprod(a: ArrayLike, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ..., initial: Any = ..., where: Any = ...) -> Any:
    """The product of the elements that are not NaN."""
def nanquantile(a: ArrayLike, q: Any, axis: Any | None = ..., out: NDArray[Any] | None = ..., overwrite_input: bool = ..., method: str = ..., keepdims: bool = ..., *, weights: ArrayLike | None = ...) -> Any:
    """The quantiles of the elements that are not NaN."""
def nanstd(a: ArrayLike, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ..., ddof: SupportsIndex = ..., keepdims: bool = ..., *, where: Any = ..., mean: ArrayLike = ..., correction: Any = ...) -> Any:
    """The standard deviation of the elements that are not NaN."""
def nansum(a: ArrayLike, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ..., keepdims: bool = ..., initial: Any = ..., where: Any = ...) -> Any:
    """The sum of the elements that are not NaN."""
def nanvar(a: ArrayLike, axis: Any | None = ..., dtype: DTypeLike | None = ..., out: NDArray[Any] | None = ..., ddof: SupportsIndex = ..., keepdims: bool = ..., *, where: Any = ..., mean: ArrayLike = ..., correction: Any = ...) -> Any:
    """The variance of the elements that are not NaN."""

__all__ = [
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
]
