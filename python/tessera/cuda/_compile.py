"""PTX of functions without a launch: compile, compile_ptx."""

from __future__ import annotations

import warnings
from typing import Any

from tessera import errors, types
from tessera.cuda import _inspection
from tessera.cuda._device_functions import ptx_of
from tessera.cuda._dispatcher import Function
from tessera.cuda._foreign import codes_of, links_of
from tessera.cuda._jit import jit

_ABIS = ("numba", "c")


def compile(
    pyfunc: Any,
    sig: Any,
    debug: bool = False,
    lineinfo: bool = False,
    device: bool = True,
    fastmath: bool = False,
    cc: Any = None,
    opt: Any = True,
    abi: str = "c",
    abi_info: Any = None,
    output: str = "ptx",
    forceinline: bool = False,
    launch_bounds: Any = None,
    *,
    linked: list[Any] | None = None,
) -> tuple[str, Any]:
    """The PTX of a function for these types and a compute capability, and the type of what it returns. No GPU is needed.

    With device=True a function that other code calls: of numbers, by C's convention `result name(numbers...)` or, with abi="numba",
    `int32 name(result*, numbers...)`, which returns 0; its name is the function's, or abi_info["abi_name"]. Numbers are passed as
    C passes them, parts of complex ones one after the other. With device=False a kernel: its entry is `tessera_kernel`, which
    takes one block of parameters; what it returns is void. `opt` and `forceinline` change nothing in the text, which the driver optimises.
    `linked` gets what the functions in other code that a kernel calls are linked with.

    Examples
    --------
    >>> from tessera import cuda
    >>> def double(x):
    ...     return x * 2
    >>> ptx, result = cuda.compile(double, "float32(float32)", cc=(8, 0))
    >>> result
    float32
    """
    if output == "ltoir":
        raise NotImplementedError("cuda.compile: the output is PTX, not ltoir")
    if output != "ptx":
        raise NotImplementedError(f"cuda.compile: Unsupported output type: {output}")
    if abi not in _ABIS:
        raise NotImplementedError(f"cuda.compile: Unsupported ABI: {abi}")
    if abi == "c" and not device:
        raise NotImplementedError("cuda.compile: The C ABI is not supported for kernels")
    if device and launch_bounds is not None:
        raise ValueError("cuda.compile: launch bounds are a kernel's, not a device function's")
    function = pyfunc.py_func if isinstance(pyfunc, Function) else pyfunc
    source = getattr(pyfunc, "_source", None)
    capability = _inspection.capability_of(cc)
    if device:
        if debug:
            message = "cuda.compile: debug=True has no effect on device functions; lineinfo=True names the lines in their text"
            warnings.warn(message, errors.IgnoredOptionWarning, stacklevel=2)
        return _compile_function(function, source, sig, fastmath, lineinfo, capability, abi, abi_info)
    options: dict[str, Any] = {"debug": debug, "lineinfo": lineinfo, "fastmath": fastmath, "opt": opt}
    if launch_bounds is not None:
        options["launch_bounds"] = launch_bounds
    kernel = jit(function, source=source, **options)
    try:
        compiled = kernel.compile(sig)
    except errors.CompileError as error:
        if "a kernel returns a value" in str(error):
            raise TypeError(f"CUDA kernel must have void return type: {error}") from None
        raise
    if linked is not None:
        linked += links_of(compiled, {})
    return compiled.ptx(capability, kernel._most_threads()), types.void


def _compile_function(
    function: Any,
    source: str | None,
    sig: Any,
    fastmath: bool,
    lineinfo: bool,
    capability: int,
    abi: str,
    abi_info: Any,
) -> tuple[str, Any]:
    owner = Function(function, source)  # which the compiler asks for names
    name = (abi_info or {}).get("abi_name")
    text, dtype = ptx_of(owner, sig, capability, abi, name, fastmath, lineinfo)
    return text, types.void if dtype is None else types.from_dtype(dtype)


def compile_all(pyfunc: Any, sig: Any, **options: Any) -> tuple[list[Any], Any]:
    """The function's PTX and the code that it is linked with, in a list, and the type of what it returns.

    Options are compile()'s. The code is what `link=` of the functions names that a kernel calls, once each: CUDA C++ compiled
    to PTX for the same compute capability, everything else as it is, an object such as Cubin. Device functions call no other code.

    Examples
    --------
    >>> from tessera import cuda
    >>> def double(x):
    ...     return x * 2
    >>> codes, result = cuda.compile_all(double, "float32(float32)", cc=(8, 0), device=True)
    >>> len(codes)
    1
    """
    linked: list[Any] = []
    code, result = compile(pyfunc, sig, linked=linked, **options)
    capability = _inspection.capability_of(options.get("cc"))
    return [code, *codes_of(linked, capability, options)], result


def compile_ptx(pyfunc: Any, sig: Any, device: bool = False, abi: str = "numba", **options: Any) -> tuple[str, Any]:
    """The PTX of a kernel, as compile() makes it, or with device=True of a function.

    Examples
    --------
    >>> from tessera import cuda
    >>> def fill(x):
    ...     x[cuda.grid(1)] = 1
    >>> ptx, result = cuda.compile_ptx(fill, "void(float32[:])", cc=(8, 0))
    >>> ".target sm_80" in ptx
    True
    """
    return compile(pyfunc, sig, device=device, abi=abi, **options)


def compile_for_current_device(pyfunc: Any, sig: Any, **options: Any) -> tuple[str, Any]:
    """compile() for the GPU on which this thread's kernels run.

    Examples
    --------
    >>> from tessera import cuda
    >>> def double(x):
    ...     return x * 2
    >>> ptx, result = cuda.compile_for_current_device(double, "float32(float32)")
    >>> result
    float32
    """
    return compile(pyfunc, sig, **options)


def compile_ptx_for_current_device(pyfunc: Any, sig: Any, **options: Any) -> tuple[str, Any]:
    """compile_ptx() for the GPU on which this thread's kernels run.

    Examples
    --------
    >>> from tessera import cuda
    >>> def double(x):
    ...     return x * 2
    >>> ptx, result = cuda.compile_ptx_for_current_device(double, "float32(float32)", device=True)
    >>> result
    float32
    """
    return compile_ptx(pyfunc, sig, **options)
