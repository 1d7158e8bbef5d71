# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

@overload
def arange(start_or_stop: Any, /, stop: Any = ..., step: SupportsIndex = ..., *, dtype: type[ScalarT] | numpy.dtype[ScalarT], device: Any = ..., like: Any = ...) -> ndarray[tuple[int], numpy.dtype[ScalarT]]: ...
@overload
def arange(start_or_stop: Any, /, stop: Any = ..., step: SupportsIndex = ..., *, dtype: DTypeLike | None = ..., device: Any = ..., like: Any = ...) -> ndarray[tuple[int], numpy.dtype[Any]]:
    """Evenly spaced values in a half-open interval."""
def geomspace(start: Any, stop: Any, num: SupportsIndex = ..., endpoint: bool = ..., dtype: DTypeLike | None = ..., axis: SupportsIndex | None = ...) -> NDArray[Any]:
    """Values forming a geometric progression between two ends."""
def linspace(start: Any, stop: Any, num: SupportsIndex = ..., endpoint: bool = ..., retstep: bool = ..., dtype: DTypeLike | None = ..., axis: SupportsIndex | None = ..., *, device: Any = ...) -> Any:
    """`num` evenly spaced values between two ends."""
def logspace(start: Any, stop: Any, num: SupportsIndex = ..., endpoint: bool = ..., base: float = ..., dtype: DTypeLike | None = ..., axis: SupportsIndex | None = ...) -> NDArray[Any]:
    """Values spaced evenly on a logarithmic scale."""

__all__ = [
    "arange",
    "geomspace",
    "linspace",
    "logspace",
]
