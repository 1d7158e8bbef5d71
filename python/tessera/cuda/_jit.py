"""cuda.jit: the decorator."""

from __future__ import annotations

from typing import Any

from tessera import types
from tessera.cuda import _signatures
from tessera.cuda._dispatcher import Function, Kernel

# Options that other compilers need and that change nothing here.
_IGNORED = ("cache", "debug", "inline", "forceinline", "lineinfo", "opt", "fastmath")
_LATER = {
    "check": "TESSERA_CUDA_CHECK is planned",
    "launch_bounds": "registers are chosen by the compiler",
    "link": "other code is not linked to kernels",
    "max_registers": "registers are chosen by the compiler",
    "shared_memory_carveout": "the driver chooses it",
}


def jit(
    signature: Any = None, *, device: bool = False, source: str | None = None, func_or_sig: Any = None, **options: Any
) -> Any:
    """Makes a kernel of a function, or with device=True a function that kernels call.

    `@cuda.jit`, `@cuda.jit("void(float32[:], int32)")`, `@cuda.jit(device=True)`. Without a signature the kernel is compiled for the
    types of the arguments of each launch. `source` is the function's text, for functions that `exec` made.
    """
    signature = func_or_sig if signature is None else signature
    for name in options:
        if name in _LATER:
            raise NotImplementedError(f"cuda.jit: the option {name} is not there yet ({_LATER[name]}); leave it out")
        if name not in _IGNORED:
            raise TypeError(f"cuda.jit has no option {name}; there are device, source, {', '.join(_IGNORED)}")
    if callable(signature) and not isinstance(signature, (types.Signature, types.Number, types.Array)):
        return _make(signature, device, source, None)
    return lambda function: _make(function, device, source, signature)


def _make(function: Any, device: bool, source: str | None, signature: Any) -> Any:
    if isinstance(function, Function):
        function = function.py_func
    if not hasattr(function, "__code__"):
        raise TypeError(f"cuda.jit makes kernels of functions, not of {type(function).__name__}")
    if device:
        return Function(function, source)
    listed = signature if isinstance(signature, list) else [] if signature is None else [signature]
    return Kernel(function, source, [_signatures.parse(one) for one in listed])
