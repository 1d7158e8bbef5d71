# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def average(a: ArrayLike, axis: Any | None = ..., weights: ArrayLike | None = ..., returned: bool = ..., *, keepdims: bool = ...) -> Any:
    """The mean, each element counted with its weight."""
def convolve(a: ArrayLike, v: ArrayLike, mode: str = ..., *, method: str | None = ...) -> Any:
    """The convolution of two 1-D sequences; with `method` ("auto", "direct" or "fft", as cuPyNumeric has it) of any
    dimensions."""
def corrcoef(x: ArrayLike, y: ArrayLike | None = ..., rowvar: bool = ..., *, dtype: DTypeLike | None = ...) -> Any:
    """The matrix of correlation coefficients of variables given as rows."""
def correlate(a: ArrayLike, v: ArrayLike, mode: str = ...) -> Any:
    """The cross-correlation of two 1-D sequences: sums of a[n + k] * conj(v[n])."""
def cov(m: ArrayLike, y: ArrayLike | None = ..., rowvar: bool = ..., bias: bool = ..., ddof: Any = ..., fweights: ArrayLike | None = ..., aweights: ArrayLike | None = ..., *, dtype: DTypeLike | None = ...) -> Any:
    """The covariance matrix of variables given as rows."""

__all__ = [
    "average",
    "convolve",
    "corrcoef",
    "correlate",
    "cov",
]
