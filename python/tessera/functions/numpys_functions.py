"""Functions of NumPy that compiled functions have in Python: those that return lists, and the limits of types."""

from __future__ import annotations

import collections
import functools
from typing import Any

import numpy

from tessera.functions import list_methods
from tessera.functions.extending import Overloads
from tessera.functions.function import Function


def _between(ary: Any, axis: Any, begin: Any, end: Any) -> Any:
    """The elements between two places along an axis."""
    if ary.ndim == 1 or axis == 0 or axis == -ary.ndim:
        return ary[begin:end]
    place = axis + ary.ndim if axis < 0 else axis
    if ary.ndim == 2 or place == 1:
        return ary[:, begin:end]
    if ary.ndim == 3 or place == ary.ndim - 1:
        return ary[..., begin:end]
    if ary.ndim == 4 or place == ary.ndim - 2:
        return ary[..., begin:end, :]
    if ary.ndim == 5 or place == ary.ndim - 3:
        return ary[..., begin:end, :, :]
    return numpy.swapaxes(numpy.swapaxes(ary, 0, axis)[begin:end], 0, axis)


_part = Function(_between, None)


def _array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    array = ary if isinstance(ary, numpy.ndarray) else numpy.asarray(ary)
    extent = numpy.swapaxes(array, 0, axis).shape[0]
    parts = []
    begin = 0
    if isinstance(indices_or_sections, int):
        if indices_or_sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, longer = divmod(extent, indices_or_sections)
        for k in range(indices_or_sections):
            end = begin + each + (1 if k < longer else 0)
            parts.append(_part(array, axis, begin, end))
            begin = end
    else:
        for end in indices_or_sections:
            parts.append(_part(array, axis, begin, end))
            begin = end
        parts.append(_part(array, axis, begin, extent))
    return parts


_parted = Function(_array_split, None)


def _split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    if isinstance(indices_or_sections, int):
        if indices_or_sections > 0 and ary.shape[axis] % indices_or_sections != 0:
            raise ValueError("array split does not result in an equal division")
    return _parted(ary, indices_or_sections, axis)


_equally = Function(_split, None)


def _hsplit(ary: Any, indices_or_sections: Any) -> Any:
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return _equally(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def _vsplit(ary: Any, indices_or_sections: Any) -> Any:
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return _equally(ary, indices_or_sections, 0)


def _dsplit(ary: Any, indices_or_sections: Any) -> Any:
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return _equally(ary, indices_or_sections, 2)


_LIMITS = {
    numpy.finfo: "bits eps epsneg iexp machep max maxexp min minexp negep nexp nmant precision resolution "
    "smallest_normal smallest_subnormal tiny",
    numpy.iinfo: "bits max min",
}


def _limits_of(info: Any) -> Any:
    def choose(dtype: Any) -> Any:
        while not isinstance(dtype, numpy.dtype):
            dtype = dtype.dtype
        known = info(dtype)
        names = [name for name in _LIMITS[info].split() if hasattr(known, name)]
        limits = collections.namedtuple(info.__name__, names)(*(getattr(known, name) for name in names))  # type: ignore[misc]
        return lambda dtype: limits

    overloads = Overloads(info.__name__)
    overloads.add(choose)
    return overloads


_WRITTEN = {
    id(function): Function(own, None)
    for function, own in [
        (numpy.array_split, _array_split),
        (numpy.split, _split),
        (numpy.hsplit, _hsplit),
        (numpy.vsplit, _vsplit),
        (numpy.dsplit, _dsplit),
    ]
}


@functools.cache
def _limits(name: str) -> Any:
    return _limits_of(getattr(numpy, name))


def description(function: Any) -> tuple[Any, ...] | None:
    """What the compiler is told of a function that is written here; None for others."""
    if function is functools.reduce:
        return ("function", list_methods.find("list.reduce"))
    if function is numpy.finfo or function is numpy.iinfo:
        return ("overloaded", ("other", f"the function {function.__name__}"), _limits(function.__name__))
    made = _WRITTEN.get(id(function))
    return None if made is None else ("function", made._kernel_function())
