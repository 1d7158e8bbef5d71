# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def bartlett(M: SupportsIndex) -> NDArray[Any]:
    """The triangle that is zero at both ends."""
def blackman(M: SupportsIndex) -> NDArray[Any]:
    """0.42 + 0.5 cos + 0.08 cos of the double angle."""
def hamming(M: SupportsIndex) -> NDArray[Any]:
    """The raised cosine on a small pedestal."""
def hanning(M: SupportsIndex) -> NDArray[Any]:
    """The raised cosine that is zero at both ends."""
def kaiser(M: SupportsIndex, beta: Any) -> NDArray[Any]:
    """The window of Bessel functions, `beta` choosing between narrow peak and low side lobes."""

__all__ = [
    "bartlett",
    "blackman",
    "hamming",
    "hanning",
    "kaiser",
]
