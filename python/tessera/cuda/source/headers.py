"""Headers that come with tessera, under the names that sources include them by."""

from __future__ import annotations

import functools
import pathlib

_FOLDER = pathlib.Path(__file__).parent / "include"
# What sources write after #include, and the file here.
_NAMES = {
    "cupy/complex.cuh": "complex.cuh",
    "cupy/carray.cuh": "raw_array.cuh",
    "tessera/complex.cuh": "complex.cuh",
    "tessera/raw_array.cuh": "raw_array.cuh",
    "pycuda-complex.hpp": "pycuda_complex.hpp",
    "stdint.h": "stdint.h",
    "cstdint": "stdint.h",
}


@functools.cache
def text_of(file: str) -> str:
    return (_FOLDER / file).read_text()


def included_by(text: str) -> list[tuple[str, str]]:
    """Names and texts of the headers that a text may include."""
    found = [name for name in _NAMES if name in text]
    if "pycuda-complex.hpp" in found:
        found.append("tessera/complex.cuh")
    return [(name, text_of(_NAMES[name])) for name in dict.fromkeys(found)]
