# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

@overload
def pad(array: ndarray[Any, numpy.dtype[ScalarT]], pad_width: Any, mode: str | Callable[..., Any] = ..., **kwargs: Any) -> NDArray[ScalarT]: ...
@overload
def pad(array: ArrayLike, pad_width: Any, mode: str | Callable[..., Any] = ..., **kwargs: Any) -> NDArray[Any]:
    """The array with a border, filled as the mode says."""

__all__ = [
    "pad",
]
