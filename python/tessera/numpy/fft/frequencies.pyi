# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def fftfreq(n: ArrayLike, d: float = ..., device: Any = ...) -> NDArray[Any]:
    """The frequencies of `fft`'s n results for samples d apart."""
def fftshift(x: ArrayLike, axes: Any | None = ...) -> NDArray[Any]:
    """Zero frequency moved to the middle."""
def ifftshift(x: ArrayLike, axes: Any | None = ...) -> NDArray[Any]:
    """The inverse of `fftshift`."""
def rfftfreq(n: ArrayLike, d: float = ..., device: Any = ...) -> NDArray[Any]:
    """The frequencies of `rfft`'s results."""
