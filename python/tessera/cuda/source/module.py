"""RawModule and RawKernel: CuPy's names for CUDA C++ in strings and files."""

from __future__ import annotations

import os
from typing import Any

from tessera import _core
from tessera.cuda.source import build, compiler
from tessera.cuda.source.kernel import SourceKernel
from tessera.cuda.source.options import Options, parse

_BACKENDS = ("nvrtc", "nvcc")


class RawModule:
    """CUDA C++ in a string, or PTX, a cubin or a fatbin in a file.

    It is compiled when it is first used, and kept on disk. `name_expressions` are the instances of templates that get_function can
    find: `["scale<float>"]`. `backend="nvcc"` is accepted and compiles with NVRTC. `translate_cucomplex` makes cuComplex.h's types
    `complex<T>`, with operators. `jitify` needs nothing here: the standard headers are CUDA's own. `enable_cooperative_groups` lets the blocks of a grid wait for each other.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> code = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }'
    >>> twice = cuda.RawModule(code=code).get_function("twice")
    >>> x = numpy.arange(3, dtype="f4")
    >>> twice((1,), (3,), (x,))
    >>> x
    array([0., 2., 4.], dtype=float32)
    """

    def __init__(
        self,
        *,
        code: str | None = None,
        path: Any = None,
        options: tuple[str, ...] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Any = None,
        jitify: bool = False,
        name: str = "source.cu",
    ) -> None:
        if (code is None) == (path is None):
            raise TypeError("RawModule takes either code=, a text, or path=, a file of machine code or PTX")
        if path is not None and name_expressions:
            raise ValueError("RawModule: name_expressions are of code=; a file has the symbols that it has")
        if backend not in _BACKENDS:
            raise ValueError(f"RawModule: backend={backend!r}; there are {', '.join(_BACKENDS)}")
        if isinstance(options, str):
            raise TypeError(f"RawModule: options is a tuple of strings, not {options!r}")
        if path is None and not isinstance(code, str):
            raise TypeError(f"RawModule: code is a string, not {type(code).__name__}")
        self.code = code
        self.file_path = None if path is None else os.fspath(path)
        self.options = tuple(options)
        self.backend = backend
        self.enable_cooperative_groups = enable_cooperative_groups
        self.name_expressions = None if name_expressions is None else tuple(name_expressions)
        self._translates_complex = bool(translate_cucomplex)
        self._arguments = (translate_cucomplex, jitify, name)
        self._name = name
        self._parsed: Options | None = None
        self._declared: Any = None
        self._compiled: compiler.Compiled | None = None
        self._loaded: Any = None

    def __reduce__(self) -> Any:
        return _rebuild, (
            type(self),
            self.code,
            self.file_path,
            self.options,
            self.backend,
            self.enable_cooperative_groups,
            self.name_expressions,
            self._arguments,
        )

    def compile(self, log_stream: Any = None) -> None:
        """Compiles and loads the module now; what the compiler says goes to the stream."""
        compiled = self._compile()
        loaded = self._load()
        if log_stream is not None:
            log_stream.write(compiled.log + (loaded.log if loaded is not None else ""))

    def get_function(self, name: str) -> SourceKernel:
        """The kernel of this name, or of this name expression."""
        self._find_kernel(name)
        return _Function(self, name)

    def get_global(self, name: str) -> Any:
        """The memory of a variable of `__device__` or `__constant__`: an array as it is declared, else of bytes."""
        symbol = self._symbol(name)
        loaded = self._load()
        if loaded is None:
            raise compiler.CudaSupportError(f"get_global({name!r}): {compiler.NEEDS_GPU}")
        declared = self._declared.variable(name) if self._declared is not None else None
        found = None
        if declared is not None:
            extents, dtype = declared
            shape = tuple(extents) if all(extent > 0 for extent in extents) else None
            found = loaded.variable(symbol, shape, dtype)
        if found is None:
            found = loaded.variable(symbol, None, None)
        if found is None:
            raise KeyError(f"the module has no variable {name}")
        from tessera.cuda._arrays import DeviceArray

        return found.view(DeviceArray)

    def _parse(self) -> Options:
        if self._parsed is None:
            self._parsed = parse(self.options)
            if self.code is not None:
                self._declared = _core.sources.DeclaredSource(self.code, self._parsed.defines)
        return self._parsed

    def _compile(self) -> compiler.Compiled:
        is_for_cores = self._compiled is not None and self._compiled.is_for_cores
        if self._compiled is not None and not (is_for_cores and not compiler.runs_on_cores()):
            return self._compiled
        options = self._parse()
        if self.file_path is not None:
            code = _read(self.file_path)
            is_ptx = not code.startswith((b"\x7fELF", b"\x50\xed\x55\xba"))
            self._compiled = compiler.Compiled(code, is_ptx, "", build.symbols_in(code))
        else:
            self._compiled = compiler.compile_source(
                self._text(),
                self._name,
                options,
                tuple(self.name_expressions or ()),
                translates_complex=self._translates_complex,
            )
        return self._compiled

    def _text(self) -> str:
        return self.code or ""

    def _load(self) -> Any:
        """The module on this thread's device, or on the cores; None where it was only checked."""
        if compiler.runs_on_cores():
            compiled = self._compile()
            if compiled.is_for_cores and (self._loaded is None or not self._loaded.is_current()):
                self._loaded = _core.sources.load_on_cores(compiled.code, compiler.CHECKS_ALL)
            return self._loaded if compiled.is_for_cores else None
        if self._loaded is None or not self._loaded.is_current():
            if self._loaded is not None:
                self._compiled = None
            compiled = self._compile()
            self._loaded = _core.sources.load(compiled.code, self._parse().max_registers, -1, False, False)
        return self._loaded

    def _symbol(self, name: str) -> str:
        return self._compile().symbols.get(name, name)

    def _find_kernel(self, name: str) -> Any:
        symbol = self._symbol(name)
        loaded = self._load()
        found = compiler.find_kernel(self._compile(), loaded, symbol, name, self._declared)
        if found is None and loaded is None and not self._compile().is_ptx:
            raise compiler.CudaSupportError(f"{name}: {compiler.NEEDS_GPU}")
        if found is None:
            raise AttributeError(self._missing(name))
        return found

    def _missing(self, name: str) -> str:
        kernels = self._declared.kernels if self._declared is not None else []
        if name in kernels:
            return (
                f'the module has no symbol {name}: declare the kernel extern "C", or list it in name_expressions '
                "(a template with its arguments)"
            )
        declared = f"; its text declares {', '.join(kernels)}" if kernels else ""
        return f"the module has no kernel {name}{declared} (CUDA_ERROR_NOT_FOUND: named symbol not found)"

    def __repr__(self) -> str:
        return f"<RawModule of {self.file_path or 'code'}>"


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError as error:
        message = f"RawModule: {error.strerror} (CUDA_ERROR_FILE_NOT_FOUND: file not found)"
        raise FileNotFoundError(error.errno, message, path) from None


class _Function(SourceKernel):
    """A kernel of a module, pickled with it."""

    def __init__(self, module: RawModule, name: str) -> None:
        super().__init__(name, lambda: module._find_kernel(name), module.enable_cooperative_groups)
        self._module = module

    enable_cooperative_groups = property(lambda self: self._module.enable_cooperative_groups)

    def __reduce__(self) -> Any:
        return _Function, (self._module, self._name)


def _rebuild(
    kind: Any,
    code: Any,
    path: Any,
    options: Any,
    backend: Any,
    cooperative: Any,
    expressions: Any,
    others: Any,
) -> RawModule:
    translate, jitify, name = others
    return kind(
        code=code,
        path=path,
        options=options,
        backend=backend,
        translate_cucomplex=translate,
        enable_cooperative_groups=cooperative,
        name_expressions=expressions,
        jitify=jitify,
        name=name,
    )


class RawKernel(SourceKernel):
    """One kernel of a text: `RawKernel(code, name)`, compiled when it is first launched.

    A kernel that is not `extern "C"`, or an instance of a template, is found by its name in C++: `RawKernel(code, "scale<float>")`.

    Examples
    --------
    >>> import numpy
    >>> from tessera import cuda
    >>> code = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }'
    >>> twice = cuda.RawKernel(code, "twice")
    >>> x = numpy.arange(3, dtype="f4")
    >>> twice((1,), (3,), (x,))
    >>> x
    array([0., 2., 4.], dtype=float32)
    """

    def __init__(
        self,
        code: str,
        name: str,
        options: tuple[str, ...] = (),
        backend: str = "nvrtc",
        *,
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        jitify: bool = False,
    ) -> None:
        expressions = (name,) if not _is_c_name(code, name) else None
        self._module = RawModule(
            code=code,
            options=options,
            backend=backend,
            translate_cucomplex=translate_cucomplex,
            enable_cooperative_groups=enable_cooperative_groups,
            name_expressions=expressions,
            jitify=jitify,
            name=f"{name.partition('<')[0].rpartition('::')[2] or 'kernel'}.cu",
        )
        self._arguments = (code, name, tuple(options), backend, translate_cucomplex, enable_cooperative_groups, jitify)
        super().__init__(name, lambda: self._module._find_kernel(name), enable_cooperative_groups)

    code = property(lambda self: self._module.code)
    options = property(lambda self: self._module.options)
    backend = property(lambda self: self._module.backend)
    file_path = property(lambda self: self._module.file_path)
    enable_cooperative_groups = property(lambda self: self._module.enable_cooperative_groups)

    @property
    def kernel(self) -> SourceKernel:
        """The kernel on this device."""
        self._refresh()
        return self

    def compile(self, log_stream: Any = None) -> None:
        self._module.compile(log_stream)
        self._refresh()

    def __reduce__(self) -> Any:
        return _rebuild_kernel, self._arguments


def _rebuild_kernel(
    code: str, name: str, options: Any, backend: str, translate: bool, grid: bool, jitify: bool
) -> RawKernel:
    return RawKernel(
        code, name, options, backend, translate_cucomplex=translate, enable_cooperative_groups=grid, jitify=jitify
    )


def _is_c_name(code: str, name: str) -> bool:
    """Whether the symbol is the name itself."""
    return name.isidentifier() and 'extern "C"' in code
