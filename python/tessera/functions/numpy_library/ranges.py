"""Sequences of numbers, indices, and arrays of other sizes."""

from __future__ import annotations

import math
from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language, stands_for
from tessera.functions.numpy_library.arrays import as_array, product_of
from tessera.functions.numpy_library.conditions import ALL, is_like, is_none, is_number, is_whole


def _are_ends(start: Any, stop: Any, num: Any) -> bool:
    return is_number(start, "f8 i8") and is_number(stop, "f8 i8") and is_whole(num)


@in_language
def _check_number(num: Any) -> None:
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")


@stands_for("numpy.logspace", alike=_are_ends)
def logspace(start: Any, stop: Any, num: Any = 50) -> Any:
    _check_number(num)
    return numpy.power(10.0, numpy.linspace(start, stop, num))


@in_language
def _complex_geomspace(start: Any, stop: Any, num: Any) -> Any:
    """Turned so that the first is positive."""
    if start == 0 or stop == 0:
        raise ValueError("Geometric sequence cannot include zero")
    _check_number(num)
    direction = start / abs(start)
    first, last = start / direction, stop / direction
    low, high = numpy.log10(first), numpy.log10(last)
    result = numpy.empty(num, numpy.complex128)
    for k in range(num):
        result[k] = (10.0 + 0.0j) ** (low + k * ((high - low) / (num - 1))) if num > 1 else first
    if num > 0:
        result[0] = first
    if num > 1:
        result[-1] = last
    return result * direction


def _are_factors(start: Any, stop: Any, num: Any) -> bool:
    return is_number(start, "f8 i8 c16 c8") and is_number(stop, "f8 i8 c16 c8") and is_whole(num)


def _is_complex_range(start: Any, stop: Any, step: Any) -> bool:
    known = [one for one in (start, stop, step) if not is_none(one)]
    return all(is_number(one, "f8 i8 c16") for one in known) and any(one.dtype.kind == "c" for one in known)


@stands_for("numpy.arange", alike=_is_complex_range)
def arange(start: Any, stop: Any = None, step: Any = 1) -> Any:
    """Of complex numbers: as many as fit by real and by imaginary parts."""
    first = complex(0 if stop is None else start)
    last = complex(start if stop is None else stop)
    if step == 0:
        raise ZeroDivisionError("complex division by zero")
    steps = (last - first) / step
    count = max(min(math.ceil(steps.real), math.ceil(steps.imag)), 0)
    result = numpy.empty(count, numpy.complex128)
    second = first + step
    for k in range(count):
        result[k] = first if k == 0 else second if k == 1 else first + k * (second - first)
    return result


@stands_for("numpy.geomspace", alike=_are_factors)
def geomspace(start: Any, stop: Any, num: Any = 50) -> Any:
    if isinstance(start, complex) or isinstance(stop, complex):
        return _complex_geomspace(numpy.complex128(start), numpy.complex128(stop), num)
    if start == 0 or stop == 0:
        raise ValueError("Geometric sequence cannot include zero")
    _check_number(num)
    sign = -1.0 if start < 0 else 1.0
    first, last = start / sign, stop / sign
    result = numpy.power(10.0, numpy.linspace(numpy.log10(first), numpy.log10(last), num))
    if num > 0:
        result[0] = first
    if num > 1:
        result[-1] = last
    return result * sign


def _is_shape(shape: Any) -> bool:
    if shape is None:
        return False
    return bool(
        shape.is_whole() or (shape.is_tuple and shape.elements and all(one.is_whole() for one in shape.elements))
    )


@in_language
def _indices_along(shape: Any, axis: Any, k: Any, each: Any) -> Any:
    """Of the k-th element in C order."""
    return k // each % shape[axis]


@stands_for("numpy.indices", alike=lambda dimensions: _is_shape(dimensions) and dimensions.is_tuple)
def indices(dimensions: Any) -> Any:
    count = product_of(dimensions)
    result = numpy.empty((len(dimensions), count), numpy.int64)
    each = count
    for axis in range(len(dimensions)):
        each = each // max(dimensions[axis], 1)
        for k in range(count):
            result[axis, k] = _indices_along(dimensions, axis, k, max(each, 1))
    return result.reshape((len(dimensions), *dimensions))


@stands_for("numpy.resize", alike=lambda a, new_shape: is_like(a, ALL) and _is_shape(new_shape))
def resize(a: Any, new_shape: Any) -> Any:
    flat = as_array(a).ravel()
    if isinstance(new_shape, int):
        return _resized(flat, (new_shape,))
    return _resized(flat, new_shape)


@in_language
def _resized(flat: Any, shape: Any) -> Any:
    for extent in shape:
        if extent < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
    count = product_of(shape)
    result = numpy.zeros(count, flat.dtype)
    place = 0
    for k in range(count if len(flat) > 0 else 0):
        result[k] = flat[place]
        place = place + 1 if place + 1 < len(flat) else 0
    return result.reshape(shape)
