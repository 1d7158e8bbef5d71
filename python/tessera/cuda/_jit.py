"""cuda.jit: the decorator."""

from __future__ import annotations

from typing import Any

from tessera import types
from tessera.cuda import _options
from tessera.cuda._device_functions import DeviceFunction
from tessera.cuda._dispatcher import Kernel
from tessera.functions import signatures
from tessera.functions.function import Function


def jit(
    signature: Any = None, *, device: bool = False, source: str | None = None, func_or_sig: Any = None, **options: Any
) -> Any:
    """Makes a kernel of a function, or with device=True a function that kernels call.

    `@cuda.jit`, `@cuda.jit("void(float32[:], int32)")`, `@cuda.jit(device=True)`. Without a signature the kernel is compiled for the
    types of the arguments of each launch. `source` is the function's text, for functions that `exec` made.

    debug=True makes each launch wait and raise what its threads raised. launch_bounds=(threads, blocks) refuses larger blocks.
    fastmath=True lets a GPU approximate float32 functions and take subnormal numbers as zero. On a GPU registers are allotted
    so that the launch bounds fit and a thread has at most max_registers; shared_memory_carveout is the share of a
    multiprocessor's memory, in per cent, that is shared memory; `link` names files and objects such as CUSource that have functions which
    declare_device declares, and lto=True optimises those in CUDA C++ together. opt=False has machine code assembled without
    optimisation. lineinfo=True has PTX name its lines. On the cores these change nothing. cache, inline and forceinline hold in any case.
    check=True finds races, missed barriers and reads of what was never written, on the cores.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> @cuda.jit
    ... def double(x):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] *= 2
    >>> x = numpy.arange(4.0)
    >>> double[1, 32](x)
    >>> x
    array([0., 2., 4., 6.])
    """
    signature = func_or_sig if signature is None else signature
    _options.check(options)
    if callable(signature) and not isinstance(signature, (types.Signature, types.Scalar, types.Array)):
        return _make(signature, device, source, None, options)
    return lambda function: _make(function, device, source, signature, options)


def _make(function: Any, device: bool, source: str | None, signature: Any, options: dict[str, Any]) -> Any:
    if isinstance(function, Function):
        function = function.py_func
    if not hasattr(function, "__code__"):
        raise TypeError(f"cuda.jit makes kernels of functions, not of {type(function).__name__}")
    if device and options.get("link"):
        raise ValueError(
            "cuda.jit: link= belongs to the kernel or to declare_device(link=...), not to a device function"
        )
    if device:
        return DeviceFunction(function, source, signature, options)
    listed = signature if isinstance(signature, list) else [] if signature is None else [signature]
    return Kernel(function, source, [signatures.parse(one) for one in listed], options)
