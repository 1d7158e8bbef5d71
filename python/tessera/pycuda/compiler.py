"""SourceModule: CUDA C++ with C's names, compiled when the object is made."""

from __future__ import annotations

from typing import Any

from tessera.cuda.source.module import RawModule
from tessera.errors import CudaSourceError
from tessera.pycuda import _errors
from tessera.pycuda._function import Function
from tessera.pycuda._memory import DeviceAllocation

# Options of every SourceModule that gives none of its own.
DEFAULT_NVCC_FLAGS: list[str] = []


# What nvcc's sources have of the host's headers.
_TYPES = "typedef unsigned int uint; typedef unsigned short ushort; typedef unsigned long ulong;"


def _whole(text: str, is_c: bool) -> str:
    opened, closed = ('extern "C" {', "\n}\n") if is_c else ("", "")
    return f'{_TYPES} {opened}\n#line 1 "kernel.cu"\n{text}{closed}'


class _Module(RawModule):
    """The text between the braces of extern "C", with the user's numbers of lines."""

    def __init__(self, source: str, is_c: bool, options: tuple[str, ...]) -> None:
        super().__init__(code=source, options=options, name="kernel.cu")
        self._is_c = is_c

    def _text(self) -> str:
        return _whole(self.code or "", self._is_c)


class SourceModule:
    """Kernels of a text; they are `extern "C"` unless `no_extern_c`.

    `options`, `arch`, `include_dirs` are the compiler's. `keep=True` keeps the text in the attribute `source`; `code`, where `arch` is given, is the
    same architecture. `nvcc` and `cache_dir` have no effect, as in `compile`.
    """

    def __init__(
        self,
        source: Any,
        nvcc: str = "nvcc",
        options: Any = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: Any = None,
        include_dirs: Any = (),
    ) -> None:
        given = _options("SourceModule", options, arch, code, include_dirs)
        self._text = str(source)
        self._module = _Module(self._text, not no_extern_c, tuple(given))
        if keep:
            self.source = self._text
        try:
            self._module._compile()
        except CudaSourceError as error:
            raise _errors.of_source(error, tuple(given)) from None
        except ValueError as error:
            raise _errors.LogicError(str(error)) from None

    def get_function(self, name: str) -> Function:
        """The kernel of this name."""
        try:
            return Function(self._module.get_function(name))
        except AttributeError as error:
            raise _errors.LogicError(f"get_function: {error}") from None

    def get_global(self, name: str) -> tuple[DeviceAllocation, int]:
        """The memory of a variable, and its bytes."""
        try:
            array = self._module.get_global(name)
        except KeyError as error:
            raise _errors.LogicError(f"get_global: {error.args[0]}") from None
        return DeviceAllocation(array.reshape(-1).view("uint8")), array.nbytes

    def get_texref(self, name: str) -> Any:
        raise NotImplementedError(f"get_texref({name!r}): there are no textures here: read the array through a pointer")

    get_surfref = get_texref


def _options(name: str, options: Any, arch: str | None, code: str | None, include_dirs: Any) -> list[str]:
    if code is not None and arch is not None and code.rpartition("_")[2] != arch.rpartition("_")[2]:
        raise _errors.LogicError(f"{name}: code={code!r} beside arch={arch!r}: give the same architecture")
    given = [*(DEFAULT_NVCC_FLAGS if options is None else options), *(f"-I{folder}" for folder in include_dirs)]
    return [*given, f"-arch={arch or code}"] if arch or code else given


def compile(
    source: str,
    nvcc: str = "nvcc",
    options: Any = None,
    keep: bool = False,
    no_extern_c: bool = False,
    arch: str | None = None,
    code: str | None = None,
    cache_dir: Any = None,
    include_dirs: Any = (),
    target: str = "cubin",
) -> bytes:
    """The machine code of a text, or its PTX. `nvcc`, `keep` and `cache_dir` have no effect: NVRTC compiles in memory, and what it
    compiled is in the cache folder (TESSERA_CACHE)."""
    from tessera.cuda.source import compiler
    from tessera.cuda.source.options import parse

    if target not in ("cubin", "ptx"):
        raise _errors.LogicError(f"compile: target={target!r}; there are cubin and ptx")
    given = _options("compile", options, arch, code, include_dirs)
    text = _whole(source, not no_extern_c)
    try:
        return compiler.compile_source(text, "kernel.cu", parse(given), kind=target).code
    except CudaSourceError as error:
        raise _errors.of_source(error, tuple(given)) from None


class DynamicSourceModule:
    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError("DynamicSourceModule: kernels do not launch kernels here; launch them from Python")
