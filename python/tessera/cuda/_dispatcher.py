"""Kernels and device functions: specialised by the types of their arguments, launched on a grid of blocks."""

from __future__ import annotations

import functools
import weakref
from typing import Any

import numpy

from tessera import _core
from tessera.cuda import _globals, _signatures, _source


class Function:
    """A function that kernels may call; @cuda.jit(device=True) makes it."""

    _is_device = True

    def __init__(self, function: Any, source: str | None) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self._source = source
        self._compiled: Any = None

    def _kernel_function(self) -> Any:
        if self._compiled is None:
            tree, file, lines, first = _source.find(self.py_func, self._source)
            # The engine's object must not keep the function, which keeps this one, alive.
            function = weakref.ref(self.py_func)
            resolve = lambda dotted: _globals.describe(_globals.lookup(function(), dotted))
            defaults = _globals.defaults_of(self.py_func)
            rest = _source.rest_of(tree)
            self._compiled = _core.kernels.KernelFunction(tree, file, lines, first, resolve, defaults, rest)
        return self._compiled

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError(
            f"{self.__name__} is a device function: kernels call it. `{self.__name__}.py_func` is the Python function"
        )

    def __repr__(self) -> str:
        return f"<device function {self.__name__}>"


class Kernel(Function):
    """A kernel; `kernel[grid, block](...)` launches it."""

    _is_device = False

    def __init__(self, function: Any, source: str | None, signatures: list[tuple[Any, ...]]) -> None:
        super().__init__(function, source)
        self._specialised: dict[tuple[Any, ...], Any] = {}
        self._known = _core.kernels.Specializations()  # the same, by what launches see of their arguments
        for kinds in signatures:
            self.compile(kinds)

    def compile(self, signature: Any) -> Any:
        """The kernel for these types, compiled unless it is there."""
        kinds = _signatures.parse(signature) if not _is_kinds(signature) else signature
        known = self._specialised.get(kinds)
        if known is None:
            known = self._specialised[kinds] = self._kernel_function().compile(kinds)
        return known

    @property
    def signatures(self) -> list[str]:
        """The types of arguments for which the kernel has been compiled."""
        return ["void(" + ", ".join(map(_signatures.write, kinds)) + ")" for kinds in self._specialised]

    def inspect_ir(self) -> dict[str, str]:
        """The kernel in tessera's IR, by signature."""
        return dict(zip(self.signatures, (compiled.text for compiled in self._specialised.values())))

    def __getitem__(self, configuration: Any) -> Any:
        return _core.kernels.Launch(self, self._known, configuration)

    def forall(self, ntasks: int, tpb: int = 0, stream: Any = 0, sharedmem: int = 0) -> Any:
        """A launch for at least ntasks threads in a row."""
        threads = tpb or 256
        return self[max(1, -(-ntasks // threads)), threads, stream, sharedmem]

    def __call__(self, *_: Any, **__: Any) -> Any:
        name = self.__name__
        raise TypeError(
            f"{name} is launched with a grid and a block: {name}[blocks, threads](...), or {name}.forall(n)(...)"
        )

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}>"

    def _compile_for(self, arguments: tuple[Any, ...]) -> Any:
        """The kernel for arguments of these types."""
        return self.compile(tuple(_signatures.kind_of(value) for value in arguments))

    def _launch_copies(self, launch: Any, arguments: tuple[Any, ...]) -> None:
        """Launches with copies of the arrays that are not tessera's, and copies back what the kernel wrote."""
        compiled = self._compile_for(arguments)
        arrays: list[Any] = []
        scalars: list[Any] = []
        for value in arguments:
            _flatten(value, arrays, scalars)
        # An array that is passed twice is one array in the kernel, too.
        copies = {id(array): _operand(array) for array in arrays}
        operands = [copies[id(array)] for array in arrays]
        compiled.launch(launch, operands, scalars)
        for array, operand, writes in zip(arrays, operands, compiled.writes):
            if writes and operand is not array:
                array[...] = numpy.asarray(operand)


def _is_kinds(signature: Any) -> bool:
    return isinstance(signature, tuple) and all(
        isinstance(kind, tuple) and kind and isinstance(kind[0], str) for kind in signature
    )


def _flatten(value: Any, arrays: list[Any], scalars: list[Any]) -> None:
    if isinstance(value, tuple):
        for element in value:
            _flatten(element, arrays, scalars)
    elif value is None:
        return
    elif hasattr(value, "ndim") and not isinstance(value, numpy.generic):
        arrays.append(value)
    else:
        scalars.append(value)


def _operand(array: Any) -> Any:
    """The array itself if it is tessera's, else a copy of it."""
    if _core.kernels.is_array(array):
        return array
    from tessera import numpy as tessera_numpy

    return tessera_numpy.array(array)
