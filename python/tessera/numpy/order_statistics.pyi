# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def median(a: ArrayLike, axis: Any | None = ..., out: NDArray[Any] | None = ..., overwrite_input: bool = ..., keepdims: bool = ...) -> Any:
    """The middle of the sorted elements, of all or along axes."""
def percentile(a: ArrayLike, q: Any, axis: Any | None = ..., out: NDArray[Any] | None = ..., overwrite_input: bool = ..., method: str = ..., keepdims: bool = ..., *, weights: ArrayLike | None = ...) -> Any:
    """The q-th percentiles, of all elements or along axes."""
def quantile(a: ArrayLike, q: Any, axis: Any | None = ..., out: NDArray[Any] | None = ..., overwrite_input: bool = ..., method: str = ..., keepdims: bool = ..., *, weights: ArrayLike | None = ...) -> Any:
    """The q-th quantiles, of all elements or along axes."""

__all__ = [
    "median",
    "percentile",
    "quantile",
]
