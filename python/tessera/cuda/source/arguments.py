"""Arguments of launches that the engine does not take as they are: NumPy's arrays and those of other libraries."""

from __future__ import annotations

from typing import Any

import numpy

from tessera import _core
from tessera.cuda import _interface
from tessera.cuda._streams import in_one_piece, user_stream_of
from tessera.functions import records


class Prepared:
    """Arguments for a launch, and the copies that it ends with."""

    def __init__(self, kernel: Any, arguments: tuple[Any, ...], stream: Any) -> None:
        self._stream = user_stream_of(stream)
        self._back: list[tuple[Any, Any]] = []
        self._copies: dict[int, Any] = {}  # an array that is passed twice is one array in the kernel, too
        self.arguments = tuple(self._prepare(kernel, k, argument) for k, argument in enumerate(arguments))

    def finish(self) -> None:
        """Copies back what the kernel may have written."""
        for array, operand in self._back:
            if self._stream is not None and in_one_piece(array) and self._stream.copy_out(operand, array):
                continue
            array[...] = numpy.asarray(operand).reshape(array.shape)

    def _prepare(self, kernel: Any, k: int, argument: Any) -> Any:
        if hasattr(argument, "_kernel_argument"):
            return argument._kernel_argument()
        use = argument if isinstance(argument, _interface._Argument) else None
        value = use.value if use is not None else argument
        if _core.kernels.is_array(value):
            return value
        if isinstance(value, numpy.ndarray):
            return self._copy(kernel, k, value, use)
        if use is None and hasattr(value, "__cuda_array_interface__"):
            return _interface.as_cuda_array(value)
        if isinstance(value, (numpy.generic, int, float, complex, bytes)) or value is None:
            return value
        return kernel.refuse(k, type(value).__name__)

    def _copy(self, kernel: Any, k: int, array: Any, use: Any) -> Any:
        if records.is_structured(array):
            if array.size == 1 and not kernel.takes_address(k):
                return array
            return self._copy_as_bytes(kernel, k, array, use)
        return self._shared(kernel, k, array, array, use)

    def _shared(self, kernel: Any, k: int, array: Any, seen: Any, use: Any) -> Any:
        """The copy of what is seen of an array."""
        known = self._copies.get(id(array))
        if known is None:
            known = self._copies[id(array)] = self._operand(seen, use)
        is_written = use.copies_out if use is not None else kernel.writes(k)
        if is_written and array.flags.writeable and all(operand is not known for _, operand in self._back):
            self._back.append((seen, known))
        return known

    def _copy_as_bytes(self, kernel: Any, k: int, array: Any, use: Any) -> Any:
        """An array of structures is the memory that it is."""
        if not array.flags.c_contiguous:
            kernel.refuse(k, "an array of structures with gaps between its rows")
        seen = array.reshape(-1).view(numpy.uint8)
        return _core.sources.Memory(self._shared(kernel, k, array, seen, use))

    def _operand(self, array: Any, use: Any) -> Any:
        from tessera import numpy as tessera_numpy

        if use is not None and not use.copies_in:
            return tessera_numpy.empty(array.shape, dtype=array.dtype)
        if self._stream is not None and in_one_piece(array):
            return self._stream.copy_in(array.shape, array.dtype, array)
        return tessera_numpy.array(array, order="C")
