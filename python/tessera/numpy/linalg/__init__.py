"""numpy.linalg over the machine's LAPACK."""

from __future__ import annotations

from numpy.linalg import LinAlgError

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
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv", "lstsq",
    "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr",
    "slogdet", "solve", "svd", "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vecdot", "vector_norm",
]
