# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc
from numpy.linalg import LinAlgError as LinAlgError
from tessera.numpy.linalg.factors import cholesky as cholesky
from tessera.numpy.linalg.factors import eig as eig
from tessera.numpy.linalg.factors import eigh as eigh
from tessera.numpy.linalg.factors import eigvals as eigvals
from tessera.numpy.linalg.factors import eigvalsh as eigvalsh
from tessera.numpy.linalg.factors import pinv as pinv
from tessera.numpy.linalg.factors import qr as qr
from tessera.numpy.linalg.factors import svd as svd
from tessera.numpy.linalg.factors import svdvals as svdvals
from tessera.numpy.linalg.norms import cond as cond
from tessera.numpy.linalg.norms import matrix_norm as matrix_norm
from tessera.numpy.linalg.norms import matrix_rank as matrix_rank
from tessera.numpy.linalg.norms import norm as norm
from tessera.numpy.linalg.norms import vector_norm as vector_norm
from tessera.numpy.linalg.products import cross as cross
from tessera.numpy.linalg.products import diagonal as diagonal
from tessera.numpy.linalg.products import matrix_transpose as matrix_transpose
from tessera.numpy.linalg.products import multi_dot as multi_dot
from tessera.numpy.linalg.products import outer as outer
from tessera.numpy.linalg.products import trace as trace
from tessera.numpy.linalg.systems import det as det
from tessera.numpy.linalg.systems import inv as inv
from tessera.numpy.linalg.systems import lstsq as lstsq
from tessera.numpy.linalg.systems import matrix_power as matrix_power
from tessera.numpy.linalg.systems import slogdet as slogdet
from tessera.numpy.linalg.systems import solve as solve
from tessera.numpy.linalg.systems import tensorinv as tensorinv
from tessera.numpy.linalg.systems import tensorsolve as tensorsolve

def matmul(x1: ArrayLike, x2: ArrayLike, /) -> Any:
    """The matrix product."""
def tensordot(x1: ArrayLike, x2: ArrayLike, /, *, axes: SupportsIndex | None = ...) -> NDArray[Any]:
    """The sum over pairs of axes."""
def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: SupportsIndex | None = ...) -> Any:
    """Dot products of vectors, the first conjugated."""

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]
