"""Differences, gradients, integrals and other 1-D numerics along an axis."""

from __future__ import annotations

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from tessera import _core as core
from tessera.numpy._dispatch import _NoValue, as_array, gives_plain, keeps_array_class, native, numpy_version, warn

__all__ = ["cross", "diff", "ediff1d", "gradient", "interp", "trapezoid", "unwrap"]


@native
def diff(a, n=1, axis=-1, prepend=_NoValue, append=_NoValue):
    """The n-th differences of neighbours along an axis.

    Shapes: `a`'s, n shorter along the axis and longer by what is put before and behind. Dtypes: `a`'s; booleans by
    `not_equal`. Errors: ValueError for a negative n or an array without dimensions; AxisError for an axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.diff([1, 4, 9])
    array([3, 5])
    """
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a = as_array(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)
    if prepend is not _NoValue or append is not _NoValue:
        parts = [_edge(prepend, a, axis)] if prepend is not _NoValue else []
        parts.append(a)
        if append is not _NoValue:
            parts.append(_edge(append, a, axis))
        a = core.concatenate(parts, axis)
    if axis == a.ndim - 1:
        later, earlier = (..., slice(1, None)), (..., slice(None, -1))
    else:
        before = (slice(None),) * axis
        later, earlier = before + (slice(1, None),), before + (slice(None, -1),)
    subtract = core.not_equal if a.dtype.char == "?" else core.subtract
    for _ in range(n):
        a = subtract(a[later], a[earlier])
    return a


def _edge(values, a, axis):
    values = as_array(values)
    if values.ndim:
        return values
    return core.broadcast_to(values, a.shape[:axis] + (1,) + a.shape[axis + 1 :])


@native
def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of neighbours in the flattened array, with values put around them.

    Shapes: (size - 1 + what is put around,). Dtypes: `ary`'s. Errors: TypeError where what is put around it does not cast to
    that, and for booleans.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.ediff1d([1, 4, 9], to_begin=0)
    array([0, 3, 5])
    """
    ary = as_array(ary).ravel()
    differences = ary[1:] - ary[:-1] if ary.size else ary[:0]
    parts = [differences]
    for name, values in (("to_begin", to_begin), ("to_end", to_end)):
        if values is None:
            continue
        values = as_array(values).ravel()
        if not numpy.can_cast(values.dtype, ary.dtype, "same_kind"):
            raise TypeError(f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule.")
        values = values.astype(ary.dtype, copy=False)
        parts = [values] + parts if name == "to_begin" else parts + [values]
    return differences if len(parts) == 1 else core.concatenate(parts)


@keeps_array_class
def gradient(f, *varargs, axis=None, edge_order=1):
    """Central differences inside, one-sided ones at the ends, along each axis.

    Shapes: `f`'s, one array an axis. Dtypes: float64 for integers, else `f`'s. Errors: ValueError for fewer than edge_order +
    1 elements along an axis or distances that do not suit; TypeError for too many of them. Source: Fornberg 1988, of second
    order where distances differ.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.gradient([1.0, 4.0, 9.0])
    array([3., 4., 5.])
    """
    f = as_array(f)
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    spacings = _spacings(f, varargs, axes)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if f.dtype.kind in "iu":
        f = f.astype(numpy.float64)
    results = []
    for k, h in zip(axes, spacings):
        if f.shape[k] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required."
            )
        results.append(_slope(f, k, h, edge_order))
    return results[0] if len(axes) == 1 else tuple(results)


def _spacings(f, given, axes):
    if not given:
        return [1.0] * len(axes)
    if len(given) == 1 and numpy.ndim(given[0]) == 0:
        return list(given) * len(axes)
    if len(given) != len(axes):
        raise TypeError("invalid number of arguments")
    spacings = []
    for k, x in zip(axes, given):
        if numpy.ndim(x) == 0:
            spacings.append(x)
            continue
        x = as_array(x)
        if x.ndim != 1:
            raise ValueError("distances must be either scalars or 1d")
        if len(x) != f.shape[k]:
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")
        if x.dtype.kind in "iub":
            x = x.astype(numpy.float64)
        steps = x[1:] - x[:-1]
        spacings.append(steps[0] if (steps == steps[0]).all() else steps)
    return spacings


def _slope(f, axis, h, edge_order):
    before = (slice(None),) * axis

    def part(start, stop):
        return f[before + (slice(start, stop),)]

    result = core.empty(f.shape, f.dtype)
    inside = before + (slice(1, -1),)
    uniform = not core.is_own(h) or h.ndim == 0
    if uniform:
        result[inside] = (part(2, None) - part(None, -2)) / (2.0 * h)
    else:
        left, right = h[:-1], h[1:]
        shape = (1,) * axis + (-1,) + (1,) * (f.ndim - axis - 1)
        a = (-right / (left * (left + right))).reshape(shape)
        b = ((right - left) / (left * right)).reshape(shape)
        c = (left / (right * (left + right))).reshape(shape)
        result[inside] = a * part(None, -2) + b * part(1, -1) + c * part(2, None)
    first, last = before + (0,), before + (-1,)
    if edge_order == 1:
        result[first] = (f[before + (1,)] - f[first]) / (h if uniform else h[0])
        result[last] = (f[last] - f[before + (-2,)]) / (h if uniform else h[-1])
        return result
    if uniform:
        a, b, c = -1.5 / h, 2.0 / h, -0.5 / h
        end = (0.5 / h, -2.0 / h, 1.5 / h)
    else:
        p, q = h[0], h[1]
        a, b, c = -(2.0 * p + q) / (p * (p + q)), (p + q) / (p * q), -p / (q * (p + q))
        p, q = h[-2], h[-1]
        end = (q / (p * (p + q)), -(q + p) / (p * q), (2.0 * q + p) / (q * (p + q)))
    result[first] = a * f[first] + b * f[before + (1,)] + c * f[before + (2,)]
    result[last] = end[0] * f[before + (-3,)] + end[1] * f[before + (-2,)] + end[2] * f[last]
    return result


@native
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral along an axis by the trapezoidal rule.

    Shapes: `y`'s without the axis. Dtypes: float64 for integers, else what both promote to. Errors: ValueError where `x` does
    not suit `y`; AxisError for an axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.trapezoid([1, 2, 3])
    np.float64(4.0)
    """
    y = as_array(y)
    if x is None:
        d = dx
    else:
        x = as_array(x)
        if x.ndim == 1:
            d = diff(x)
            shape = [1] * y.ndim
            shape[axis] = d.shape[0]
            d = d.reshape(shape)
        else:
            d = diff(x, axis=axis)
    k = normalize_axis_index(axis, y.ndim)
    before = (slice(None),) * k
    right, left = y[before + (slice(1, None),)], y[before + (slice(None, -1),)]
    return core.add.reduce(d * (right + left) / 2.0, axis)


@native
def interp(x, xp, fp, left=None, right=None, period=None):
    """Piecewise linear interpolation through the points (xp, fp).

    Shapes: `x`'s. Dtypes: float64, complex128 for complex `fp`. Errors: ValueError where xp and fp differ in length, are
    empty or the period is 0. What xp is, rising, is not checked. Source: slope and distance from the point to the left, as
    NumPy's.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.interp(2.5, [1, 2, 3], [10, 20, 40])
    np.float64(30.0)
    """
    fp = as_array(fp)
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period = abs(period)
        x, xp = as_array(x), as_array(xp)
        left = right = None
        if xp.ndim != 1 or fp.ndim != 1:
            raise ValueError("Data points must be 1-D sequences")
        if xp.shape[0] != fp.shape[0]:
            raise ValueError("fp and xp are not of the same length")
        x, xp = x % float(period), xp % float(period)
        order = core.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = core.concatenate((xp[-1:] - period, xp, xp[0:1] + period))
        fp = core.concatenate((fp[-1:], fp, fp[0:1]))
    if fp.dtype.kind != "c":
        return core.interp(x, xp, fp, left, right)
    real = core.interp(x, xp, fp.real, *[None if end is None else numpy.real(end) for end in (left, right)])
    imag = core.interp(x, xp, fp.imag, *[None if end is None else numpy.imag(end) for end in (left, right)])
    result = core.empty(numpy.shape(real), numpy.complex128)
    result.real, result.imag = real, imag  # a sum would make NaN of an infinity times i
    return result[()] if result.ndim == 0 else result


@gives_plain
def unwrap(p, discont=None, axis=-1, *, period=2 * numpy.pi):
    """The array with jumps of more than half a period taken out.

    Shapes: `p`'s. Dtypes: `p`'s, float64 for integers unless the period is one, too. Errors: AxisError for an axis that is
    not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.unwrap([0.0, 3.0, -3.0]).round(2)
    array([0.  , 3.  , 3.28])
    """
    p = as_array(p)
    axis = normalize_axis_index(axis, p.ndim)
    step = diff(p, axis=axis)
    if discont is None:
        discont = period / 2
    dtype = numpy.result_type(step.dtype, period)
    if dtype.kind in "iu":
        high, odd = divmod(period, 2)
        ambiguous = odd == 0
    else:
        ambiguous, high = True, period / 2
    low = -high
    wrapped = core.remainder(step - low, period) + low
    if ambiguous:
        wrapped = core.where((wrapped == low) & (step > 0), core.asarray(high, wrapped.dtype), wrapped)
    correction = wrapped - step
    correction = core.where(core.absolute(step) < discont, core.asarray(0, correction.dtype), correction)
    result = p.astype(dtype)
    after = (slice(None),) * axis + (slice(1, None),)
    result[after] = p[after] + core.cumsum(correction, axis)
    return result


@gives_plain
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross product of vectors of three components (before NumPy 2.5 also of two).

    Shapes: both without their vectors' axes broadcast, and the components' axis where there is one. Dtypes: what both promote
    to. Errors: ValueError for vectors of other than two or three components; AxisError for an axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.cross([1, 0, 0], [0, 1, 0])
    array([0, 0, 1])
    """
    from tessera.numpy.manipulation import moveaxis

    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = as_array(a), as_array(b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    a = moveaxis(a, normalize_axis_index(axisa, a.ndim, msg_prefix="axisa"), -1)
    b = moveaxis(b, normalize_axis_index(axisb, b.ndim, msg_prefix="axisb"), -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError("incompatible dimensions for cross product\n(dimension must be 2 or 3)")
    if numpy_version >= (2, 5) and 2 in (a.shape[-1], b.shape[-1]):
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {a.shape[-1]} and {b.shape[-1]} dimensional instead."
        )
    flat = a.shape[-1] == 2 and b.shape[-1] == 2
    if a.shape[-1] == 2 or b.shape[-1] == 2:
        warn(
            "Arrays of 2-dimensional vectors are deprecated. Use arrays of 3-dimensional vectors instead. "
            "(deprecated in NumPy 2.0)",
            DeprecationWarning,
        )
    shape = numpy.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    dtype = numpy.promote_types(a.dtype, b.dtype)
    a, b = a.astype(dtype, copy=False), b.astype(dtype, copy=False)
    a0, a1 = a[..., 0], a[..., 1]
    b0, b1 = b[..., 0], b[..., 1]
    if flat:
        return a0 * b1 - a1 * b0
    result = core.empty(shape + (3,), dtype)
    axisc = normalize_axis_index(axisc, result.ndim, msg_prefix="axisc")
    if a.shape[-1] == 3 and b.shape[-1] == 3:
        a2, b2 = a[..., 2], b[..., 2]
        result[..., 0] = a1 * b2 - a2 * b1
        result[..., 1] = a2 * b0 - a0 * b2
    elif a.shape[-1] == 3:
        a2 = a[..., 2]
        result[..., 0] = -(a2 * b1)
        result[..., 1] = a2 * b0
    else:
        b2 = b[..., 2]
        result[..., 0] = a1 * b2
        result[..., 1] = -(a0 * b2)
    result[..., 2] = a0 * b1 - a1 * b0
    return moveaxis(result, -1, axisc)
