"""What elementwise and reduction kernels have in common: arrays as arguments, and texts compiled once a form."""

from __future__ import annotations

import re
from typing import Any

import numpy

from tessera import _core
from tessera.cuda import _interface
from tessera.cuda.source.compiler import NEEDS_GPU
from tessera.cuda.source.module import RawModule
from tessera.errors import CudaSupportError

BLOCK = 256


class Generated(_core.sources.PlannedKernel):  # type: ignore[misc]
    """Base of both: forms are compiled for the dtypes and layouts of the arguments.

    A call without keywords that is planned goes to its plan at once, all others to `_call`.
    """

    def __init__(self, name: str, preamble: str, options: tuple[str, ...]) -> None:
        super().__init__()
        if not name.isidentifier():
            raise ValueError(f"Invalid kernel name: {name!r} is no identifier")
        self.name = name
        self._preamble = preamble
        self._options = tuple(options)
        self._modules: dict[str, RawModule] = {}

    def _forget(self) -> None:
        """Begins without what was compiled."""
        self._modules = {}
        self._set_plans(None)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for name in ("_modules", "_planned", "_plans"):
            state.pop(name, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__.update(state)
        self._forget()

    @property
    def cached_code(self) -> str:
        """The text that was compiled last."""
        return next(reversed(self._modules), "")

    @property
    def cached_codes(self) -> list[str]:
        """The texts that were compiled."""
        return list(self._modules)

    def _kernel(self, text: str, symbol: str) -> Any:
        """The kernel of a text on this device."""
        module = self._modules.get(text)
        if module is None:
            module = self._modules[text] = RawModule(code=text, options=self._options, name=f"{self.name}.cu")
        found = module._find_kernel(symbol)
        if not found.is_loaded:
            raise CudaSupportError(f"{self.name}: {NEEDS_GPU}")
        return found


def as_operand(value: Any, kernel: str) -> Any:
    """An array of tessera's, or a number."""
    if _core.kernels.is_array(value):
        return value
    if isinstance(value, (bool, int, float, complex, numpy.generic)):
        return value
    if isinstance(value, numpy.ndarray):
        if value.ndim == 0:
            return value[()]
        raise TypeError(f"{kernel} takes tessera's arrays, not NumPy's: tessera.numpy.asarray copies one")
    if hasattr(value, "__cuda_array_interface__"):
        return _interface.as_cuda_array(value)
    raise TypeError(f"{kernel} takes arrays and numbers, not {type(value).__name__}")


def extents(values: Any) -> bytes:
    """For a parameter of tessera::Extents."""
    return numpy.asarray(tuple(values) or (0,), numpy.int64).tobytes()


def memory(array: Any) -> Any:
    """The array's memory whatever its layout, which the kernel's text knows."""
    return _core.sources.Memory(array)


def headers(texts: str, dtypes: list[Any]) -> str:
    """The includes that a text with these dtypes needs."""
    names = {numpy.dtype(dtype).name for dtype in dtypes}
    lines = ['#include "tessera/raw_array.cuh"']
    if any(name.startswith("complex") for name in names) or "complex<" in texts:
        lines.append("#include <cupy/complex.cuh>")
    if "float16" in names or "__half" in texts:
        lines.append("#include <cuda_fp16.h>")
    return "\n".join(lines)


def mentions(word: str, *texts: str) -> bool:
    return any(re.search(rf"\b{word}\b", text) for text in texts)
