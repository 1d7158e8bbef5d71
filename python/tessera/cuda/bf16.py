"""bfloat16 numbers in kernels: the type, and functions under numba.cuda.bf16's names. Needs the package ml_dtypes."""

from __future__ import annotations

from typing import Any

from tessera import _core, types
from tessera.functions.intrinsic import Intrinsic

_PREFIX = "cuda.bf16."
_NAMES = [name.removeprefix(_PREFIX) for name in _core.kernels.builtin_names(_PREFIX)]
globals().update(
    {name: Intrinsic(_PREFIX + name, "A function of bfloat16 numbers, rounded to them.") for name in _NAMES}
)

__all__ = sorted({"bfloat16"}.union(_NAMES))


def __getattr__(name: str) -> Any:
    if name != "bfloat16":
        raise AttributeError(f"module 'tessera.cuda.bf16' has no attribute {name!r}")
    import ml_dtypes
    import numpy

    globals()["bfloat16"] = found = types.Scalar(numpy.dtype(ml_dtypes.bfloat16))
    return found
