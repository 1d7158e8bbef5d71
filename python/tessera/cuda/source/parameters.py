"""Parameters of elementwise and reduction kernels: "T x, raw float64 y" and the types that placeholders stand for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy

C_TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
    "float16": "__half",
    "float32": "float",
    "float64": "double",
    "complex64": "complex<float>",
    "complex128": "complex<double>",
}


@dataclass(frozen=True)
class Parameter:
    """`dtype` is None for a placeholder, whose letter is `letter`."""

    name: str
    dtype: numpy.dtype[Any] | None
    letter: str
    is_raw: bool = False


def c_type(dtype: Any) -> str:
    name = numpy.dtype(dtype).name
    if name not in C_TYPES:
        raise TypeError(f"kernels have no elements of {name}; there are {', '.join(C_TYPES)}")
    return C_TYPES[name]


def parse(text: str, kernel: str, taken: tuple[str, ...] = ("i", "n", "_ind")) -> tuple[Parameter, ...]:
    """Raises ValueError for what is no list of parameters."""
    found = []
    for part in (part.strip() for part in text.split(",")):
        if not part and len(found) == 0 and "," not in text:
            continue
        words = part.split()
        is_raw = "raw" in words[:2] and len(words) > 2
        words = [word for word in words if word not in ("raw", "const")] if len(words) > 2 else words
        if len(words) != 2 or not words[1].isidentifier():
            raise ValueError(f"{kernel}: {part!r} is no parameter; one is written as 'float32 x', 'T x' or 'raw T x'")
        kind, name = words
        if name in taken or name.startswith("_"):
            raise ValueError(
                f"{kernel}: the name {name} is taken, as are {', '.join(taken)} and names with _ before them"
            )
        if re.fullmatch(r"[A-Z]", kind):
            found.append(Parameter(name, None, kind, is_raw))
            continue
        try:
            dtype = numpy.dtype(kind)
        except TypeError:
            raise ValueError(
                f"{kernel}: {kind!r} in {part!r} is no type: give NumPy's name of one, or a capital letter for a placeholder"
            ) from None
        c_type(dtype)
        found.append(Parameter(name, dtype, "", is_raw))
    names = [parameter.name for parameter in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"{kernel}: two parameters are called {', '.join(sorted(twice))}")
    return tuple(found)


def resolve(parameters: tuple[Parameter, ...], given: list[Any], kernel: str) -> dict[str, numpy.dtype[Any]]:
    """What the placeholders stand for; `given` are arrays, numbers, or None for outputs that are to be made."""
    types: dict[str, numpy.dtype[Any]] = {}
    weak: dict[str, numpy.dtype[Any]] = {}
    for parameter, value in zip(parameters, given):
        if value is None:
            continue
        dtype = getattr(value, "dtype", None)
        if dtype is None:  # Python's number takes the type that an array gives
            if parameter.dtype is None:
                weak.setdefault(parameter.letter, numpy.result_type(value))
                weak[parameter.letter] = numpy.promote_types(weak[parameter.letter], numpy.result_type(value))
            continue
        known = parameter.dtype if parameter.dtype is not None else types.setdefault(parameter.letter, dtype)
        if known != dtype and getattr(value, "ndim", 0) + hasattr(value, "strides") > 0:
            what = parameter.letter or known.name
            raise TypeError(
                f"{kernel}: {parameter.name} is {what}{f' ({known})' if parameter.letter else ''}, and its array has {dtype}: convert it with astype"
            )
    for letter, dtype in weak.items():
        types.setdefault(letter, dtype)
    return types
