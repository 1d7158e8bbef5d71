# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def poly(seq_of_zeros: Any) -> NDArray[Any]:
    """The polynomial with these roots, or the characteristic polynomial of a matrix."""
class poly1d:
    """A polynomial with arithmetic; its coefficients are a tessera array."""
    def __init__(self, c_or_r: Any, r: bool = ..., variable: Any = ...) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def __call__(self, val: Any) -> NDArray[Any]:
        """Call self as a function."""
    def __getitem__(self, power: Any) -> NDArray[Any]: ...
    def __iter__(self) -> NDArray[Any]: ...
    def __len__(self) -> NDArray[Any]: ...
    @property
    def c(self) -> Any:
        """The coefficients, highest power first."""
    @property
    def coef(self) -> Any:
        """The coefficients, highest power first."""
    @property
    def coefficients(self) -> Any:
        """The coefficients, highest power first."""
    @property
    def coeffs(self) -> Any:
        """The coefficients, highest power first."""
    def deriv(self, m: ArrayLike = ...) -> NDArray[Any]:
        """The m-th derivative."""
    def integ(self, m: ArrayLike = ..., k: SupportsIndex = ...) -> NDArray[Any]:
        """The m-th antiderivative."""
    @property
    def o(self) -> Any:
        """The degree."""
    @property
    def order(self) -> Any:
        """The degree."""
    @property
    def r(self) -> Any:
        """The roots."""
    @property
    def roots(self) -> Any:
        """The roots."""
    @property
    def variable(self) -> Any:
        """The name of the polynomial variable"""
def polyadd(a1: ArrayLike, a2: ArrayLike) -> NDArray[Any]:
    """The sum of two polynomials."""
def polyder(p: ArrayLike, m: ArrayLike = ...) -> NDArray[Any]:
    """The m-th derivative."""
def polydiv(u: Any, v: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    """Quotient and remainder of two polynomials."""
def polyfit(x: ArrayLike, y: ArrayLike, deg: SupportsIndex, rcond: Any = ..., full: bool = ..., w: Any = ..., cov: ArrayLike = ...) -> Any:
    """The polynomial of least squared error through points."""
def polyint(p: ArrayLike, m: ArrayLike = ..., k: SupportsIndex | None = ...) -> NDArray[Any]:
    """The m-th antiderivative with integration constants k."""
def polymul(a1: ArrayLike, a2: ArrayLike) -> NDArray[Any]:
    """The product of two polynomials."""
def polysub(a1: ArrayLike, a2: ArrayLike) -> NDArray[Any]:
    """The difference of two polynomials."""
def polyval(p: ArrayLike, x: ArrayLike) -> Any:
    """The polynomial's value at x, by Horner's rule."""
def roots(p: ArrayLike) -> NDArray[Any]:
    """The roots of the polynomial."""

__all__ = [
    "poly",
    "poly1d",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
]
