# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def allclose(a: ArrayLike, b: ArrayLike, rtol: float = ..., atol: float = ..., equal_nan: bool = ...) -> bool:
    """Whether all elements are close to each other."""
def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = ...) -> bool:
    """Whether two arrays have one shape and equal elements."""
def array_equiv(a1: ArrayLike, a2: ArrayLike) -> bool:
    """Whether two arrays broadcast to each other and are then equal."""
def isclose(a: ArrayLike, b: ArrayLike, rtol: float = ..., atol: float = ..., equal_nan: bool = ...) -> Any:
    """Whether |a - b| <= atol + rtol |b|, elementwise."""
def iscomplex(x: ArrayLike) -> Any:
    """Whether each element has an imaginary part that is not zero."""
def iscomplexobj(x: ArrayLike) -> bool:
    """Whether the object has a complex dtype."""
def isfortran(a: ArrayLike) -> bool:
    """Whether the array is Fortran- but not C-contiguous."""
def isneginf(x: ArrayLike, out: NDArray[Any] | None = ...) -> Any:
    """Whether each element is negative infinity."""
def isposinf(x: ArrayLike, out: NDArray[Any] | None = ...) -> Any:
    """Whether each element is positive infinity."""
def isreal(x: ArrayLike) -> Any:
    """Whether each element has no imaginary part."""
def isrealobj(x: ArrayLike) -> bool:
    """Whether the object does not have a complex dtype."""
def may_share_memory(a: ArrayLike, b: ArrayLike, /, max_work: SupportsIndex = ...) -> bool:
    """Whether the memory ranges of two arrays touch."""
def shares_memory(a: ArrayLike, b: ArrayLike, /, max_work: SupportsIndex = ...) -> bool:
    """Whether two arrays have an element in common."""

__all__ = [
    "allclose",
    "array_equal",
    "array_equiv",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isfortran",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "may_share_memory",
    "shares_memory",
]
