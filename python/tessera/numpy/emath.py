"""numpy.emath: functions whose results turn complex where real ones do not exist."""

from __future__ import annotations

import numpy

from tessera import _core as core
from tessera.numpy._dispatch import as_array, native

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]


def _complex(x):
    return x.astype(numpy.result_type(x.dtype, numpy.complex64) if x.dtype.char in "?bBhHefF" else numpy.complex128)


def _real_or_complex(x, outside):
    x = as_array(x)
    if x.dtype.kind != "c" and outside(x).any():
        return _complex(x)
    return x


def _below_zero(x):
    return _real_or_complex(x, lambda a: a < 0)


def _beyond_one(x):
    return _real_or_complex(x, lambda a: core.absolute(a) > 1)


@native
def sqrt(x):
    """The square root, complex of negative numbers.

    Shapes: what the operands broadcast to. Dtypes: as of the ufunc, complex where an element asks for it. Errors: TypeError
    for what are no numbers.
    """
    return core.sqrt(_below_zero(x))


@native
def log(x):
    """The natural logarithm, complex of negative numbers.

    Shapes: what the operands broadcast to. Dtypes: as of the ufunc, complex where an element asks for it. Errors: TypeError
    for what are no numbers.
    """
    return core.log(_below_zero(x))


@native
def log10(x):
    """The logarithm to base 10, complex of negative numbers.

    Shapes: what the operands broadcast to. Dtypes: as of the ufunc, complex where an element asks for it. Errors: TypeError
    for what are no numbers.
    """
    return core.log10(_below_zero(x))


@native
def log2(x):
    """The logarithm to base 2, complex of negative numbers.

    Shapes: what the operands broadcast to. Dtypes: as of the ufunc, complex where an element asks for it. Errors: TypeError
    for what are no numbers.
    """
    return core.log2(_below_zero(x))


@native
def logn(n, x):
    """The logarithm to base n, complex of negative numbers.

    Shapes: what the operands broadcast to. Dtypes: as of the ufunc, complex where an element asks for it. Errors: TypeError
    for what are no numbers.
    """
    return core.log(_below_zero(x)) / core.log(_below_zero(n))


@native
def power(x, p):
    """x to the power p, complex of negative numbers; integer powers may be negative.

    Shapes: what the operands broadcast to. Dtypes: as of the ufunc, complex where an element asks for it. Errors: TypeError
    for what are no numbers.
    """
    x, p = _below_zero(x), as_array(p)
    if p.dtype.kind in "iu" and (p < 0).any():
        p = p * 1.0
    return core.power(x, p)


@native
def arccos(x):
    """The inverse cosine, complex beyond [-1, 1].

    Shapes: what the operands broadcast to. Dtypes: as of the ufunc, complex where an element asks for it. Errors: TypeError
    for what are no numbers.
    """
    return core.arccos(_beyond_one(x))


@native
def arcsin(x):
    """The inverse sine, complex beyond [-1, 1].

    Shapes: what the operands broadcast to. Dtypes: as of the ufunc, complex where an element asks for it. Errors: TypeError
    for what are no numbers.
    """
    return core.arcsin(_beyond_one(x))


@native
def arctanh(x):
    """The inverse hyperbolic tangent, complex beyond [-1, 1].

    Shapes: what the operands broadcast to. Dtypes: as of the ufunc, complex where an element asks for it. Errors: TypeError
    for what are no numbers.
    """
    return core.arctanh(_beyond_one(x))
