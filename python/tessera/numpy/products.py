"""Products of arrays: matmul and its kin, dot, inner, outer, tensordot."""

from __future__ import annotations

import operator

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import Foreign, as_array, gives_plain, keeps_any_class, native
from tessera.numpy._gufunc import GUfunc

__all__ = ["dot", "inner", "kron", "matmul", "matvec", "outer", "tensordot", "vdot", "vecdot", "vecmat"]

_loops = core.linalg

matmul = GUfunc(_loops.matmul, numpy.matmul, (2, 2, 2))
vecdot = GUfunc(_loops.vecdot, numpy.vecdot, (1, 1, 0))
matvec = GUfunc(_loops.matvec, numpy.matvec, (2, 1, 1))
vecmat = GUfunc(_loops.vecmat, numpy.vecmat, (1, 2, 1))


def _product(a, b):
    """dot of two arrays, one of which may be a scalar."""
    result = _loops.dot(a, b)
    return core.multiply(a, b) if result is NotImplemented else result


@keeps_any_class
def dot(a, b, out=None):
    """The sum over the last axis of `a` and the second to last of `b`.

    Shapes: both without the axes summed over; () for two vectors. Dtypes: what both promote to. Errors: ValueError where the
    sums' lengths differ or `out` does not suit. Source: BLAS for floats and complex numbers (bits: vendor), exact sums for
    integers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.dot([1, 2], [3, 4])
    np.int64(11)
    """
    a, b = as_array(a), as_array(b)
    if out is None:
        return _product(a, b)
    result = core.asarray(_product(a, b))
    if isinstance(out, numpy.ndarray):
        raise Foreign("the output is a NumPy array")
    if not core.is_own(out):
        raise TypeError("'out' must be an array")
    if out.ndim != result.ndim or out.dtype != result.dtype or not out.flags.carray:
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array)"
        )
    if out.shape != result.shape:
        raise ValueError("output array has wrong dimensions")
    out[...] = result
    return out


@native
def vdot(a, b, /):
    """The dot product of both arrays flattened, the first conjugated.

    Shapes: (). Dtypes: what both promote to. Errors: ValueError where the sums' lengths differ. Source: BLAS for floats and
    complex numbers (bits: vendor), exact sums for integers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.vdot([1j, 2], [1j, 2])
    np.complex128(5+0j)
    """
    return _loops.vdot(as_array(a), as_array(b))


@keeps_any_class
def inner(a, b, /):
    """The sum over the last axes of both.

    Shapes: both without their last axes. Dtypes: what both promote to. Errors: ValueError where the sums' lengths differ.
    Source: BLAS for floats and complex numbers (bits: vendor), exact sums for integers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.inner([1, 2], [3, 4])
    np.int64(11)
    """
    a, b = as_array(a), as_array(b)
    return _product(a, b.swapaxes(-1, -2) if a.ndim and b.ndim > 1 else b)


@gives_plain
def outer(a, b, out=None):
    """All products of an element of `a` with one of `b`, both flattened.

    Shapes: (a.size, b.size). Dtypes: what both promote to. Errors: ValueError where `out` has another shape.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.outer([1, 2], [3, 4])
    array([[3, 4],
           [6, 8]])
    """
    return core.multiply(as_array(a).ravel()[:, None], as_array(b).ravel()[None, :], out=out)


def _summed_axes(axes, ndim_a, ndim_b):
    try:
        iter(axes)
    except TypeError:
        count = operator.index(axes)
        return list(range(ndim_a - count, ndim_a)), list(range(count))
    axes_a, axes_b = axes
    as_list = lambda x: [operator.index(x)] if not hasattr(x, "__iter__") else [operator.index(i) for i in x]
    axes_a, axes_b = as_list(axes_a), as_list(axes_b)
    if len(set(axes_a)) != len(axes_a) or len(set(axes_b)) != len(axes_b):
        raise ValueError("duplicate axes are not allowed in tensordot")
    return axes_a, axes_b


@native
def tensordot(a, b, axes=2):
    """The sum over pairs of axes.

    Shapes: the other axes of `a`, then those of `b`. Dtypes: what both promote to. Errors: ValueError where the sums' lengths
    differ or as many axes are not named of both. Source: BLAS for floats and complex numbers (bits: vendor), exact sums for
    integers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.tensordot(np.ones((2, 3)), np.ones((3, 4)), 1).shape
    (2, 4)
    """
    a, b = as_array(a), as_array(b)
    axes_a, axes_b = _summed_axes(axes, a.ndim, b.ndim)
    if len(axes_a) != len(axes_b):
        raise ValueError("shape-mismatch for sum")
    for k in range(len(axes_a)):
        if a.shape[axes_a[k]] != b.shape[axes_b[k]]:
            raise ValueError("shape-mismatch for sum")
        axes_a[k] += a.ndim * (axes_a[k] < 0)
        axes_b[k] += b.ndim * (axes_b[k] < 0)
    kept_a = [k for k in range(a.ndim) if k not in axes_a]
    kept_b = [k for k in range(b.ndim) if k not in axes_b]
    summed = 1
    for k in axes_a:
        summed *= a.shape[k]
    shape_a, shape_b = [a.shape[k] for k in kept_a], [b.shape[k] for k in kept_b]
    rows, columns = 1, 1
    for extent in shape_a:
        rows *= extent
    for extent in shape_b:
        columns *= extent
    left = a.transpose(kept_a + axes_a).reshape(rows, summed)
    right = b.transpose(axes_b + kept_b).reshape(summed, columns)
    return core.asarray(_product(left, right)).reshape(shape_a + shape_b)


@native
def kron(a, b):
    """The Kronecker product: blocks of `b` scaled by the elements of `a`.

    Shapes: the products of the lengths, axis by axis from the last. Dtypes: what both promote to. Errors: none of its own.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.kron([1, 2], [1, 1])
    array([1, 1, 2, 2])
    """
    a, b = as_array(a), as_array(b)
    if a.ndim == 0 or b.ndim == 0:
        return core.multiply(a, b)
    ndim = max(a.ndim, b.ndim)
    shape_a = (1,) * (ndim - a.ndim) + a.shape
    shape_b = (1,) * (ndim - b.ndim) + b.shape
    left = a.reshape([extent for pair in zip(shape_a, (1,) * ndim) for extent in pair])
    right = b.reshape([extent for pair in zip((1,) * ndim, shape_b) for extent in pair])
    return core.multiply(left, right).reshape([m * n for m, n in zip(shape_a, shape_b)])
