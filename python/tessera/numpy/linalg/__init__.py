"""numpy.linalg over the machine's LAPACK."""

from __future__ import annotations

from typing import Any

from numpy.linalg import LinAlgError, _linalg  # noqa: F401  libraries find the named results in _linalg

from tessera import _fallback
from tessera.numpy.linalg import products as _products
from tessera.numpy.linalg.factors import cholesky, eig, eigh, eigvals, eigvalsh, pinv, qr, svd, svdvals
from tessera.numpy.linalg.norms import cond, matrix_norm, matrix_rank, norm, vector_norm
from tessera.numpy.linalg.products import cross, diagonal, matrix_transpose, multi_dot, outer, trace
from tessera.numpy.linalg.systems import det, inv, lstsq, matrix_power, slogdet, solve, tensorinv, tensorsolve

matmul = _products._linalg_matmul
tensordot = _products._linalg_tensordot
vecdot = _products._linalg_vecdot

for _function, _name in ((matmul, "matmul"), (tensordot, "tensordot"), (vecdot, "vecdot")):
    _function.__name__ = _function.__qualname__ = _name

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

# What cuPyNumeric has in its linalg and NumPy has not; SciPy's, imported when first asked for.
_SCIPYS = ("cho_factor", "cho_solve", "expm", "solve_triangular")


def __getattr__(name: str) -> Any:
    if name not in _SCIPYS:
        raise AttributeError(f"module 'tessera.numpy.linalg' has no attribute {name!r}")
    import scipy.linalg

    value = globals()[name] = _fallback.wrap(
        f"scipy.linalg.{name}", getattr(scipy.linalg, name), "the function is SciPy's"
    )
    return value
