# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def fft(a: ArrayLike, n: SupportsIndex | None = ..., axis: SupportsIndex | None = ..., norm: Any = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """The transform of n complex points."""
def fft2(a: ArrayLike, s: Any = ..., axes: Any | None = ..., norm: Any = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """`fft` along two axes."""
def fftn(a: ArrayLike, s: Any = ..., axes: Any | None = ..., norm: Any = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """`fft` along several axes, all by default."""
def hfft(a: ArrayLike, n: ArrayLike | None = ..., axis: SupportsIndex | None = ..., norm: Any = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """The transform of a signal with Hermitian symmetry, given by its first half."""
def ifft(a: ArrayLike, n: ArrayLike | None = ..., axis: SupportsIndex | None = ..., norm: Any = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """The inverse of `fft`."""
def ifft2(a: ArrayLike, s: Any = ..., axes: Any | None = ..., norm: Any = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """`ifft` along two axes."""
def ifftn(a: ArrayLike, s: Any = ..., axes: Any | None = ..., norm: Any = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """`ifft` along several axes, all by default."""
def ihfft(a: ArrayLike, n: ArrayLike | None = ..., axis: SupportsIndex | None = ..., norm: Any = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """The inverse of `hfft`."""
def irfft(a: ArrayLike, n: ArrayLike | None = ..., axis: SupportsIndex | None = ..., norm: Any = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """The inverse of `rfft`."""
def irfft2(a: ArrayLike, s: Any = ..., axes: Any | None = ..., norm: Any = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """The inverse of `rfft2`."""
def irfftn(a: ArrayLike, s: Any = ..., axes: Any | None = ..., norm: Any = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """The inverse of `rfftn`."""
def rfft(a: ArrayLike, n: ArrayLike | None = ..., axis: SupportsIndex | None = ..., norm: Any = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """The first half of the transform of n real points."""
def rfft2(a: ArrayLike, s: Any = ..., axes: Any | None = ..., norm: Any = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """`rfftn` along two axes."""
def rfftn(a: ArrayLike, s: Any = ..., axes: Any | None = ..., norm: Any = ..., out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """`rfft` along the last axis, `fft` along the others."""
