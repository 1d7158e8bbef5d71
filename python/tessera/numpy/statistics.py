"""Averages, covariances, differences, correlations and other sums over neighbours."""

from __future__ import annotations

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from tessera import _core as core
from tessera.numpy._dispatch import _NoValue, as_array, keeps_array_class, keeps_class, native, warn
from tessera.numpy.products import matmul
from tessera.numpy.reductions import mean

__all__ = ["average", "convolve", "corrcoef", "correlate", "cov"]


@keeps_class
def average(a, axis=None, weights=None, returned=False, *, keepdims=_NoValue):
    """The mean, each element counted with its weight.

    Shapes: `a`'s without `axis`, which `keepdims` keeps as 1; with `returned` the sum of weights, too. Dtypes: float64 for
    integers, else what both promote to. Errors: ZeroDivisionError where the weights add up to 0; TypeError or ValueError
    where their shape does not suit; AxisError.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.average([1, 3], weights=[3, 1])
    np.float64(1.5)
    """
    a = as_array(a)
    keep = keepdims is not _NoValue and keepdims
    if axis is not None:
        axis = normalize_axis_tuple(axis, a.ndim, argname="axis")
    if weights is None:
        result = mean(a, axis, keepdims=keep)
        total = result.dtype.type(a.size / (result.size or 1))
    else:
        weights = _weights_for(a, as_array(weights), axis)
        kinds = [a.dtype, weights.dtype]
        dtype = numpy.result_type(*kinds, "f8") if a.dtype.kind in "iub" else numpy.result_type(*kinds)
        total = core.add.reduce(weights, axis, dtype, None, keep)
        if (total == 0).any():
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        result = core.divide(core.add.reduce(core.multiply(a, weights, dtype=dtype), axis, None, None, keep), total)
    if not returned:
        return result
    if numpy.shape(total) != result.shape:
        total = core.array(core.broadcast_to(core.asarray(total), result.shape))
    return result, total


def _weights_for(a, weights, axis):
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    if weights.shape != tuple([a.shape[k] for k in axis]):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    weights = weights.transpose(sorted(range(len(axis)), key=axis.__getitem__))
    weights = weights.reshape([extent if k in axis else 1 for k, extent in enumerate(a.shape)])
    return core.broadcast_to(weights, a.shape)


@native
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """The covariance matrix of variables given as rows.

    Shapes: (n, n) for n variables, () for one. Dtypes: at least float64, or `dtype`. Errors: ValueError for more than two
    dimensions and weights below 0; RuntimeError for as many weights as there are not observations. RuntimeWarning where
    `ddof` leaves nothing to divide by.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.cov([1.0, 2.0, 3.0])
    array(1.)
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    m = as_array(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    if y is not None:
        y = as_array(y)
        if y.ndim > 2:
            raise ValueError("y has more than 2 dimensions")
    if dtype is None:
        dtype = numpy.result_type(m.dtype, numpy.float64, *([] if y is None else [y.dtype]))
    x = core.array(m, dtype=dtype, ndmin=2)
    if not rowvar and m.ndim != 1:
        x = x.T
    if x.shape[0] == 0:
        return core.empty((0, 0), numpy.float64)
    if y is not None:
        y = core.array(y, dtype=dtype, ndmin=2)
        if not rowvar and y.shape[0] != 1:
            y = y.T
        x = core.concatenate((x, y), 0)
    if ddof is None:
        ddof = 0 if bias else 1
    weights = _observation_weights(x.shape[1], fweights, aweights)
    middle, total = average(x, axis=1, weights=weights, returned=True)
    total = total[0]
    if weights is None:
        factor = x.shape[1] - ddof
    elif ddof == 0:
        factor = total
    elif aweights is None:
        factor = total - ddof
    else:
        factor = total - ddof * core.add.reduce(weights * as_array(aweights).astype(float)) / total
    if factor <= 0:
        warn("Degrees of freedom <= 0 for slice", RuntimeWarning)
        factor = 0.0
    x -= middle[:, None]
    right = x if weights is None else x * weights
    result = matmul(x, right.T.conj())
    result *= numpy.true_divide(1, factor)
    return result.squeeze() if result.size != 1 else result.reshape(())


def _observation_weights(count, fweights, aweights):
    weights = None
    if fweights is not None:
        fweights = as_array(fweights).astype(float)
        if not (fweights == core.rint(fweights)).all():
            raise TypeError("fweights must be integer")
        weights = _checked(fweights, count, "fweights")
    if aweights is not None:
        aweights = _checked(as_array(aweights).astype(float), count, "aweights")
        weights = aweights if weights is None else weights * aweights
    return weights


def _checked(weights, count, name):
    if weights.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if weights.shape[0] != count:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if (weights < 0).any():
        raise ValueError(f"{name} cannot be negative")
    return weights


@native
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """The matrix of correlation coefficients of variables given as rows.

    Shapes: (n, n) for n variables, () for one. Dtypes: at least float64, or `dtype`. Errors: ValueError for more than two
    dimensions. RuntimeWarning where `ddof` leaves nothing to divide by. NaN for a variable that does not vary.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.corrcoef([1, 2, 3], [1, 2, 3])
    array([[1., 1.],
           [1., 1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviation = core.sqrt(c.diagonal().real)
    c = c / deviation[:, None] / deviation[None, :]
    if c.dtype.kind == "c":
        core.maximum(core.minimum(c.real, 1), -1, out=c.real)
        core.maximum(core.minimum(c.imag, 1), -1, out=c.imag)
        return c
    return core.maximum(core.minimum(c, 1), -1)


_modes = {"valid": 0, "same": 1, "full": 2, 0: 0, 1: 1, 2: 2}


def _mode(mode):
    try:
        return _modes[mode]
    except KeyError:
        pass
    if isinstance(mode, str):
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got '{mode}')")
    if isinstance(mode, (int, numpy.integer)):
        raise ValueError(f"integer convolve mode must be 0, 1, or 2, not {mode}")
    raise TypeError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")


@keeps_array_class
def correlate(a, v, mode="valid"):
    """The cross-correlation of two 1-D sequences: sums of a[n + k] * conj(v[n]).

    Shapes: n + m - 1 for "full", max(n, m) for "same", max - min + 1 for "valid". Dtypes: what both promote to. Errors:
    ValueError for an empty sequence, an unknown mode or more than one dimension.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.correlate([1, 2, 3], [0, 1])
    array([2, 3])
    """
    v = as_array(v)
    return core.correlate(as_array(a), v.conj() if v.dtype.kind == "c" else v, _mode(mode))


@native
def convolve(a, v, mode="full", *, method=None):
    """The convolution of two 1-D sequences; with `method` ("auto", "direct" or "fft", as cuPyNumeric has it) of any dimensions.

    Shapes: n + m - 1 for "full", max(n, m) for "same", max - min + 1 for "valid". Dtypes: what both promote to. Errors:
    ValueError for an empty sequence, an unknown mode or, without `method`, more than one dimension.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.convolve([1, 2], [1, 1])
    array([1, 3, 2])
    """
    a, v = as_array(a), as_array(v)
    if method is not None:
        from tessera.numpy.convolution import convolve_nd

        return convolve_nd(a, v, mode, method)
    if a.ndim == 0:
        a = a.reshape(1)
    if v.ndim == 0:
        v = v.reshape(1)
    if len(a) == 0:
        raise ValueError("a cannot be empty")
    if len(v) == 0:
        raise ValueError("v cannot be empty")
    if len(v) > len(a):
        a, v = v, a
    return core.correlate(a, v[::-1], _mode(mode))
