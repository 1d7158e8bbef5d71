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
    **dict.fromkeys(("math.h", "cmath"), "host_math.h"),
    **dict.fromkeys(("limits.h", "float.h", "climits", "cfloat"), "host_limits.h"),
    **dict.fromkeys(
        (
            "stdio.h",
            "stdlib.h",
            "string.h",
            "assert.h",
            "stddef.h",
            "cstdio",
            "cstdlib",
            "cstring",
            "cassert",
            "cstddef",
        ),
        "host_empty.h",
    ),
}
# What only programs for the host have: such an #include of a whole file of nvcc's changes nothing for its kernels.
_NAMES |= dict.fromkeys(("iostream", "time.h", "ctime"), "host_empty.h")


@functools.cache
def text_of(file: str) -> str:
    return (_FOLDER / file).read_text()


def included_by(text: str, translates_complex: bool = False) -> list[tuple[str, str]]:
    """Names and texts of the headers that a text may include; `translates_complex` makes cuComplex.h's types complex<T>."""
    files = _NAMES | {"cuComplex.h": "cu_complex.cuh"} if translates_complex else _NAMES
    found = [name for name in files if name in text]
    if "pycuda-complex.hpp" in found or "cuComplex.h" in found:
        found.append("tessera/complex.cuh")
    return [(name, text_of(files[name])) for name in dict.fromkeys(found)]
