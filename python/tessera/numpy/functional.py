"""Applying Python functions to arrays."""

from __future__ import annotations

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tessera import _core as core
from tessera.numpy._dispatch import as_array, gives_plain, in_class, keeps_any_class, ndarray
from tessera.numpy._pure_loops import try_loop

__all__ = ["apply_along_axis", "apply_over_axes", "frompyfunc", "vectorize"]


@keeps_any_class
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """The results of a function on every 1-D line along an axis.

    Shapes: `arr`'s with the axis replaced by those of a result. Dtypes: the first result's. Errors: ValueError where there
    are no lines; AxisError for an axis that is not there; what the function raises.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.apply_along_axis(sum, 1, np.array([[1, 2], [3, 4]]))
    array([3, 7])
    """
    arr = as_array(arr)
    axis = normalize_axis_index(axis, arr.ndim)
    lines = arr.transpose([k for k in range(arr.ndim) if k != axis] + [axis])
    places = numpy.ndindex(lines.shape[:-1])
    try:
        first = next(places)
    except StopIteration:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0") from None
    given = func1d(lines[first] if first else lines, *args, **kwargs)
    value = as_array(given)
    result = core.empty(lines.shape[:-1] + value.shape, value.dtype)
    result[first] = value
    for at in places:
        result[at] = func1d(lines[at], *args, **kwargs)
    # The axes of each value go where the line's axis was.
    outer = lines.ndim - 1
    order = list(range(axis)) + list(range(outer, outer + value.ndim)) + list(range(axis, outer))
    return in_class(given, result.transpose(order))


@gives_plain
def apply_over_axes(func, a, axes):
    """A reducing function applied over several axes in turn, which keep their place.

    Shapes: `a`'s, 1 along the axes. Dtypes: the function's. Errors: ValueError where a result has fewer than one axis less;
    AxisError for an axis that is not there.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.apply_over_axes(np.sum, np.ones((2, 3)), [0, 1])
    array([[6.]])
    """
    value = as_array(a)
    n = value.ndim
    axes = (axes,) if numpy.ndim(axes) == 0 else tuple(axes)
    for axis in axes:
        axis = int(axis) + n if axis < 0 else int(axis)
        result = func(value, axis)
        if result.ndim != value.ndim:
            result = as_array(result).reshape(value.shape[:axis] + (1,) + value.shape[axis + 1 :])
            if result.ndim != value.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        value = result
    return value


def _home(results, derived):
    """What NumPy's machinery for Python functions returns, as tessera arrays where the dtype allows, of a derived argument's class."""
    if isinstance(results, tuple):
        return tuple([_home(result, derived) for result in results])
    array = core.asarray(results) if type(results) is numpy.ndarray else results
    return array if derived is None else in_class(derived, array)


class vectorize(numpy.vectorize):
    """A Python function that takes and gives arrays, called once an element.

    Functions of floats that do arithmetic alone are compiled once some ten thousand elements went through them; results,
    dtypes and exceptions are the same.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.vectorize(lambda x, y: x if x > y else y)([1, 5], [3, 2])
    array([3, 5])
    """

    def __call__(self, *args, **kwargs):
        if self.pyfunc is numpy._NoValue or isinstance(self.pyfunc, str):
            return super().__call__(*args, **kwargs)
        derived = next((a for a in args if core.is_own(a) and type(a) is not ndarray), None)
        args = [numpy.asarray(a) if core.is_own(a) else a for a in args]
        kwargs = {key: numpy.asarray(a) if core.is_own(a) else a for key, a in kwargs.items()}
        result = None
        if derived is None and not (kwargs or self.excluded) and self.signature is None:
            result = try_loop(self.pyfunc, args, self.otypes)
        if result is None:
            result = super().__call__(*args, **kwargs)
        return result if callable(result) else _home(result, derived)


def frompyfunc(func, /, nin, nout, **kwargs):
    """A ufunc of a Python function; it works on Python objects, so its results are NumPy object arrays.

    Shapes: what the operands broadcast to. Dtypes: object. Errors: TypeError for what cannot be called; what the function
    raises.
    """
    return numpy.frompyfunc(func, nin, nout, **kwargs)
