"""Names that hold no array elements (dtypes, constants, error state, settings): NumPy's own objects."""

from __future__ import annotations

from typing import Any

import numpy
from numpy import (  # noqa: F401
    False_,
    ScalarType,
    True_,
    base_repr,
    binary_repr,
    bool,
    bool_,
    broadcast_shapes,
    busdaycalendar,
    byte,
    bytes_,
    cdouble,
    character,
    clongdouble,
    complex64,
    complex128,
    complexfloating,
    csingle,
    datetime64,
    double,
    dtype,
    dtypes,
    e,
    euler_gamma,
    exceptions,
    finfo,
    flexible,
    float16,
    float32,
    float64,
    floating,
    format_float_positional,
    format_float_scientific,
    generic,
    get_include,
    get_printoptions,
    getbufsize,
    geterr,
    geterrcall,
    half,
    iinfo,
    index_exp,
    inexact,
    inf,
    info,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    integer,
    intp,
    isdtype,
    issubdtype,
    iterable,
    little_endian,
    long,
    longdouble,
    longlong,
    mintypecode,
    nan,
    ndindex,
    newaxis,
    number,
    object_,
    pi,
    printoptions,
    promote_types,
    record,
    s_,
    sctypeDict,
    set_printoptions,
    setbufsize,
    seterrcall,
    short,
    show_config,
    show_runtime,
    signedinteger,
    single,
    str_,
    timedelta64,
    typecodes,
    typename,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ulong,
    ulonglong,
    unsignedinteger,
    ushort,
    void,
)

from tessera import _core

__all__ = [
    name for name in globals() if not name.startswith("_") and name not in ("annotations", "numpy", "Any", "ndarray")
]


def _described(x: Any) -> Any:
    return x.dtype if _core.is_own(x) else x


def result_type(*arrays_and_dtypes):
    """The dtype that NumPy's promotion gives these arrays, scalars and dtypes.

    Shapes: any. Dtypes: any; Python numbers count by their kind alone. Errors: ValueError without arguments;
    DTypePromotionError, a TypeError, where there is none.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.result_type("f4", "i8")
    dtype('float64')
    """
    return numpy.result_type(*[_described(x) for x in arrays_and_dtypes])


def can_cast(from_, to, casting="safe"):
    """Whether values of `from_` may be cast to `to` under the rule.

    Shapes: any. Dtypes: any. Errors: ValueError for an unknown rule; TypeError for Python numbers, whose dtype would
    depend on their value.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.can_cast("i4", "f8"), np.can_cast("f8", "i4")
    (True, False)
    """
    return numpy.can_cast(_described(from_), to, casting)


def min_scalar_type(a, /):
    """The smallest dtype that holds the scalar's value; an array's own dtype.

    Shapes: any. Dtypes: any. Errors: none. A scalar's value is looked at, which waits for pending work.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.min_scalar_type(300)
    dtype('uint16')
    """
    if _core.is_own(a):
        return numpy.min_scalar_type(a.item()) if a.ndim == 0 else a.dtype
    return numpy.min_scalar_type(a)


def common_type(*arrays):
    """The inexact scalar type that all these arrays' elements fit in.

    Shapes: any. Dtypes: numbers; integers count as float64. Errors: TypeError for booleans and what is no number.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.common_type(np.ones(1, "f4"), np.ones(1, "i8")).__name__
    'float64'
    """
    described = [numpy.empty(0, a.dtype) if _core.is_own(a) else a for a in arrays]
    return numpy.common_type(*described)


def isscalar(element):
    """Whether the element is a scalar rather than an array.

    Shapes: any; False for arrays, 0-D ones too. Dtypes: any. Errors: none.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.isscalar(3.5), np.isscalar(np.ones(1))
    (True, False)
    """
    return False if _core.is_own(element) else numpy.isscalar(element)


__all__ += ["result_type", "can_cast", "min_scalar_type", "common_type", "isscalar"]
