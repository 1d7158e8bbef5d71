"""Diagonals, triangles and other patterned matrices."""

from __future__ import annotations

import operator
import re
import sys

import numpy

from tessera import _core as core
from tessera import _fallback
from tessera.numpy._dispatch import as_array, creates, keeps_array_class, native, numpy_version, warn
from tessera.numpy.creation import native_dtype

__all__ = [
    "bmat",
    "diag",
    "diagflat",
    "mask_indices",
    "trace",
    "tri",
    "tril",
    "tril_indices",
    "tril_indices_from",
    "triu",
    "triu_indices",
    "triu_indices_from",
    "vander",
]


def _below(rows, columns, k):
    """The boolean mask of the k-th diagonal and all below it."""
    return core.arange(0, rows).reshape(rows, 1) >= core.arange(-k, columns - k)


@creates
def tri(N, M=None, k=0, dtype=float, *, like=None):
    """Ones on and below the k-th diagonal.

    Shapes: (N, M), M being N unless given. Dtypes: any; float64 unless given. Errors: TypeError where N or M is no number;
    one that is no integer is rounded up.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.tri(2)
    array([[1., 0.],
           [1., 1.]])
    """
    dtype = native_dtype(dtype)
    fractions = [type(given).__name__ for given in (N, M, k) if isinstance(given, float)]
    if fractions:
        if numpy_version >= (2, 5):
            warn(
                f"Cannot convert {fractions[0]} safely to an integer. This will raise an error in future versions (Deprecated NumPy 2.5)",
                DeprecationWarning,
            )
        mask = core.greater_equal.outer(
            core.arange(0, N, 1, numpy.intp), core.arange(-k, (N if M is None else M) - k, 1, numpy.intp)
        )
    else:
        rows = operator.index(N)
        mask = _below(max(rows, 0), max(rows if M is None else operator.index(M), 0), operator.index(k))
    return mask if dtype.char == "?" else mask.astype(dtype)


def _masked(m, k, lower):
    m = as_array(m)
    if m.ndim == 0:
        raise TypeError("tuple index out of range")
    below = tri if isinstance(k, float) else _below
    mask = below(m.shape[-2] if m.ndim > 1 else m.shape[0], m.shape[-1], k if lower else k - 1).astype(bool, copy=False)
    zero = core.full((1,), 0, m.dtype)
    return core.where(mask, m, zero) if lower else core.where(mask, zero, m)


@native
def tril(m, k=0):
    """The array with zeros above the k-th diagonal.

    Shapes: (..., m, n), or (n,) to (n, n). Dtypes: `m`'s. Errors: none of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.tril([[1, 2], [3, 4]])
    array([[1, 0],
           [3, 4]])
    """
    return _masked(m, k, True)


@native
def triu(m, k=0):
    """The array with zeros below the k-th diagonal.

    Shapes: (..., m, n), or (n,) to (n, n). Dtypes: `m`'s. Errors: none of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.triu([[1, 2], [3, 4]])
    array([[1, 2],
           [0, 4]])
    """
    return _masked(m, k, False)


@native
def tril_indices(n, k=0, m=None):
    """The indices of the lower triangle of an n x m array.

    Shapes: two of (k,). Dtypes: int64. Errors: TypeError where n or m is no number.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.tril_indices(2)
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    return core.nonzero(tri(n, m, k, bool))


@native
def triu_indices(n, k=0, m=None):
    """The indices of the upper triangle of an n x m array.

    Shapes: two of (k,). Dtypes: int64. Errors: TypeError where n or m is no number.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.triu_indices(2)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    return core.nonzero(core.logical_not(tri(n, m, k - 1, bool)))


@native
def tril_indices_from(arr, k=0):
    """The indices of the lower triangle of the array.

    Shapes: two of (k,). Dtypes: int64. Errors: ValueError where `arr` has not two dimensions.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.tril_indices_from(np.ones((2, 2)))
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    arr = as_array(arr)
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return tril_indices(arr.shape[-2], k=k, m=arr.shape[-1])


@native
def triu_indices_from(arr, k=0):
    """The indices of the upper triangle of the array.

    Shapes: two of (k,). Dtypes: int64. Errors: ValueError where `arr` has not two dimensions.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.triu_indices_from(np.ones((2, 2)))
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    arr = as_array(arr)
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return triu_indices(arr.shape[-2], k=k, m=arr.shape[-1])


def mask_indices(n, mask_func, k=0):
    """The indices that a masking function such as `triu` keeps of an n x n array.

    Shapes: two of (k,). Dtypes: int64. Errors: TypeError where `mask_func` cannot be called with an array and k.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.mask_indices(2, np.triu)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    return core.nonzero(mask_func(core.full((n, n), 1, numpy.int64), k) != 0)


@native
def diag(v, k=0):
    """A copy of the k-th diagonal of a matrix, or the matrix with a vector as its k-th diagonal.

    Shapes: (n,) to (n + |k|, n + |k|), (m, n) to the diagonal's. Dtypes: `v`'s. Errors: ValueError for other than one or two
    dimensions.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.diag([1, 2])
    array([[1, 0],
           [0, 2]])
    """
    v = as_array(v)
    if v.ndim == 1:
        extent = v.shape[0] + abs(k)
        result = core.full((extent, extent), 0, v.dtype)
        first = k if k >= 0 else -k * extent
        result.ravel()[first : first + (extent + 1) * v.shape[0] : extent + 1] = v
        return result
    if v.ndim == 2:
        return v.diagonal(k)
    raise ValueError("Input must be 1- or 2-d.")


@keeps_array_class
def diagflat(v, k=0):
    """A matrix with the flattened elements as its k-th diagonal.

    Shapes: any to (size + |k|, size + |k|). Dtypes: `v`'s. Errors: none of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.diagflat([[1], [2]])
    array([[1, 0],
           [0, 2]])
    """
    return diag(as_array(v).ravel(), k)


@keeps_array_class
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum along a diagonal.

    Shapes: `a`'s without the two axes. Dtypes: `a`'s, small integers at least int64; or `dtype`. Errors: ValueError below two
    dimensions or for one axis twice; AxisError for an axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.trace([[1, 2], [3, 4]])
    np.int64(5)
    """
    return core.add.reduce(as_array(a).diagonal(offset, axis1, axis2), -1, dtype, out)


@native
def vander(x, N=None, increasing=False):
    """The matrix whose columns are powers of the vector.

    Shapes: (n,) to (n, N), N being n unless given. Dtypes: `x`'s, integers at least int64. Errors: ValueError where `x` has
    not one dimension.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.vander([1, 2, 3])
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    x = as_array(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = x.size if N is None else N
    result = core.empty((x.size, count), numpy.promote_types(x.dtype, int))
    columns = result if increasing else result[:, ::-1]
    if count > 0:
        columns[:, 0] = 1
    if count > 1:
        columns[:, 1:] = x[:, None]
        core.multiply.accumulate(columns[:, 1:], out=columns[:, 1:], axis=1)
    return result


def bmat(obj, ldict=None, gdict=None):
    """A matrix of blocks; a text names variables, the caller's unless others are given.

    Shapes: the blocks' side by side and one below another. Dtypes: what all promote to. Errors: ValueError where edges do not
    meet; NameError for a name that the text has and nobody else.
    """
    if isinstance(obj, str):
        if gdict is None:
            caller = sys._getframe(1)
            ldict, gdict = caller.f_locals, caller.f_globals
        named = set(re.findall(r"\w+", obj))
        ldict, gdict = (values and {name: values[name] for name in named & set(values)} for values in (ldict, gdict))
    return _fallback.call("bmat", (obj, ldict, gdict), {}, "matrix is NumPy's deprecated subclass")
