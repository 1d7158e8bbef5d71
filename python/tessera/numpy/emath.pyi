# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def arccos(x: ArrayLike) -> Any:
    """The inverse cosine, complex beyond [-1, 1]."""
def arcsin(x: ArrayLike) -> Any:
    """The inverse sine, complex beyond [-1, 1]."""
def arctanh(x: ArrayLike) -> Any:
    """The inverse hyperbolic tangent, complex beyond [-1, 1]."""
def log(x: ArrayLike) -> Any:
    """The natural logarithm, complex of negative numbers."""
def log10(x: ArrayLike) -> Any:
    """The logarithm to base 10, complex of negative numbers."""
def log2(x: ArrayLike) -> Any:
    """The logarithm to base 2, complex of negative numbers."""
def logn(n: ArrayLike, x: ArrayLike) -> Any:
    """The logarithm to base n, complex of negative numbers."""
def power(x: ArrayLike, p: ArrayLike) -> Any:
    """x to the power p, complex of negative numbers; integer powers may be negative."""
def sqrt(x: ArrayLike) -> Any:
    """The square root, complex of negative numbers."""

__all__ = [
    "arccos",
    "arcsin",
    "arctanh",
    "log",
    "log10",
    "log2",
    "logn",
    "power",
    "sqrt",
]
