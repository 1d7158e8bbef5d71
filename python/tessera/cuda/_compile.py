"""PTX of functions without a launch: compile, compile_ptx."""

from __future__ import annotations

from typing import Any

from tessera import types
from tessera.cuda import _inspection
from tessera.cuda._dispatcher import Function
from tessera.cuda._jit import jit


def compile(
    pyfunc: Any,
    sig: Any,
    debug: bool = False,
    lineinfo: bool = False,
    device: bool = False,
    fastmath: bool = False,
    cc: Any = None,
    opt: bool = True,
    abi: str = "numba",
    abi_info: Any = None,
    output: str = "ptx",
) -> tuple[str, Any]:
    """The PTX of a kernel for these types and a compute capability, and the type of what it returns: void. No GPU is needed. Its entry
    is `tessera_kernel`, which takes one block of parameters."""
    if device:
        raise NotImplementedError(
            "cuda.compile: device functions have no code of their own: they are inlined in kernels"
        )
    if output != "ptx":
        raise NotImplementedError(f"cuda.compile: the output is PTX, not {output}")
    function = pyfunc.py_func if isinstance(pyfunc, Function) else pyfunc
    kernel = jit(function, source=getattr(pyfunc, "_source", None))
    compiled = kernel.compile(sig)
    return compiled.ptx(_inspection.capability_of(cc), _inspection._MOST_THREADS), types.void


def compile_all(pyfunc: Any, sig: Any, **options: Any) -> tuple[list[str], Any]:
    """All code that belongs to the kernel, as texts of PTX, and the type of what it returns: there are no further files to link."""
    code, result = compile(pyfunc, sig, **options)
    return [code], result


def compile_ptx(pyfunc: Any, sig: Any, **options: Any) -> tuple[str, Any]:
    """The PTX of a kernel, as compile() makes it."""
    return compile(pyfunc, sig, **options)


def compile_for_current_device(pyfunc: Any, sig: Any, **options: Any) -> tuple[str, Any]:
    """compile() for the GPU on which this thread's kernels run."""
    return compile(pyfunc, sig, **options)


def compile_ptx_for_current_device(pyfunc: Any, sig: Any, **options: Any) -> tuple[str, Any]:
    """compile_ptx() for the GPU on which this thread's kernels run."""
    return compile(pyfunc, sig, **options)
