"""Norms, condition numbers, ranks."""

from __future__ import annotations

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from numpy.linalg import LinAlgError

from tessera import _core as core
from tessera.numpy._dispatch import as_array, gives_plain, native
from tessera.numpy.linalg import _common as common
from tessera.numpy.linalg._common import routines
from tessera.numpy.linalg.factors import svd

_add, _max, _min = core.add.reduce, core.maximum.reduce, core.minimum.reduce


def _inexact(x):
    return x if x.dtype.kind in "fcV" else x.astype(numpy.float64)


def _euclidean(x, keepdims):
    """The root of the sum of squares of all elements."""
    ndim = x.ndim
    x = x.ravel(order="K")
    if x.dtype.kind == "c":
        square = routines.dot(x.real, x.real) + routines.dot(x.imag, x.imag)
    else:
        square = routines.dot(x, x)
    result = core.sqrt(square)
    return core.asarray(result).reshape(ndim * [1]) if keepdims else result


@gives_plain
def norm(x, ord=None, axis=None, keepdims=False):
    """A vector or matrix norm.

    Shapes: `x`'s without one axis (of vectors) or two (of matrices), which `keepdims` keeps as 1. Dtypes: float32 and
    complex64 stay, else at least float64; float16 is refused (TypeError). Values are real. Errors: ValueError for an unknown
    norm, more than two axes or one twice; AxisError for an axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.norm([3.0, 4.0])
    np.float64(5.0)
    """
    x = _inexact(as_array(x))
    if axis is None:
        if ord is None or (ord in ("f", "fro") and x.ndim == 2) or (ord == 2 and x.ndim == 1):
            return _euclidean(x, keepdims)
        axis = tuple(range(x.ndim))
    elif not isinstance(axis, tuple):
        try:
            axis = (int(axis),)
        except Exception as error:
            raise TypeError("'axis' must be None, an integer or a tuple of integers") from error
    if len(axis) == 1:
        return _vector_norm(x, ord, axis, keepdims)
    if len(axis) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    row, column = (normalize_axis_index(k, x.ndim) for k in axis)
    if row == column:
        raise ValueError("Duplicate axes given.")
    result = _matrix_norm(x, ord, row, column, axis)
    if keepdims:
        shape = list(x.shape)
        shape[row] = shape[column] = 1
        result = core.asarray(result).reshape(shape)
    return result


def _vector_norm(x, ord, axis, keepdims):
    if ord == numpy.inf:
        return _max(abs(x), axis, keepdims=keepdims, initial=0)
    if ord == -numpy.inf:
        return _min(abs(x), axis, keepdims=keepdims)
    if ord == 0:
        return _add((x != 0).astype(x.real.dtype), axis, keepdims=keepdims)
    if ord == 1:
        return _add(abs(x), axis, keepdims=keepdims)
    if ord is None or ord == 2:
        return core.sqrt(_add((x.conj() * x).real, axis, keepdims=keepdims))
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    powers = abs(x) ** ord
    total = _add(powers, axis, keepdims=keepdims)
    return total ** numpy.reciprocal(ord, dtype=powers.dtype)


def _singular(x, row, column):
    import tessera.numpy as tnp

    return svd(tnp.moveaxis(x, (row, column), (-2, -1)), compute_uv=False)


def _matrix_norm(x, ord, row, column, axis):
    if ord == 2:
        return _max(_singular(x, row, column), -1, initial=0)
    if ord == -2:
        return _min(_singular(x, row, column), -1)
    if ord in (1, -1):
        sums = _add(abs(x), row)
        column -= column > row
        return _max(sums, column, initial=0) if ord == 1 else _min(sums, column)
    if ord in (numpy.inf, -numpy.inf):
        sums = _add(abs(x), column)
        row -= row > column
        return _max(sums, row, initial=0) if ord > 0 else _min(sums, row)
    if ord in (None, "fro", "f"):
        return core.sqrt(_add((x.conj() * x).real, axis))
    if ord == "nuc":
        return _add(_singular(x, row, column), -1, initial=0)
    raise ValueError("Invalid norm order for matrices.")


@native
def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The norm of the matrices in the last two axes.

    Shapes: (..., m, n) to (...), or (..., 1, 1) with `keepdims`. Dtypes: float32 and complex64 stay, else at least float64;
    float16 is refused (TypeError). Values are real. Errors: ValueError for an unknown norm and below two dimensions.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.matrix_norm(np.diag([3.0, 4.0]))
    np.float64(5.0)
    """
    return norm(x, axis=(-2, -1), keepdims=keepdims, ord=ord)


@native
def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The norm along an axis, or of all elements along several.

    Shapes: `x`'s without `axis` (all by default), which `keepdims` keeps as 1. Dtypes: float32 and complex64 stay, else at
    least float64; float16 is refused (TypeError). Values are real. Errors: AxisError for an axis that is not there;
    ValueError for an unknown norm.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.vector_norm(np.array([3.0, 4.0]))
    np.float64(5.0)
    """
    x = as_array(x)
    shape = list(x.shape)
    if axis is None:
        flat, along = x.ravel(), 0
    elif isinstance(axis, tuple):
        axes = normalize_axis_tuple(axis, x.ndim)
        rest = [i for i in range(x.ndim) if i not in axes]
        size = 1
        for i in axes:
            size *= shape[i]
        flat, along = x.transpose([*axes, *rest]).reshape([size, *(shape[i] for i in rest)]), 0
    else:
        flat, along = x, axis
    result = norm(flat, axis=along, ord=ord)
    if keepdims:
        for i in normalize_axis_tuple(range(x.ndim) if axis is None else axis, x.ndim):
            shape[i] = 1
        result = core.asarray(result).reshape(shape)
    return result


@native
def cond(x, p=None):
    """The condition number with respect to a norm.

    Shapes: (..., m, n) to (...). Dtypes: float32 and complex64 stay, else at least float64; float16 is refused (TypeError).
    Errors: LinAlgError for empty matrices and below two dimensions; ValueError for an unknown norm. Source: the ratio of
    singular values, or the norms of the matrix and its inverse.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.cond(np.diag([4.0, 2.0]))
    np.float64(2.0)
    """
    x = as_array(x)
    if common.is_empty_2d(x):
        raise LinAlgError("cond is not defined on empty arrays")
    with numpy.errstate(all="ignore"):
        if p is None or p in (2, -2):
            s = svd(x, compute_uv=False)
            result = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
        else:
            common.check_square(x)
            compute, kind = common.common_dtypes(x)
            try:
                inverse = routines.invert(x, compute)
            except LinAlgError:
                inverse = _inverse_or_nan(x, compute)
            result = norm(x, p, axis=(-2, -1)) * norm(inverse, p, axis=(-2, -1))
            result = core.asarray(result).astype(common.real_of(kind))
    result = core.asarray(result)
    undefined = core.asarray(core.isnan(result))
    if core.logical_or.reduce(undefined, None):
        undefined = core.logical_and(undefined, core.logical_not(core.logical_or.reduce(core.isnan(x), (-2, -1))))
        result = core.where(undefined, result.dtype.type(numpy.inf), result)
    return common.number(core.asarray(result))


def _inverse_or_nan(x, compute):
    """Inverses one by one, NaN where there is none."""
    result = core.full(x.shape, numpy.nan, compute)
    flat_in, flat_out = x.reshape(-1, *x.shape[-2:]), result.reshape(-1, *x.shape[-2:])
    for i in range(flat_in.shape[0]):
        try:
            flat_out[i] = routines.invert(flat_in[i], compute)
        except LinAlgError:
            continue
    return result


@native
def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """The number of singular values above a tolerance.

    Shapes: (..., m, n) to (...). Dtypes: int64. Errors: LinAlgError where the singular values do not converge; ValueError for
    both tolerances. Source: singular values above max(m, n) * eps * the largest, unless a tolerance is given.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.matrix_rank(np.ones((3, 3)))
    np.int64(1)
    """
    import tessera.numpy as tnp

    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    A = as_array(A)
    if A.ndim < 2:
        return int(bool(core.logical_or.reduce(A != 0, None)))
    s = svd(A, compute_uv=False, hermitian=hermitian)
    if tol is None:
        rtol = max(A.shape[-2:]) * numpy.finfo(s.dtype).eps if rtol is None else as_array(rtol)[..., None]
        tol = _max(s, -1, keepdims=True, initial=0) * rtol
    else:
        tol = as_array(tol)[..., None]
    return tnp.count_nonzero(s > tol, axis=-1)
