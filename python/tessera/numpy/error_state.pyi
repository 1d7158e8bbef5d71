# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc
from numpy import errstate as errstate

def seterr(all: Any = ..., divide: Any = ..., over: Any = ..., under: Any = ..., invalid: Any = ...) -> NDArray[Any]:
    """Set how floating-point errors are handled."""

__all__ = [
    "errstate",
    "seterr",
]
