"""cuda.jit: the decorator."""

from __future__ import annotations

from typing import Any

from tessera import types
from tessera.cuda._dispatcher import Kernel
from tessera.functions import signatures
from tessera.functions.function import Function

# Options that change nothing here: results never depend on them, code is always optimised, and device functions are always inlined.
_HINTS = (
    *("cache", "fastmath", "forceinline", "inline", "lineinfo", "max_registers", "opt"),
    "shared_memory_carveout",
)
_OPTIONS = ("debug", "launch_bounds", *_HINTS)
_LATER = {
    "check": "TESSERA_CUDA_CHECK is planned",
    "link": "kernels are Python alone; write the function in Python with @cuda.jit(device=True)",
}


def jit(
    signature: Any = None, *, device: bool = False, source: str | None = None, func_or_sig: Any = None, **options: Any
) -> Any:
    """Makes a kernel of a function, or with device=True a function that kernels call.

    `@cuda.jit`, `@cuda.jit("void(float32[:], int32)")`, `@cuda.jit(device=True)`. Without a signature the kernel is compiled for the
    types of the arguments of each launch. `source` is the function's text, for functions that `exec` made.

    debug=True makes each launch wait and raise what its threads raised; launch_bounds refuses larger blocks. fastmath, opt, inline,
    forceinline, lineinfo, cache, max_registers and shared_memory_carveout are accepted and change nothing.
    """
    signature = func_or_sig if signature is None else signature
    for name, value in options.items():
        if name in _LATER and not value:
            continue
        if name in _LATER:
            raise NotImplementedError(f"cuda.jit: the option {name} is not there yet ({_LATER[name]}); leave it out")
        if name not in _OPTIONS:
            raise TypeError(f"cuda.jit has no option {name}; there are device, source, {', '.join(_OPTIONS)}")
    _check_bounds(options.get("launch_bounds"))
    if callable(signature) and not isinstance(signature, (types.Signature, types.Number, types.Array)):
        return _make(signature, device, source, None, options)
    return lambda function: _make(function, device, source, signature, options)


def _check_bounds(bounds: Any) -> None:
    numbers = bounds if isinstance(bounds, tuple) else () if bounds is None else (bounds,)
    if len(numbers) > 3 or not all(isinstance(number, int) and number > 0 for number in numbers):
        raise TypeError(
            f"cuda.jit: launch_bounds is {bounds!r}; give the most threads of a block, or a tuple with it first"
        )


def _make(function: Any, device: bool, source: str | None, signature: Any, options: dict[str, Any]) -> Any:
    if isinstance(function, Function):
        function = function.py_func
    if not hasattr(function, "__code__"):
        raise TypeError(f"cuda.jit makes kernels of functions, not of {type(function).__name__}")
    if device:
        return Function(function, source)
    listed = signature if isinstance(signature, list) else [] if signature is None else [signature]
    return Kernel(function, source, [signatures.parse(one) for one in listed], options)
