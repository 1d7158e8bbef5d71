# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def lombscargle(x: ArrayLike, y: ArrayLike, freqs: ArrayLike, *, precenter: Any = ..., normalize: bool | str = ..., weights: ArrayLike | None = ..., floating_mean: bool = ..., offsets: ArrayLike | None = ...) -> NDArray[Any]:
    """The generalised Lomb-Scargle periodogram of one series, or of many in one call."""

def __getattr__(name: str) -> Any: ...
