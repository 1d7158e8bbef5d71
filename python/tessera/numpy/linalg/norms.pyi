# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def cond(x: ArrayLike, p: ArrayLike | None = ...) -> Any:
    """The condition number with respect to a norm."""
def matrix_norm(x: ArrayLike, /, *, keepdims: bool = ..., ord: Any = ...) -> Any:
    """The norm of the matrices in the last two axes."""
def matrix_rank(A: Any, tol: Any = ..., hermitian: bool = ..., *, rtol: Any = ...) -> Any:
    """The number of singular values above a tolerance."""
def norm(x: ArrayLike, ord: Any = ..., axis: Any | None = ..., keepdims: bool = ...) -> Any:
    """A vector or matrix norm."""
def vector_norm(x: ArrayLike, /, *, axis: Any | None = ..., keepdims: bool = ..., ord: SupportsIndex = ...) -> Any:
    """The norm along an axis, or of all elements along several."""
