"""CUDA's short vectors in kernels: float32x4(x, y, z, w) has the parts x, y, z and w; float4 is the same."""

from tessera import _core
from tessera.cuda._examples import text
from tessera.functions.intrinsic import Intrinsic

_PREFIX = "cuda.vector."
_C_NAMES = {
    "int8": ("char",),
    "int16": ("short",),
    "int32": ("int",),
    "int64": ("long", "longlong"),
    "uint8": ("uchar",),
    "uint16": ("ushort",),
    "uint32": ("uint",),
    "uint64": ("ulong", "ulonglong"),
    "float32": ("float",),
    "float64": ("double",),
}

known: dict[str, Intrinsic] = {}
for _path in _core.kernels.builtin_names(_PREFIX):
    _name = _path.removeprefix(_PREFIX)
    _element, _, _count = _name.rpartition("x")
    _doc = f"{_count} numbers of {_element}: from numbers and other vectors."
    _numbers, _last = ", ".join("123"[: int(_count) - 1] + "5"), "xyzw"[int(_count) - 1]
    known[_name] = Intrinsic(_path, _doc + text(f"v = cuda.{_name}({_numbers})\nout[i] = v.{_last}", 1, "[5]"))
    for _c_name in _C_NAMES[_element]:
        known[_c_name + _count] = known[_name]
