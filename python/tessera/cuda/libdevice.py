"""The functions of CUDA's math library under their names, for kernels: `libdevice.sinf(x)`."""

from typing import Any

from tessera import _core
from tessera.functions.intrinsic import Intrinsic

_PREFIX = "cuda.libdevice."
_KNOWN = {
    name.removeprefix(_PREFIX): Intrinsic(name, "A function of CUDA's math library.")
    for name in _core.kernels.builtin_names(_PREFIX)
}
__all__ = sorted(_KNOWN)


def __getattr__(name: str) -> Any:
    try:
        return _KNOWN[name]
    except KeyError:
        raise AttributeError(f"tessera.cuda.libdevice has no function {name}") from None


def __dir__() -> list[str]:
    return __all__
