"""Text of arrays, written by NumPy's printer from a view of the elements."""

from __future__ import annotations

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import ndarray

__all__ = ["array2string", "array_repr", "array_str"]


def array2string(
    a,
    max_line_width=None,
    precision=None,
    suppress_small=None,
    separator=" ",
    prefix="",
    *,
    formatter=None,
    threshold=None,
    edgeitems=None,
    sign=None,
    floatmode=None,
    suffix="",
    legacy=None,
):
    """The elements as text, nested in brackets.

    Shapes: any. Dtypes: any. Errors: ValueError for an unknown `floatmode`, `sign` or `legacy`. Looks at the array; of long
    ones at the ends.
    """
    return numpy.array2string(
        numpy.asarray(a),
        max_line_width,
        precision,
        suppress_small,
        separator,
        prefix,
        formatter=formatter,
        threshold=threshold,
        edgeitems=edgeitems,
        sign=sign,
        floatmode=floatmode,
        suffix=suffix,
        legacy=legacy,
    )


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """The array as `repr` shows it.

    Shapes: any. Dtypes: any. Errors: none of its own. Looks at the array; of long ones at the ends.
    """
    array = numpy.asarray(arr)
    if core.is_own(arr) and type(arr) is not ndarray:  # a printed subclass is called by its name
        array = array.view(type(type(arr).__name__, (numpy.ndarray,), {}))
    return numpy.array_repr(array, max_line_width, precision, suppress_small)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """The array as `print` shows it.

    Shapes: any. Dtypes: any. Errors: none of its own. Looks at the array; of long ones at the ends.
    """
    return numpy.array_str(numpy.asarray(a), max_line_width, precision, suppress_small)
