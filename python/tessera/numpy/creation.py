"""New arrays from shapes, values and ranges."""

from __future__ import annotations

import inspect
import operator

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import (
    Foreign,
    _NoValue,
    as_array,
    cast_source,
    creates,
    foreign_reason,
    in_class,
    is_native_dtype,
    keeps_any_class,
    native,
    ndarray,
)

__all__ = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "astype",
    "copy",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "frombuffer",
    "fromfunction",
    "fromiter",
    "fromstring",
    "full",
    "full_like",
    "geomspace",
    "identity",
    "linspace",
    "logspace",
    "ones",
    "ones_like",
    "require",
    "zeros",
    "zeros_like",
]

_float64 = numpy.dtype(numpy.float64)
_dtypes: dict = {None: _float64}


def native_dtype(dtype) -> numpy.dtype:
    """The NumPy dtype object meant, None being float64; raises Foreign for one the engine lacks."""
    try:
        return _dtypes[dtype]
    except (KeyError, TypeError):
        pass
    found = numpy.dtype(dtype)
    if not is_native_dtype(found):
        raise Foreign(foreign_reason(found))
    try:
        _dtypes[dtype] = found
    except TypeError:
        pass
    return found


def check_device(device) -> None:
    """Refuses every device but the one NumPy knows."""
    if device is not None and device != "cpu":
        raise ValueError(f'Device not understood. Only "cpu" is allowed, but received: {device}')


@core.quick
@creates
def empty(shape, dtype=None, order="C", *, device=None, like=None):
    """A new array whose elements are not set."""
    if device is not None:
        check_device(device)
    return core.empty(shape, native_dtype(dtype), order)


@core.quick
@creates
def zeros(shape, dtype=None, order="C", *, device=None, like=None):
    """A new array of zeros."""
    if device is not None:
        check_device(device)
    return core.full(shape, 0, native_dtype(dtype), order)


@core.quick
@creates
def ones(shape, dtype=None, order="C", *, device=None, like=None):
    """A new array of ones."""
    if device is not None:
        check_device(device)
    return core.full(shape, 1, native_dtype(dtype), order)


@creates
def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """A new array filled with one value, or with an array broadcast to the shape."""
    if device is not None:
        check_device(device)
    if dtype is None:
        value = as_array(fill_value)
        dtype = value.dtype
    if type(fill_value) in _scalars:
        dtype = native_dtype(dtype)
        value = cast_source(fill_value, dtype)
        if value is fill_value or dtype == value.dtype:
            return core.full(shape, fill_value, dtype, order)
    result = core.empty(shape, native_dtype(dtype), order)
    core.copyto(result, as_array(fill_value), casting="unsafe")
    return result


_scalars = (int, float, complex, bool, numpy.float64, numpy.int64, numpy.bool, numpy.float32)


def _empty_like(a, dtype, order, shape):
    dtype = a.dtype if dtype is None else native_dtype(dtype)
    if shape is None:
        shape = a.shape
        if len(shape) < 2 or order == "C":
            return core.empty(shape, dtype)
    elif order in "KA":
        given = (shape,) if isinstance(shape, (int, numpy.integer)) else tuple(shape)
        if order == "K" and len(given) != a.ndim:
            return core.empty(given, dtype)
        shape = given
    if order == "F":
        return core.empty(shape, dtype, "F")
    flags = a.flags
    if order == "C" or flags.c_contiguous:
        return core.empty(shape, dtype)
    if flags.f_contiguous:
        return core.empty(shape, dtype, "F")
    if order == "A":
        return core.empty(shape, dtype)
    # The axes keep the order that their strides have in `a`.
    strides = a.strides
    outer_first = sorted(range(a.ndim), key=lambda axis: -abs(strides[axis]))
    permuted = core.empty([shape[axis] for axis in outer_first], dtype)
    inverse = [0] * a.ndim
    for position, axis in enumerate(outer_first):
        inverse[axis] = position
    return permuted.transpose(inverse)


@native
def empty_like(prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """An unset array with the shape, dtype and memory order of another."""
    if device is not None:
        check_device(device)
    if type(prototype) is ndarray:
        return _empty_like(prototype, dtype, order, shape)
    result = _empty_like(as_array(prototype), dtype, order, shape)
    return in_class(prototype, result) if subok else result


@native
def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Zeros with the shape, dtype and memory order of another array."""
    if device is not None:
        check_device(device)
    if type(a) is not ndarray:
        return _full_like(a, 0, dtype, order, subok, shape)
    if shape is None and a.ndim < 2:
        return core.full(a.shape, 0, a.dtype if dtype is None else native_dtype(dtype))
    result = _empty_like(a, dtype, order, shape)
    result.fill(0)
    return result


@native
def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Ones with the shape, dtype and memory order of another array."""
    if device is not None:
        check_device(device)
    if type(a) is not ndarray:
        return _full_like(a, 1, dtype, order, subok, shape)
    if shape is None and a.ndim < 2:
        return core.full(a.shape, 1, a.dtype if dtype is None else native_dtype(dtype))
    result = _empty_like(a, dtype, order, shape)
    result.fill(1)
    return result


@native
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """One value with the shape, dtype and memory order of another array."""
    if device is not None:
        check_device(device)
    return _full_like(a, fill_value, dtype, order, subok, shape)


def _full_like(a, fill_value, dtype, order, subok, shape):
    result = _empty_like(as_array(a), dtype, order, shape)
    core.copyto(result, cast_source(fill_value, result.dtype), casting="unsafe")
    return in_class(a, result) if subok else result


@creates
def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """Ones on the k-th diagonal, zeros elsewhere."""
    check_device(device)
    rows = operator.index(N)
    columns = rows if M is None else operator.index(M)
    result = core.full((rows, columns), 0, native_dtype(dtype), order)
    k = operator.index(k)
    if k < columns and -k < rows and result.size:
        result.diagonal(k)  # checks k as NumPy does
        row, column = (-k, 0) if k < 0 else (0, k)
        length = min(rows - row, columns - column)
        step = [result.strides[0] + result.strides[1]]
        core.as_strided(result[row:, column:], (length,), step).fill(1)
    return result


@creates
def identity(n, dtype=None, *, like=None):
    """The n x n identity matrix."""
    return eye(n, dtype=_float64 if dtype is None else dtype)


_index_kinds = (int, numpy.int64)


@creates
@native
def arange(start_or_stop=_NoValue, /, stop=None, step=None, *, dtype=None, device=None, like=None, **start):
    """Evenly spaced values in a half-open interval."""
    if device is not None:
        check_device(device)
    if start_or_stop is _NoValue:
        if stop is None or start.keys() - {"start"}:
            raise TypeError("arange() requires stop to be specified.")
        start_or_stop = start.get("start", 0)
    return core.arange(start_or_stop, stop, step, dtype)


arange.__signature__ = inspect.signature(numpy.arange)  # which keeps quiet about start=


@keeps_any_class
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """`num` evenly spaced values between two ends."""
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
    """Values spaced evenly on a logarithmic scale."""
    if not numpy.isscalar(base):
        base = as_array(base)
        ndim = max(as_array(start).ndim, as_array(stop).ndim, base.ndim)
        if ndim:
            start = _lead_with_ones(as_array(start), ndim)
            stop = _lead_with_ones(as_array(stop), ndim)
            base = _lead_with_ones(base, ndim)
            base = core.broadcast_to(base, numpy.broadcast_shapes(start.shape, stop.shape, base.shape))
            base = base.reshape(base.shape[:axis] + (1,) + base.shape[axis:] if axis >= 0 else _insert_axis(base.shape, axis))
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
    """Values forming a geometric progression between two ends."""
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


@core.quick
@creates
def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=_NoValue, like=None):
    """An array made from any object that NumPy reads as one."""
    if subok and core.is_own(object) and type(object) is not ndarray:
        return core.in_class_of(object, core.array(object, dtype, copy=copy, order=order, ndmin=ndmin))
    if ndmax is not _NoValue or ndmin > 64:
        result = numpy.array(object, dtype, copy=copy, order=order, ndmin=ndmin, ndmax=64 if ndmax is _NoValue else ndmax)
        return core.asarray(result)
    return core.array(object, dtype, copy=copy, order=order, ndmin=ndmin)


@core.quick
@creates
def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """The object as an array, itself when it already is one of that dtype and order."""
    if type(a) is ndarray and dtype is None and order is None and not copy:
        return a
    if device is not None:
        check_device(device)
    return core.asarray(a, dtype, order, copy=copy)


@creates
def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """The same as `asarray`; subclasses are NumPy's and stay as they are."""
    if type(a) is ndarray and dtype is None and order is None and not copy:
        return a
    if device is not None:
        check_device(device)
    if core.is_own(a) and type(a) is not ndarray:
        return core.in_class_of(a, core.asarray(a, dtype, order, copy=copy))
    if isinstance(a, numpy.ndarray) and type(a) not in (numpy.ndarray, numpy.memmap):
        return numpy.asanyarray(a, dtype, order, copy=copy)
    return core.asarray(a, dtype, order, copy=copy)


@creates
def ascontiguousarray(a, dtype=None, *, like=None):
    """The object as a C-ordered array of at least one dimension."""
    result = core.asarray(a, dtype, "C")
    return result.reshape(1) if result.ndim == 0 else result


@creates
def asfortranarray(a, dtype=None, *, like=None):
    """The object as a Fortran-ordered array of at least one dimension."""
    result = core.asarray(a, dtype, "F")
    return result.reshape(1) if result.ndim == 0 else result


def asarray_chkfinite(a, dtype=None, order=None):
    """The object as an array, refused when it holds NaN or infinity."""
    a = asarray(a, dtype, order)
    if a.dtype.kind in "fc" and not core.isfinite(a).all():
        raise ValueError("array must not contain infs or NaNs")
    return a


@native
def astype(x, dtype, /, *, copy=True, device=None):
    """The array with its elements converted."""
    if not isinstance(x, (ndarray, numpy.ndarray, numpy.generic)):
        raise TypeError(f"Input should be a NumPy array. It is a {type(x)} instead.")
    if device is not None and device != "cpu":
        raise ValueError(f"Device not understood. Only \"cpu\" is allowed, but received: {device}")
    return (x if isinstance(x, numpy.generic) else as_array(x)).astype(native_dtype(dtype), copy=copy)


def copy(a, order="K", subok=False):
    """A copy that owns its elements."""
    if type(a) is ndarray:
        return a.copy(order)
    if subok and isinstance(a, numpy.ndarray):  # a subclass of NumPy's stays NumPy's
        return numpy.array(a, order=order, subok=True, copy=True)
    result = core.array(a, order=order, copy=True)
    return in_class(a, result) if subok else result


_requirements = {"C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F"}
_requirements |= {"A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "E": "E", "ENSUREARRAY": "E"}


@creates
def require(a, dtype=None, requirements=None, *, like=None):
    """The array when it meets the requirements, else a copy that does."""
    if not requirements:
        return as_array(asarray(a, dtype))
    wanted = {_requirements[text.upper()] for text in requirements}
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "F" if "F" in wanted else "C" if "C" in wanted else None
    result = as_array(asarray(a, dtype, order))
    if "O" in wanted and not result.flags.owndata or "W" in wanted and not result.flags.writeable:
        return result.copy(order or "A")
    return result


@creates
def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """A 1-D array over the memory of an object with a buffer."""
    array = numpy.frombuffer(buffer, dtype, count, offset)
    if not is_native_dtype(array.dtype) or not array.flags.aligned:
        return array
    if array.dtype.char == "?" and array.view("u1").max(initial=0) > 1:
        return core.asarray(array)  # other bytes than 0 and 1 become 1 in a copy
    return core.asarray(array, copy=False)


@creates
def fromiter(iter, dtype, count=-1, *, like=None):
    """A 1-D array of what an iterable yields."""
    return core.asarray(numpy.fromiter(iter, dtype, count))


@creates
def fromstring(string, dtype=float, count=-1, *, sep="", like=None):
    """A 1-D array of the numbers in a text."""
    return core.asarray(numpy.fromstring(string, dtype, count, sep=sep))


@creates
def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """The function applied to the arrays of indices of a shape."""
    from tessera.numpy.grids import indices

    return function(*indices(shape, dtype=dtype), **kwargs)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array over the memory of an object that speaks DLPack."""
    return core.from_dlpack(x, device=device, copy=copy)
