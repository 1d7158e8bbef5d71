"""What Generator and RandomState share: reading sizes, outputs, bounds and probabilities."""

from __future__ import annotations

import math
import operator
import warnings

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import as_any_array, as_array, ndarray

UNIFORM, NORMAL, EXPONENTIAL, EXPONENTIAL_BY_INVERSION = range(4)

_INTEGER_DTYPES = {numpy.dtype(name) for name in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")}


def is_scalar(value) -> bool:
    """Whether an argument is one number rather than an array."""
    kind = type(value)
    if kind is float or kind is int:
        return True
    return isinstance(value, (int, float, numpy.generic)) or (
        not isinstance(value, (list, tuple)) and numpy.ndim(value) == 0
    )


def make_shape(size, *last) -> tuple[int, ...]:
    """The shape a size argument asks for, with further axes."""
    if size is None:
        return last
    try:
        return (operator.index(size), *last)
    except TypeError:
        return (*size, *last)


def checked_output(out, dtype, size, c_order=False):
    """`out=` of the standard distributions."""
    flags = out.flags
    if not ((flags.c_contiguous or (flags.f_contiguous and not c_order)) and flags.writeable):
        raise ValueError(
            f"Supplied output array must be {'C-' if c_order else ''}contiguous, writable, aligned, and in "
            "machine byte-order."
        )
    if out.dtype != dtype:
        raise TypeError(f"Supplied output array has the wrong type. Expected {numpy.dtype(dtype)}, got {out.dtype}")
    if size is not None and make_shape(size) != out.shape:
        raise ValueError("size must match out.shape when used together")
    return out


def standard(stream, kind, name, size, dtype, out):
    """A standard distribution in single or double precision."""
    if dtype is float or dtype is numpy.float64:
        single = False
    else:
        dtype = numpy.dtype(dtype)
        if dtype != numpy.float64 and dtype != numpy.float32:
            raise TypeError(f"Unsupported dtype {dtype!r} for {name}")
        single = dtype == numpy.float32
    if out is None:
        return stream.standard(kind, size, single)
    checked_output(out, numpy.float32 if single else numpy.float64, size)
    target = out if core.is_own(out) else core.asarray(out, copy=False)
    stream.fill(kind, target)
    return out


def uniform(stream, low, high, size, message):
    """Uniform draws between bounds, which may be arrays."""
    if is_scalar(low) and is_scalar(high):
        low, high = float(low), float(high)
        extent = high - low
        if not math.isfinite(extent):
            raise OverflowError(message)
        return stream.sample("uniform", size, low, extent)
    low, high = as_array(low).astype(float), as_array(high).astype(float)
    extent = core.subtract(high, low)
    if not core.logical_and.reduce(core.isfinite(core.asarray(extent)), None):
        raise OverflowError("Range exceeds valid bounds")
    return stream.sample("uniform", size, low, extent)


# How many leading parameters are counts: NumPy cuts their floats when all parameters are single numbers.
COUNTS = {"binomial": 1, "hypergeometric": 3}


def cut_counts(name, parameters):
    """The parameters of a distribution with whole counts."""
    count = COUNTS.get(name, 0)
    if not any([isinstance(p, float) for p in parameters[:count]]) or not all([is_scalar(p) for p in parameters]):
        return parameters
    return (*[int(p) for p in parameters[:count]], *parameters[count:])


def _between_objects(low, high, dtype, endpoint):
    """Ends beyond 64 bits as closed bounds of the dtype."""
    low, high = numpy.asarray(low, object), numpy.asarray(high, object)
    high = high if endpoint else high - 1
    least, most = (0, 1) if dtype.kind == "b" else (int(numpy.iinfo(dtype).min), int(numpy.iinfo(dtype).max))
    if numpy.any(low < least):
        raise ValueError(f"low is out of bounds for {dtype.name}")
    if numpy.any(high > most):
        raise ValueError(f"high is out of bounds for {dtype.name}")
    if numpy.any(low > high):
        raise ValueError("low >= high")
    return core.asarray(numpy.asarray(low, dtype)), core.asarray(numpy.asarray(high, dtype)), True


def integers(stream, low, high, size, dtype, endpoint, masked, name):
    """Integers in a range, which may be given by arrays."""
    if high is None:
        low, high = 0, low
    python_type = dtype if size is None and (dtype is int or dtype is bool) else None
    dtype = numpy.dtype(dtype)
    if dtype.newbyteorder("=") not in _INTEGER_DTYPES:
        raise TypeError(f"Unsupported dtype {dtype!r} for {name}")
    if not dtype.isnative:
        what = (
            "Providing a dtype with a non-native byteorder is not supported. If you require "
            "platform-independent byteorder, call byteswap when required."
        )
        if name != "randint":
            raise ValueError(what)
        warnings.warn(
            what + "\nIn future version, providing byteorder will raise a ValueError", DeprecationWarning, stacklevel=3
        )
        dtype = dtype.newbyteorder("=")
    if size is not None and math.prod(make_shape(size)) == 0:
        return core.empty(make_shape(size), dtype)
    if not (is_scalar(low) and is_scalar(high)):
        low, high = as_any_array(low), as_any_array(high)
        if "O" in (low.dtype.kind, high.dtype.kind):
            low, high, endpoint = _between_objects(low, high, dtype, endpoint)
        return stream.integers_between(low, high, size, dtype, bool(endpoint), masked)
    low, high = int(low), int(high)
    if not endpoint:
        high -= 1
    least, most = (0, 1) if dtype.kind == "b" else (int(numpy.iinfo(dtype).min), int(numpy.iinfo(dtype).max))
    if low < least:
        raise ValueError(f"low is out of bounds for {dtype.name}")
    if high > most:
        raise ValueError(f"high is out of bounds for {dtype.name}")
    if low > high:
        if low == 0:
            raise ValueError(f"high {'<' if endpoint else '<='} 0")
        raise ValueError(f"low {'>' if endpoint else '>='} high")
    result = stream.integers(low, high - low, size, dtype, masked)
    return python_type(result) if python_type else result


def exact_sum(values) -> float:
    """The sum rounded once; not a number where infinities cancel."""
    try:
        return math.fsum(values)
    except ValueError:
        return math.nan
    except OverflowError:
        return math.inf


def checked_probabilities(p, population, words):
    """`p=` of choice as a float64 array; `words` are the messages."""
    tolerance = math.sqrt(numpy.finfo(numpy.float64).eps)
    if isinstance(p, (ndarray, numpy.ndarray)) and p.dtype.kind == "f":
        tolerance = max(tolerance, math.sqrt(numpy.finfo(p.dtype).eps))
    p = as_array(p if core.is_own(p) else numpy.asarray(p, numpy.float64))
    p = p.astype(numpy.float64)
    if p.ndim != 1:
        raise ValueError(words["ndim"])
    if p.size != population:
        raise ValueError(words["size"])
    total = exact_sum(p.tolist())
    if math.isnan(total):
        raise ValueError(words["nan"])
    if core.logical_or.reduce(p < 0):
        raise ValueError(words["negative"])
    if abs(total - 1.0) > tolerance:
        raise ValueError(words["sum"])
    return p


def weighted_indices(p, uniforms):
    """The index each uniform draw falls on when the unit interval is divided in proportion to p."""
    import tessera.numpy as tnp

    edges = tnp.cumsum(p)
    edges = edges / edges[-1]
    return core.asarray(tnp.searchsorted(edges, uniforms, side="right"))


def weighted_distinct(p, count, draw):
    """`count` distinct indices drawn one after the other in proportion to p."""
    import tessera.numpy as tnp

    if int(tnp.count_nonzero(p > 0)) < count:
        raise ValueError("Fewer non-zero entries in p than size")
    p = p.copy()
    found = core.empty((count,), numpy.int64)
    done = 0
    while done < count:
        uniforms = draw((count - done,))
        if done > 0:
            p[found[:done]] = 0
        new = weighted_indices(p, uniforms)
        _, first = tnp.unique(new, return_index=True)
        new = new.take(tnp.sort(first))
        found[done : done + new.size] = new
        done += new.size
    return found


def take(a, indices, size, axis):
    """The elements of `a` a choice stands for: a scalar for size None, else an array."""
    if size is None:
        index = int(indices) if not core.is_own(indices) else int(indices.ravel()[0])
        return a.take(index, axis=axis)
    if indices.ndim == 0 and a.ndim == 1:
        one = core.empty((), a.dtype) if core.is_own(a) else numpy.empty((), a.dtype)
        one[()] = a[int(indices)]
        return one
    return a.take(indices, axis=axis)


def swap_sequence(stream, x):
    """Shuffle a mutable sequence that is not an array."""
    partners = stream.swap_partners(len(x))
    for i, j in zip(reversed(range(1, len(x))), partners):
        x[i], x[j] = x[j], x[i]
