"""For which arguments functions of the library compute what NumPy does: conditions that several of them share."""

from __future__ import annotations

from typing import Any

import numpy

REALS = "f8 i8"
NUMBERS = "f8 f4 i8 i4 i2 i1 u8 u4 u2 u1"
ALL = NUMBERS + " b1 c16 c8"


def is_array(a: Any, dtypes: str = REALS, ndim: int = 1) -> bool:
    return bool(a is not None and a.is_array and a.ndim == ndim and a.is_of(dtypes))


def is_any_array(a: Any, dtypes: str = REALS) -> bool:
    return bool(a is not None and a.is_array and a.ndim > 0 and a.is_of(dtypes))


def is_like(a: Any, dtypes: str = REALS, least: int = 0) -> bool:
    """What NumPy makes an array of, with so many axes at least: also numbers, and tuples of them."""
    made = None if a is None else a.as_array()
    return made is not None and made.is_of(dtypes) and made.ndim >= least


def is_none(a: Any) -> bool:
    return bool(a is None or a.is_none)


def is_axis(axis: Any, ndim: int) -> bool:
    """One integer; a constant is within the axes."""
    if axis is None or not axis.is_whole():
        return False
    return axis.value is None or -ndim <= int(axis.value) < ndim


def is_dtype(a: Any, dtypes: str = ALL) -> bool:
    """One of these dtypes, as a type, a dtype or a text; or none."""
    if is_none(a):
        return True
    try:
        return a.value is not None and numpy.dtype(a.value).str[1:] in dtypes.split()
    except TypeError:
        return False


def is_flag(a: Any) -> bool:
    return a is None or (a.is_number and a.dtype.kind == "b")


def is_left_out(a: Any, *values: Any) -> bool:
    """Or one of these constants."""
    return a is None or (a.value is not None and any(a.value is one or a.value == one for one in values))


def is_number(a: Any, dtypes: str = REALS) -> bool:
    return bool(a is not None and a.is_number and a.is_of(dtypes))


def is_whole(a: Any) -> bool:
    return a is None or a.is_whole()


def is_size(size: Any) -> bool:
    """Of an array of random numbers: an integer, or a tuple of at most two of them."""
    if size is None or is_number(size, "i8"):
        return size is not None
    return size.is_tuple and len(size.elements) <= 2 and all(one.is_whole() for one in size.elements)


def one_array(dtypes: str = REALS) -> Any:
    """A function of an array of one axis alone."""
    return lambda a, *others: is_array(a, dtypes) and all(map(is_left_out, others))


def one_of_any_axes(dtypes: str = REALS) -> Any:
    """A function of an array alone."""
    return lambda a, *others: is_any_array(a, dtypes) and all(map(is_left_out, others))


def two_alike(dtypes: str = REALS) -> Any:
    """Of two arrays of one axis and one dtype."""
    return lambda a, b: is_array(a, dtypes) and is_array(b, dtypes) and a.dtype == b.dtype
