"""gpuarray.vec: NumPy's structures for CUDA's vector types, and functions that make them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy

_ELEMENTS = {
    "char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32",
    "long": "int64", "ulong": "uint64", "longlong": "int64", "ulonglong": "uint64", "float": "float32",
    "double": "float64",
}  # fmt: skip


def _maker(name: str, dtype: Any) -> Any:
    def make(*values: Any) -> Any:
        return numpy.array(values, dtype)[()]

    make.__name__ = make.__qualname__ = f"make_{name}"
    make.__doc__ = f"A {name} of its components."
    return make


def _all() -> SimpleNamespace:
    names: dict[str, Any] = {}
    for stem, element in _ELEMENTS.items():
        for lanes in (1, 2, 3, 4):
            name = f"{stem}{lanes}"
            names[name] = numpy.dtype([(axis, element) for axis in "xyzw"[:lanes]])
            names[f"make_{name}"] = _maker(name, names[name])
    return SimpleNamespace(**names)


vec = _all()
