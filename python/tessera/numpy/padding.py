"""numpy.pad in all its modes."""

from __future__ import annotations

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import as_array, native
from tessera.numpy.order_statistics import median
from tessera.numpy.ranges import linspace
from tessera.numpy.reductions import max as _max
from tessera.numpy.reductions import mean
from tessera.numpy.reductions import min as _min

__all__ = ["pad"]

_options = {
    "empty": (),
    "edge": (),
    "wrap": (),
    "constant": ("constant_values",),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "median": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
}
_statistics = {"maximum": _max, "minimum": _min, "mean": mean, "median": median}


def _pairs(value, ndim, index=False):
    """One (before, after) pair an axis from a number, a pair, or a sequence of pairs."""
    if value is None:
        return ((None, None),) * ndim
    if type(value) in (int, float) and (value >= 0 or not index):
        return ((value, value),) * ndim
    x = numpy.asarray(value)
    if index:
        x = numpy.round(x).astype(numpy.intp, copy=False)
        if x.size and x.min() < 0:
            raise ValueError("index can't contain negative values")
    return tuple([tuple(pair) for pair in numpy.broadcast_to(x, (ndim, 2)).tolist()])


@native
def pad(array, pad_width, mode="constant", **kwargs):
    """The array with a border, filled as the mode says.

    Shapes: `array`'s, longer along each axis by what `pad_width` says before and behind it. Dtypes: `array`'s. Errors:
    ValueError for a negative width, an unknown mode, an argument that the mode does not take, or an empty axis that only
    "constant" and "empty" could extend; TypeError where widths are no integers.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.pad([1, 2], 1, mode='edge')
    array([1, 1, 2, 2])
    """
    a = as_array(array)
    if isinstance(pad_width, dict):
        widths = [(0, 0)] * a.ndim
        for axis, width in pad_width.items():
            widths[axis] = tuple(width) if isinstance(width, (tuple, list)) else (width, width)
        pad_width = widths
    if type(pad_width) is int:
        pairs = _pairs(pad_width, a.ndim, index=True)
    else:
        width = numpy.asarray(pad_width)
        if width.dtype.kind != "i":
            raise TypeError("`pad_width` must be of integral type.")
        pairs = _pairs(width, a.ndim, index=True)
    if callable(mode):
        return _pad_with_function(a, pairs, mode, kwargs)
    if mode not in _options:
        raise ValueError(f"mode '{mode}' is not supported")
    unknown = set(kwargs) - set(_options[mode])
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    padded = _room(a, pairs)
    axes = range(a.ndim)
    if mode == "constant":
        for axis, width, value in zip(axes, pairs, _pairs(kwargs.get("constant_values", 0), a.ndim)):
            _set_border(_core_of(padded, pairs, axis), axis, width, value)
    elif mode == "empty":
        pass
    elif a.size == 0:
        for axis, width in zip(axes, pairs):
            if a.shape[axis] == 0 and any(width):
                raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    elif mode == "edge":
        for axis, width in zip(axes, pairs):
            part = _core_of(padded, pairs, axis)
            _set_border(part, axis, width, _edges(part, axis, width))
    elif mode == "linear_ramp":
        for axis, width, ends in zip(axes, pairs, _pairs(kwargs.get("end_values", 0), a.ndim)):
            part = _core_of(padded, pairs, axis)
            _set_border(part, axis, width, _ramps(part, axis, width, ends))
    elif mode in _statistics:
        lengths = _pairs(kwargs.get("stat_length"), a.ndim, index=kwargs.get("stat_length") is not None)
        for axis, width, length in zip(axes, pairs, lengths):
            part = _core_of(padded, pairs, axis)
            _set_border(part, axis, width, _stats(part, axis, width, length, mode))
    else:
        for axis, width in zip(axes, pairs):
            _mirror(_core_of(padded, pairs, axis), axis, width, mode, kwargs.get("reflect_type", "even"))
    return padded


def _room(a, pairs, fill=None):
    shape = tuple([before + extent + after for (before, after), extent in zip(pairs, a.shape)])
    order = "F" if a.flags.fnc else "C"
    padded = core.empty(shape, a.dtype, order) if fill is None else core.full(shape, fill, a.dtype, order)
    padded[tuple([slice(before, before + extent) for (before, _), extent in zip(pairs, a.shape)])] = a
    return padded


def _core_of(padded, pairs, axis):
    """The padded array without the borders of the axes after `axis`, which are still to be filled."""
    if axis == padded.ndim - 1:
        return padded
    rest = [
        slice(before, extent - after) for (before, after), extent in zip(pairs[axis + 1 :], padded.shape[axis + 1 :])
    ]
    return padded[(slice(None),) * (axis + 1) + tuple(rest)]


def _at(axis, start, stop):
    return (slice(None),) * axis + (slice(start, stop), ...)


def _set_border(part, axis, width, values):
    before, after = width
    if before:
        part[_at(axis, None, before)] = values[0]
    if after:
        part[_at(axis, part.shape[axis] - after, None)] = values[1]


def _edges(part, axis, width):
    before, after = width
    end = part.shape[axis] - after
    return part[_at(axis, before, before + 1)], part[_at(axis, end - 1, end)]


def _ramps(part, axis, width, ends):
    edges = _edges(part, axis, width)
    ramps = []
    for count, end, edge, before in zip(width, ends, edges, (True, False)):
        ramp = linspace(end, edge.squeeze(axis), num=count, endpoint=False, dtype=part.dtype, axis=axis)
        ramps.append(ramp if before else ramp[_at(axis, None, None)[:axis] + (slice(None, None, -1), ...)])
    return ramps


def _stats(part, axis, width, lengths, mode):
    before, after = width
    start, stop = before, part.shape[axis] - after
    extent = stop - start
    statistic = _statistics[mode]
    results = []
    for length, at_start in zip(lengths, (True, False)):
        length = extent if length is None or length > extent else length
        if length == 0 and mode in ("maximum", "minimum"):
            raise ValueError("stat_length of 0 yields no value for padding")
        chunk = part[_at(axis, start, start + length) if at_start else _at(axis, stop - length, stop)]
        value = statistic(chunk, axis=axis, keepdims=True)
        if part.dtype.kind in "iu" and value.dtype.kind == "f":
            value = core.rint(value)
        results.append(value)
    return results


def _mirror(part, axis, width, mode, reflect_type):
    """reflect, symmetric and wrap: what lies outside is what lies at a reflected position inside."""
    before, after = width
    if not (before or after):
        return
    start, stop = before, part.shape[axis] - after
    extent = stop - start
    if mode == "reflect" and extent == 1:
        # One element has nothing to mirror: it is repeated.
        _set_border(part, axis, width, _edges(part, axis, width))
        return
    offsets = numpy.concatenate((numpy.arange(-before, 0), numpy.arange(extent, extent + after)))
    if mode == "wrap":
        source, turns = offsets % extent, None
    else:
        include = mode == "symmetric"
        period = extent if include else extent - 1
        turns, rest = numpy.divmod(offsets, period)
        source = numpy.where(turns % 2 == 0, rest, (period - 1 if include else period) - rest)
    inside = part[_at(axis, start, stop)]
    values = core.take(inside, core.asarray(source), axis)
    if mode != "wrap" and reflect_type == "odd":
        # Each reflection is about the edge value: 2 edge - x, and a full period adds twice the span.
        shape = (1,) * axis + (-1,) + (1,) * (part.ndim - axis - 1)
        if part.dtype.kind in "biu":  # the same modulo the type's range
            inside, values = inside.astype(numpy.int64), values.astype(numpy.int64)
        first, last = inside[_at(axis, 0, 1)], inside[_at(axis, extent - 1, extent)]
        turns = core.asarray(turns).reshape(shape)
        odd = turns % 2 != 0
        reflections = turns // 2
        span = (last - first) * 2
        values = core.where(odd, 2 * last - values, values) + reflections * span
        values = values.astype(part.dtype, copy=False)
    if before:
        part[_at(axis, None, before)] = values[_at(axis, None, before)]
    if after:
        part[_at(axis, stop, None)] = values[_at(axis, before, None)]


def _pad_with_function(a, pairs, function, kwargs):
    from tessera.numpy.manipulation import moveaxis

    padded = _room(a, pairs, fill=0)
    for axis in range(a.ndim):
        lines = moveaxis(padded, axis, -1)
        for at in numpy.ndindex(lines.shape[:-1]):
            function(lines[at], pairs[axis], axis, kwargs)
    return padded
