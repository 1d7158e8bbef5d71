# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def dot(a: ArrayLike, b: ArrayLike, out: NDArray[Any] | None = ...) -> Any:
    """The sum over the last axis of `a` and the second to last of `b`."""
def inner(a: ArrayLike, b: ArrayLike, /) -> Any:
    """The sum over the last axes of both."""
def kron(a: ArrayLike, b: ArrayLike) -> NDArray[Any]:
    """The Kronecker product: blocks of `b` scaled by the elements of `a`."""
def matmul(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, axes: Any | None = ..., axis: Any | None = ..., keepdims: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> NDArray[Any]:
    """The products of matrices; a vector loses the axis that it is given. Shapes: (..., m, k) and (..., k, n) to (..., m,
    n). What stands for `...` is broadcast. Dtypes: what both promote to. Errors: ValueError where the lengths k differ or
    shapes do not broadcast; TypeError where no loop takes the operands. Source: BLAS for floats and complex numbers
    (bits: vendor), exact sums for integers."""
def matvec(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, axes: Any | None = ..., axis: Any | None = ..., keepdims: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> NDArray[Any]:
    """The products of matrices and vectors. Shapes: (..., m, k) and (..., k) to (..., m). What stands for `...` is
    broadcast. Dtypes: what both promote to. Errors: ValueError where the lengths k differ or shapes do not broadcast;
    TypeError where no loop takes the operands. Source: BLAS for floats and complex numbers (bits: vendor), exact sums for
    integers."""
def outer(a: ArrayLike, b: ArrayLike, out: NDArray[Any] | None = ...) -> NDArray[Any]:
    """All products of an element of `a` with one of `b`, both flattened."""
def tensordot(a: ArrayLike, b: ArrayLike, axes: SupportsIndex | None = ...) -> NDArray[Any]:
    """The sum over pairs of axes."""
def vdot(a: ArrayLike, b: ArrayLike, /) -> Any:
    """The dot product of both arrays flattened, the first conjugated."""
def vecdot(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, axes: Any | None = ..., axis: Any | None = ..., keepdims: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> NDArray[Any]:
    """The sums of products along the last axes, the first operand conjugated. Shapes: (..., k) twice to (...). What stands
    for `...` is broadcast. Dtypes: what both promote to. Errors: ValueError where the lengths k differ or shapes do not
    broadcast; TypeError where no loop takes the operands. Source: BLAS for floats and complex numbers (bits: vendor),
    exact sums for integers."""
def vecmat(x1: ArrayLike, x2: ArrayLike, /, out: NDArray[Any] | None = ..., *, axes: Any | None = ..., axis: Any | None = ..., keepdims: bool = ..., casting: str = ..., order: str = ..., dtype: DTypeLike | None = ..., subok: bool = ..., signature: Any = ...) -> NDArray[Any]:
    """The products of vectors, conjugated, and matrices. Shapes: (..., k) and (..., k, n) to (..., n). What stands for `...`
    is broadcast. Dtypes: what both promote to. Errors: ValueError where the lengths k differ or shapes do not broadcast;
    TypeError where no loop takes the operands. Source: BLAS for floats and complex numbers (bits: vendor), exact sums for
    integers."""

__all__ = [
    "dot",
    "inner",
    "kron",
    "matmul",
    "matvec",
    "outer",
    "tensordot",
    "vdot",
    "vecdot",
    "vecmat",
]
