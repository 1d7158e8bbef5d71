# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc
from tessera._core import predicate_1_1
from tessera._core import ufunc as ufunc
from tessera._core import ufunc_1_1
from tessera._core import ufunc_1_2
from tessera._core import ufunc_2_1
from tessera._core import ufunc_2_2

abs: ufunc_1_1
absolute: ufunc_1_1
acos: ufunc_1_1
acosh: ufunc_1_1
add: ufunc_2_1
arccos: ufunc_1_1
arccosh: ufunc_1_1
arcsin: ufunc_1_1
arcsinh: ufunc_1_1
arctan: ufunc_1_1
arctan2: ufunc_2_1
arctanh: ufunc_1_1
asin: ufunc_1_1
asinh: ufunc_1_1
atan: ufunc_1_1
atan2: ufunc_2_1
atanh: ufunc_1_1
bitwise_and: ufunc_2_1
bitwise_count: ufunc_1_1
bitwise_invert: ufunc_1_1
bitwise_left_shift: ufunc_2_1
bitwise_not: ufunc_1_1
bitwise_or: ufunc_2_1
bitwise_right_shift: ufunc_2_1
bitwise_xor: ufunc_2_1
cbrt: ufunc_1_1
ceil: ufunc_1_1
conj: ufunc_1_1
conjugate: ufunc_1_1
copysign: ufunc_2_1
cos: ufunc_1_1
cosh: ufunc_1_1
deg2rad: ufunc_1_1
degrees: ufunc_1_1
divide: ufunc_2_1
divmod: ufunc_2_2
equal: ufunc_2_1
exp: ufunc_1_1
exp2: ufunc_1_1
expm1: ufunc_1_1
fabs: ufunc_1_1
float_power: ufunc_2_1
floor: ufunc_1_1
floor_divide: ufunc_2_1
fmax: ufunc_2_1
fmin: ufunc_2_1
fmod: ufunc_2_1
frexp: ufunc_1_2
gcd: ufunc_2_1
greater: ufunc_2_1
greater_equal: ufunc_2_1
heaviside: ufunc_2_1
hypot: ufunc_2_1
invert: ufunc_1_1
isfinite: predicate_1_1
isinf: predicate_1_1
isnan: predicate_1_1
lcm: ufunc_2_1
ldexp: ufunc_2_1
left_shift: ufunc_2_1
less: ufunc_2_1
less_equal: ufunc_2_1
log: ufunc_1_1
log10: ufunc_1_1
log1p: ufunc_1_1
log2: ufunc_1_1
logaddexp: ufunc_2_1
logaddexp2: ufunc_2_1
logical_and: ufunc_2_1
logical_not: ufunc_1_1
logical_or: ufunc_2_1
logical_xor: ufunc_2_1
maximum: ufunc_2_1
minimum: ufunc_2_1
mod: ufunc_2_1
modf: ufunc_1_2
multiply: ufunc_2_1
negative: ufunc_1_1
nextafter: ufunc_2_1
not_equal: ufunc_2_1
positive: ufunc_1_1
pow: ufunc_2_1
power: ufunc_2_1
rad2deg: ufunc_1_1
radians: ufunc_1_1
reciprocal: ufunc_1_1
remainder: ufunc_2_1
right_shift: ufunc_2_1
rint: ufunc_1_1
sign: ufunc_1_1
signbit: predicate_1_1
sin: ufunc_1_1
sinh: ufunc_1_1
spacing: ufunc_1_1
sqrt: ufunc_1_1
square: ufunc_1_1
subtract: ufunc_2_1
tan: ufunc_1_1
tanh: ufunc_1_1
true_divide: ufunc_2_1
trunc: ufunc_1_1

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "conj",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "divide",
    "divmod",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "modf",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "power",
    "rad2deg",
    "radians",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
    "ufunc",
]
