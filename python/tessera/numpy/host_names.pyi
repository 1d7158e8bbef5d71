# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc
from numpy import False_ as False_
from numpy import ScalarType as ScalarType
from numpy import True_ as True_
from numpy import base_repr as base_repr
from numpy import binary_repr as binary_repr
from numpy import bool as bool
from numpy import bool_ as bool_
from numpy import broadcast_shapes as broadcast_shapes
from numpy import busdaycalendar as busdaycalendar
from numpy import byte as byte
from numpy import bytes_ as bytes_
from numpy import cdouble as cdouble
from numpy import character as character
from numpy import clongdouble as clongdouble
from numpy import complex128 as complex128
from numpy import complex64 as complex64
from numpy import complexfloating as complexfloating
from numpy import csingle as csingle
from numpy import datetime64 as datetime64
from numpy import double as double
from numpy import dtype as dtype
from numpy import dtypes as dtypes
from numpy import e as e
from numpy import euler_gamma as euler_gamma
from numpy import exceptions as exceptions
from numpy import finfo as finfo
from numpy import flexible as flexible
from numpy import float16 as float16
from numpy import float32 as float32
from numpy import float64 as float64
from numpy import floating as floating
from numpy import format_float_positional as format_float_positional
from numpy import format_float_scientific as format_float_scientific
from numpy import generic as generic
from numpy import get_include as get_include
from numpy import get_printoptions as get_printoptions
from numpy import getbufsize as getbufsize
from numpy import geterr as geterr
from numpy import geterrcall as geterrcall
from numpy import half as half
from numpy import iinfo as iinfo
from numpy import index_exp as index_exp
from numpy import inexact as inexact
from numpy import inf as inf
from numpy import info as info
from numpy import int16 as int16
from numpy import int32 as int32
from numpy import int64 as int64
from numpy import int8 as int8
from numpy import int_ as int_
from numpy import intc as intc
from numpy import integer as integer
from numpy import intp as intp
from numpy import isdtype as isdtype
from numpy import issubdtype as issubdtype
from numpy import iterable as iterable
from numpy import little_endian as little_endian
from numpy import long as long
from numpy import longdouble as longdouble
from numpy import longlong as longlong
from numpy import mintypecode as mintypecode
from numpy import nan as nan
from numpy import ndindex as ndindex
from numpy import number as number
from numpy import object_ as object_
from numpy import pi as pi
from numpy import printoptions as printoptions
from numpy import promote_types as promote_types
from numpy import record as record
from numpy import s_ as s_
from numpy import sctypeDict as sctypeDict
from numpy import set_printoptions as set_printoptions
from numpy import setbufsize as setbufsize
from numpy import seterrcall as seterrcall
from numpy import short as short
from numpy import show_config as show_config
from numpy import show_runtime as show_runtime
from numpy import signedinteger as signedinteger
from numpy import single as single
from numpy import str_ as str_
from numpy import timedelta64 as timedelta64
from numpy import typecodes as typecodes
from numpy import typename as typename
from numpy import ubyte as ubyte
from numpy import uint as uint
from numpy import uint16 as uint16
from numpy import uint32 as uint32
from numpy import uint64 as uint64
from numpy import uint8 as uint8
from numpy import uintc as uintc
from numpy import uintp as uintp
from numpy import ulong as ulong
from numpy import ulonglong as ulonglong
from numpy import unsignedinteger as unsignedinteger
from numpy import ushort as ushort
from numpy import void as void

def can_cast(from_: Any, to: Any, casting: str = ...) -> bool:
    """Whether values of `from_` may be cast to `to` under the rule."""
def common_type(*arrays: Any) -> type[Any]:
    """The inexact scalar type that all these arrays' elements fit in."""
def isscalar(element: Any) -> bool:
    """Whether the element is a scalar rather than an array."""
def min_scalar_type(a: ArrayLike, /) -> numpy.dtype[Any]:
    """The smallest dtype that holds the scalar's value; an array's own dtype."""
newaxis: Any
def result_type(*arrays_and_dtypes: Any) -> numpy.dtype[Any]:
    """The dtype that NumPy's promotion gives these arrays, scalars and dtypes."""

__all__ = [
    "False_",
    "ScalarType",
    "True_",
    "base_repr",
    "binary_repr",
    "bool",
    "bool_",
    "broadcast_shapes",
    "busdaycalendar",
    "byte",
    "bytes_",
    "can_cast",
    "cdouble",
    "character",
    "clongdouble",
    "common_type",
    "complex128",
    "complex64",
    "complexfloating",
    "csingle",
    "datetime64",
    "double",
    "dtype",
    "dtypes",
    "e",
    "euler_gamma",
    "exceptions",
    "finfo",
    "flexible",
    "float16",
    "float32",
    "float64",
    "floating",
    "format_float_positional",
    "format_float_scientific",
    "generic",
    "get_include",
    "get_printoptions",
    "getbufsize",
    "geterr",
    "geterrcall",
    "half",
    "iinfo",
    "index_exp",
    "inexact",
    "inf",
    "info",
    "int16",
    "int32",
    "int64",
    "int8",
    "int_",
    "intc",
    "integer",
    "intp",
    "isdtype",
    "isscalar",
    "issubdtype",
    "iterable",
    "little_endian",
    "long",
    "longdouble",
    "longlong",
    "min_scalar_type",
    "mintypecode",
    "nan",
    "ndindex",
    "newaxis",
    "number",
    "object_",
    "pi",
    "printoptions",
    "promote_types",
    "record",
    "result_type",
    "s_",
    "sctypeDict",
    "set_printoptions",
    "setbufsize",
    "seterrcall",
    "short",
    "show_config",
    "show_runtime",
    "signedinteger",
    "single",
    "str_",
    "timedelta64",
    "typecodes",
    "typename",
    "ubyte",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintc",
    "uintp",
    "ulong",
    "ulonglong",
    "unsignedinteger",
    "ushort",
    "void",
]
