"""Views with any strides: windows that slide over an array, and broadcasting."""

from __future__ import annotations

import numpy
from numpy.lib.array_utils import normalize_axis_tuple

from tessera import _core as core
from tessera.numpy._dispatch import as_array, in_class
from tessera.numpy.manipulation import broadcast_arrays, broadcast_to  # noqa: F401

__all__ = ["as_strided", "broadcast_arrays", "broadcast_to", "sliding_window_view"]


def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """A view of the memory with this shape and these strides; nothing is checked.

    Shapes: `shape`, or `x`'s. Dtypes: `x`'s. Errors: ValueError where the view would leave the array's memory, or shape and
    strides differ in length.
    """
    given, x = x, core.asarray(as_array(x))
    view = core.as_strided(x, x.shape if shape is None else shape, x.strides if strides is None else strides)
    if not writeable:
        view.flags.writeable = False
    return in_class(given, view) if subok else view


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """A view with the windows of a shape at every position as trailing axes.

    Shapes: `x`'s, shorter by a window less one along each axis, then the window's. Dtypes: `x`'s. Errors: ValueError for a
    window that is negative, longer than the axis, or not one an axis; AxisError for an axis that is not there.
    """
    window = tuple(window_shape) if numpy.iterable(window_shape) else (window_shape,)
    given, x = x, core.asarray(as_array(x))
    if any(extent < 0 for extent in window):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        axes = tuple(range(x.ndim))
        if len(window) != len(axes):
            raise ValueError(
                "Since axis is None, must provide window_shape for all dimensions of `x`; "
                f"got {len(window)} window_shape elements and `x.ndim` is {x.ndim}."
            )
    else:
        axes = normalize_axis_tuple(axis, x.ndim, allow_duplicate=True)
        if len(window) != len(axes):
            raise ValueError(
                "Must provide matching length window_shape and axis; "
                f"got {len(window)} window_shape elements and {len(axes)} axes elements."
            )
    shape = list(x.shape)
    for k, extent in zip(axes, window):
        if shape[k] < extent:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[k] -= extent - 1
    strides = x.strides + tuple([x.strides[k] for k in axes])
    view = as_strided(x, tuple(shape) + window, strides, writeable=writeable)
    return in_class(given, view) if subok else view
