# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def simpson(y: ArrayLike, x: ArrayLike | None = ..., *, dx: float = ..., axis: SupportsIndex | None = ...) -> NDArray[Any]:
    """Integrates samples along an axis by Simpson's rule."""

def __getattr__(name: str) -> Any: ...
