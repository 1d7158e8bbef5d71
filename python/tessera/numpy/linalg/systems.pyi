# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def det(a: ArrayLike) -> Any:
    """The determinant."""
def inv(a: ArrayLike) -> NDArray[Any]:
    """The inverse."""
def lstsq(a: ArrayLike, b: ArrayLike, rcond: Any = ...) -> NDArray[Any]:
    """(x, residuals, rank, singular values) of the least-squares solution."""
def matrix_power(a: ArrayLike, n: ArrayLike) -> NDArray[Any]:
    """The product of n copies of a; of the inverse for negative n."""
def slogdet(a: ArrayLike) -> NDArray[Any]:
    """The sign and the logarithm of the size of the determinant."""
def solve(a: ArrayLike, b: ArrayLike) -> NDArray[Any]:
    """The x with a @ x == b."""
def tensorinv(a: ArrayLike, ind: SupportsIndex = ...) -> NDArray[Any]:
    """The inverse with respect to tensordot over the first `ind` axes."""
def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Any | None = ...) -> NDArray[Any]:
    """The x with tensordot(a, x, x.ndim) == b."""
