"""Evenly spaced values: by steps, by counts, on logarithmic scales."""

from __future__ import annotations

import operator

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import _NoValue, as_array, creates, keeps_any_class, native, show_signature_of
from tessera.numpy.creation import check_device, native_dtype

__all__ = [
    "arange",
    "geomspace",
    "linspace",
    "logspace",
]

_float64 = numpy.dtype(numpy.float64)


@show_signature_of(numpy.arange)  # which keeps quiet about start=
@creates
@native
def arange(start_or_stop=_NoValue, /, stop=None, step=None, dtype=None, *, device=None, like=None, **start):
    """Evenly spaced values in a half-open interval.

    Shapes: (ceil((stop - start) / step),), at least 0. Dtypes: what the arguments promote to, or `dtype`. Errors:
    ZeroDivisionError for a step of 0; ValueError where the length is not finite or too large.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.arange(2, 10, 3)
    array([2, 5, 8])
    """
    if device is not None:
        check_device(device)
    if start_or_stop is _NoValue:
        if stop is None or start.keys() - {"start"}:
            raise TypeError("arange() requires stop to be specified.")
        start_or_stop = start.get("start", 0)
    return core.arange(start_or_stop, stop, step, dtype)


@keeps_any_class
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """`num` evenly spaced values between two ends.

    Shapes: `num` values along a new `axis` in front of what both ends broadcast to. Dtypes: at least float64, or `dtype`.
    Errors: ValueError for a negative `num`; TypeError where it is no integer. With `retstep` the distance is given, too.
    Integers are rounded down.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.linspace(0, 1, 5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    check_device(device)
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    intervals = num - 1 if endpoint else num
    if type(start) in _real_numbers and type(stop) in _real_numbers:
        start, stop, working = start * 1.0, stop * 1.0, _float64
    else:
        ends = [end if type(end) in _python_numbers else as_array(end) for end in (start, stop)]
        working = numpy.result_type(*(end if type(end) in _python_numbers else end.dtype for end in ends), 1.0)
        start, stop = (as_array(end).astype(working, copy=False) for end in ends)
        if start.ndim == stop.ndim == 0:
            start, stop = start[()], stop[()]
    integral = False
    if dtype is None:
        dtype = working
    else:
        dtype = native_dtype(dtype)
        integral = dtype.kind in "iu"
    delta = stop - start
    if type(delta) is float and abs(delta) == numpy.inf:
        delta = numpy.subtract(stop, start)  # which warns where it overflows
    ndim = getattr(delta, "ndim", 0)
    step = delta / intervals if intervals > 0 else numpy.nan
    if ndim == 0 and working in _steady and 0 < abs(step) < numpy.inf:
        y = core.evenly_spaced(start, step, num, working, stop if endpoint and num > 1 else None)
        return _linspace_result(y, axis, dtype, integral, retstep, step)
    y = core.arange(0, num, 1, working)
    if ndim:
        y = y.reshape((-1,) + (1,) * ndim)
    if intervals > 0:
        zero_step = bool(core.equal(step, 0).any()) if ndim else step == 0
        y = y / intervals * delta if zero_step else y * step
    else:
        y = y * delta
    y = y + start
    if endpoint and num > 1:
        y[-1, ...] = stop
    return _linspace_result(y, axis, dtype, integral, retstep, step)


_python_numbers = (int, float, bool, complex)
_real_numbers = (int, float, bool, numpy.float64, numpy.int64)
_steady = (_float64, numpy.dtype(numpy.float32))


def _linspace_result(y, axis, dtype, integral, retstep, step):
    if axis != 0:
        from tessera.numpy.manipulation import moveaxis

        y = moveaxis(y, 0, axis)
    if integral:
        core.floor(y, out=y)
    if y.dtype != dtype:
        y = y.astype(dtype)
    if not retstep:
        return y
    return y, step if hasattr(step, "dtype") else numpy.asarray(step)[()]


@native
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Values spaced evenly on a logarithmic scale.

    Shapes: `num` values along a new `axis` in front of what both ends broadcast to. Dtypes: at least float64, or `dtype`.
    Errors: ValueError for a negative `num`; TypeError where it is no integer.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.logspace(0, 2, 3)
    array([  1.,  10., 100.])
    """
    if not numpy.isscalar(base):
        base = as_array(base)
        ndim = max(as_array(start).ndim, as_array(stop).ndim, base.ndim)
        if ndim:
            start = _lead_with_ones(as_array(start), ndim)
            stop = _lead_with_ones(as_array(stop), ndim)
            base = _lead_with_ones(base, ndim)
            base = core.broadcast_to(base, numpy.broadcast_shapes(start.shape, stop.shape, base.shape))
            base = base.reshape(
                base.shape[:axis] + (1,) + base.shape[axis:] if axis >= 0 else _insert_axis(base.shape, axis)
            )
    exponents = linspace(start, stop, num=num, endpoint=endpoint, axis=axis)
    result = core.power(base, exponents)
    return result if dtype is None else result.astype(native_dtype(dtype), copy=False)


def _lead_with_ones(a, ndim):
    return a.reshape((1,) * (ndim - a.ndim) + a.shape)


def _insert_axis(shape, axis):
    at = len(shape) + 1 + axis
    return shape[:at] + (1,) + shape[at:]


@native
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Values forming a geometric progression between two ends.

    Shapes: `num` values along a new `axis` in front of what both ends broadcast to. Dtypes: at least float64, or `dtype`.
    Errors: ValueError for a negative `num` and where an end is 0; TypeError where it is no integer.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.geomspace(1, 1000, 4)
    array([   1.,   10.,  100., 1000.])
    """
    start, stop = as_array(start), as_array(stop)
    if (start == 0).any() or (stop == 0).any():
        raise ValueError("Geometric sequence cannot include zero")
    working = numpy.result_type(start.dtype, stop.dtype, float(num), numpy.zeros((), dtype))
    target = working if dtype is None else native_dtype(dtype)
    working = numpy.dtype(working)
    start, stop = start.astype(working), stop.astype(working)
    # Dividing by the start's sign leaves real progressions real: 1j..1000j, -1..-1000.
    direction = core.sign(start)
    start, stop = start / direction, stop / direction
    log_start, log_stop = core.log10(start), core.log10(stop)
    result = logspace(log_start, log_stop, num=num, endpoint=endpoint, base=10.0, dtype=working)
    if num > 0:
        result[0, ...] = start if start.ndim else start[()]
        if num > 1 and endpoint:
            result[-1, ...] = stop if stop.ndim else stop[()]
    result = result * direction
    if axis != 0:
        from tessera.numpy.manipulation import moveaxis

        result = moveaxis(result, 0, axis)
    return result.astype(target, copy=False)
