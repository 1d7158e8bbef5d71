"""Products under the array API's names, and chains of products."""

from __future__ import annotations

import math

from tessera.numpy._dispatch import as_array, gives_plain, keeps_array_class, native
from tessera.numpy.linalg import _common as common
from tessera.numpy.products import dot, matmul, tensordot, vecdot
from tessera.numpy.products import outer as _outer


@gives_plain
def outer(x1, x2, /):
    """All products of an element of one vector with one of the other.

    Shapes: (n,) and (m,) to (n, m). Dtypes: what both promote to. Errors: ValueError where one has not one dimension.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.outer(np.array([1, 2]), np.array([3, 4]))
    array([[3, 4],
           [6, 8]])
    """
    x1, x2 = as_array(x1), as_array(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are {x1.ndim=} and {x2.ndim=}.")
    return _outer(x1, x2)


@native
def cross(x1, x2, /, *, axis=-1):
    """The cross product of vectors of three elements.

    Shapes: both broadcast. Dtypes: what both promote to. Errors: ValueError for vectors of other than three elements;
    AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.cross(np.array([1, 0, 0]), np.array([0, 1, 0]))
    array([0, 0, 1])
    """
    import tessera.numpy as tnp

    x1, x2 = as_array(x1), as_array(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
        )
    return tnp.cross(x1, x2, axis=axis)


@native
def diagonal(x, /, *, offset=0):
    """The diagonals of the matrices in the last two axes.

    Shapes: (..., m, n) to (..., length). Dtypes: `x`'s. Errors: ValueError below two dimensions.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.diagonal(np.array([[1, 2], [3, 4]]))
    array([1, 4])
    """
    import tessera.numpy as tnp

    return tnp.diagonal(x, offset, axis1=-2, axis2=-1)


@keeps_array_class
def trace(x, /, *, offset=0, dtype=None):
    """The sums of those diagonals.

    Shapes: (..., m, n) to (...). Dtypes: `x`'s, small integers at least int64; or `dtype`. Errors: ValueError below two
    dimensions.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.trace(np.array([[1, 2], [3, 4]]))
    np.int64(5)
    """
    import tessera.numpy as tnp

    return tnp.trace(x, offset, axis1=-2, axis2=-1, dtype=dtype)


@native
def matrix_transpose(x, /):
    """The matrices in the last two axes transposed.

    Shapes: (..., m, n) to (..., n, m), a view. Dtypes: `x`'s. Errors: ValueError below two dimensions.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.matrix_transpose(np.array([[1, 2], [3, 4]]))
    array([[1, 3],
           [2, 4]])
    """
    import tessera.numpy as tnp

    return tnp.matrix_transpose(x)


def _linalg_matmul(x1, x2, /):
    """The matrix product."""
    return matmul(x1, x2)


def _linalg_tensordot(x1, x2, /, *, axes=2):
    """The sum over pairs of axes."""
    return tensordot(x1, x2, axes=axes)


def _linalg_vecdot(x1, x2, /, *, axis=-1):
    """Dot products of vectors, the first conjugated."""
    return vecdot(x1, x2, axis=axis)


def _cheapest_split(extents, i, j, memo):
    """(cost, where to split) of the chain from matrix i to j."""
    if i == j:
        return 0.0, i
    if (i, j) not in memo:
        best = (math.inf, i)
        for k in range(i, j):
            cost = (
                _cheapest_split(extents, i, k, memo)[0]
                + _cheapest_split(extents, k + 1, j, memo)[0]
                + extents[i] * extents[k + 1] * extents[j + 1]
            )
            if cost < best[0]:
                best = (cost, k)
        memo[i, j] = best
    return memo[i, j]


def _multiply_chain(arrays, extents, i, j, memo, out=None):
    if i == j:
        return arrays[i]
    k = _cheapest_split(extents, i, j, memo)[1]
    left = _multiply_chain(arrays, extents, i, k, memo)
    right = _multiply_chain(arrays, extents, k + 1, j, memo)
    return dot(left, right, out=out)


@native
def multi_dot(arrays, *, out=None):
    """The product of several matrices, in the order that costs least.

    Shapes: (m, ...) and (..., n) to (m, n); vectors at the ends lose their axis. Dtypes: what all promote to. Errors:
    ValueError for fewer than two matrices or lengths that differ; LinAlgError for more than two dimensions. Source: the order
    by dynamic programming (Godbole 1973).

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linalg.multi_dot([np.ones((2, 3)), np.ones((3, 4)), np.ones((4, 1))])
    array([[12.],
           [12.]])
    """
    n = len(arrays)
    if n < 2:
        raise ValueError("Expecting at least two arrays.")
    if n == 2:
        return dot(arrays[0], arrays[1], out=out)
    arrays = [as_array(a) for a in arrays]
    first, last = arrays[0].ndim == 1, arrays[-1].ndim == 1
    if first:
        arrays[0] = arrays[0][None, :]
    if last:
        arrays[-1] = arrays[-1][:, None]
    common.check_2d(*arrays)
    if n == 3:
        a, b, c = arrays
        from_left = a.shape[0] * b.shape[1] * (a.shape[1] + c.shape[1])
        from_right = a.shape[1] * c.shape[1] * (a.shape[0] + b.shape[1])
        result = dot(dot(a, b), c, out=out) if from_left < from_right else dot(a, dot(b, c), out=out)
    else:
        extents = [a.shape[0] for a in arrays] + [arrays[-1].shape[1]]
        result = _multiply_chain(arrays, extents, 0, n - 1, {}, out)
    if first and last:
        return result[0, 0]
    return result.ravel() if first or last else result
