# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def cholesky(a: ArrayLike, /, *, upper: bool = ...) -> NDArray[Any]:
    """The lower (or upper) triangular factor of positive definite matrices."""
def eig(a: ArrayLike) -> NDArray[Any]:
    """Eigenvalues and right eigenvectors."""
def eigh(a: ArrayLike, UPLO: str = ...) -> tuple[NDArray[Any], NDArray[Any]]:
    """Eigenvalues and eigenvectors of Hermitian matrices."""
def eigvals(a: ArrayLike) -> NDArray[Any]:
    """Eigenvalues."""
def eigvalsh(a: ArrayLike, UPLO: str = ...) -> NDArray[Any]:
    """Eigenvalues of Hermitian matrices."""
def pinv(a: ArrayLike, rcond: Any = ..., hermitian: bool = ..., *, rtol: Any = ...) -> NDArray[Any]:
    """The Moore-Penrose inverse."""
def qr(a: ArrayLike, mode: str = ...) -> NDArray[Any]:
    """Orthogonal and upper triangular factors."""
def svd(a: ArrayLike, full_matrices: bool = ..., compute_uv: bool = ..., hermitian: bool = ...) -> NDArray[Any]:
    """Singular values and vectors."""
def svdvals(x: ArrayLike, /) -> NDArray[Any]:
    """Singular values."""
