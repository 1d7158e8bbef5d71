"""What functions of the library share: arrays of what is like one, axes, shapes without and with some."""

from __future__ import annotations

from typing import Any

import numpy

from tessera.functions.numpy_library._registry import in_language


@in_language
def as_array(a: Any) -> Any:
    """An array as it is; of numbers and tuples a new one."""
    return a if isinstance(a, numpy.ndarray) else numpy.asarray(a)


@in_language
def flat_of(a: Any) -> Any:
    """The elements in C order along one axis, where they are if they lie so."""
    return as_array(a).ravel()


@in_language
def joined_dtype(a: Any, b: Any) -> Any:
    """Of two arrays together."""
    return (a.ravel()[:0] + b.ravel()[:0]).dtype


@in_language
def in_joined_dtype(a: Any, b: Any) -> Any:
    """The elements of the first along one axis, in the dtype that both have together."""
    return a.ravel() if a.dtype == b.dtype else a.ravel().astype(joined_dtype(a, b))


@in_language
def place_of(axis: Any, ndim: Any) -> Any:
    """The axis from the first on."""
    if axis < -ndim or axis >= ndim:
        raise numpy.exceptions.AxisError(f"axis {axis} is out of bounds for array of dimension {ndim}")
    return axis + ndim if axis < 0 else axis


@in_language
def without(values: Any, place: Any) -> Any:
    """The tuple without what is there."""
    if len(values) == 1:
        return ()
    return (values[0] if place > 0 else values[1], *without(values[1:], max(place - 1, 0)))


@in_language
def inserted(values: Any, place: Any, value: Any) -> Any:
    """The tuple with one more, there."""
    if len(values) == 0:
        return (value,)
    return (value if place == 0 else values[0], *inserted_behind(values, place, value))


@in_language
def inserted_behind(values: Any, place: Any, value: Any) -> Any:
    if len(values) == 1:
        return (values[0] if place == 0 else value,)
    return (
        values[0] if place == 0 else (value if place == 1 else values[1]),
        *inserted_behind(values[1:], max(place - 1, 0), value),
    )


@in_language
def replaced(values: Any, place: Any, value: Any) -> Any:
    """The tuple with another value there."""
    if len(values) == 0:
        return ()
    return (value if place == 0 else values[0], *replaced(values[1:], place - 1, value))


@in_language
def chosen(values: Any, places: Any) -> Any:
    """What the tuple has at these places."""
    if len(places) == 0:
        return ()
    return (values[places[0]], *chosen(values, places[1:]))


@in_language
def product_of(values: Any) -> Any:
    product = 1
    for value in values:
        product *= value
    return product
