"""cuda.jit: the decorator."""

from __future__ import annotations

import warnings
from typing import Any

from tessera import types
from tessera.cuda._dispatcher import Kernel
from tessera.errors import IgnoredOptionWarning
from tessera.functions import signatures
from tessera.functions.function import Function

# What is so in any case: machine code is kept on disk and optimised, device functions are inlined.
_GIVEN = ("cache", "forceinline", "inline", "lineinfo", "opt")
# What has no effect yet, and warns.
_WITHOUT_EFFECT = {
    "max_registers": "registers are allotted for the launch's blocks",
    "shared_memory_carveout": "the driver chooses it",
}
_OPTIONS = ("debug", "fastmath", "launch_bounds", *_GIVEN, *_WITHOUT_EFFECT)
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

    debug=True makes each launch wait and raise what its threads raised; launch_bounds refuses larger blocks. fastmath=True lets
    a GPU approximate float32 functions and take subnormal numbers as zero; the cores compute as without it. max_registers and
    shared_memory_carveout have no effect yet and give an IgnoredOptionWarning; opt, inline, forceinline, lineinfo and cache
    say what is so in any case.
    """
    signature = func_or_sig if signature is None else signature
    _check_bounds(options.get("launch_bounds"))
    _check_carveout(options.get("shared_memory_carveout"))
    for name, value in options.items():
        if name in _LATER and not value:
            continue
        if name in _LATER:
            raise NotImplementedError(f"cuda.jit: the option {name} is not there yet ({_LATER[name]}); leave it out")
        if name not in _OPTIONS:
            raise TypeError(f"cuda.jit has no option {name}; there are device, source, {', '.join(_OPTIONS)}")
        if name in _WITHOUT_EFFECT and value:
            why = _WITHOUT_EFFECT[name]
            warnings.warn(f"cuda.jit: {name}={value!r} has no effect yet: {why}", IgnoredOptionWarning, stacklevel=2)
    if callable(signature) and not isinstance(signature, (types.Signature, types.Number, types.Array)):
        return _make(signature, device, source, None, options)
    return lambda function: _make(function, device, source, signature, options)


def _check_bounds(bounds: Any) -> None:
    numbers = bounds if isinstance(bounds, tuple) else () if bounds is None else (bounds,)
    if len(numbers) > 3:
        raise ValueError(
            f"cuda.jit: Got {len(numbers)} launch bounds: {bounds}; there are threads, blocks and clusters"
        )
    if not all(isinstance(number, int) and number > 0 for number in numbers):
        raise TypeError(
            f"cuda.jit: launch_bounds is {bounds!r}; give the most threads of a block, or a tuple with it first"
        )


_CARVEOUTS = ("default", "maxl1", "maxshared")


def _check_carveout(carveout: Any) -> None:
    if isinstance(carveout, str) and carveout.lower() not in _CARVEOUTS:
        raise ValueError(
            f"cuda.jit: Invalid carveout value {carveout!r}; there are default, MaxL1, MaxShared and per cents"
        )
    if isinstance(carveout, int) and not -1 <= carveout <= 100:
        raise ValueError(f"cuda.jit: shared_memory_carveout={carveout}: it must be between -1 and 100")


def _make(function: Any, device: bool, source: str | None, signature: Any, options: dict[str, Any]) -> Any:
    if isinstance(function, Function):
        function = function.py_func
    if not hasattr(function, "__code__"):
        raise TypeError(f"cuda.jit makes kernels of functions, not of {type(function).__name__}")
    if device:
        return Function(function, source)
    listed = signature if isinstance(signature, list) else [] if signature is None else [signature]
    return Kernel(function, source, [signatures.parse(one) for one in listed], options)
