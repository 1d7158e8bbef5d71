"""Function: a kernel called as PyCUDA's are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tessera.cuda import _streams
from tessera.cuda.source.kernel import ATTRIBUTES
from tessera.pycuda import _errors


def _stream(stream: Any) -> Any:
    return None if stream is None or stream == 0 else getattr(stream, "_stream", stream)


class Function:
    """`function(*arguments, block=(256, 1, 1), grid=(64, 1))`."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._types: tuple[Any, ...] = ()
        self._shared = 0

    @property
    def name(self) -> str:
        return self._kernel.name

    def __call__(
        self,
        *args: Any,
        block: Any = None,
        grid: Any = (1, 1),
        shared: int = 0,
        stream: Any = None,
        texrefs: Any = (),
        time_kernel: bool = False,
    ) -> float | None:
        """Launches the kernel. With time_kernel=True it waits, and returns seconds."""
        if block is None:
            raise _errors.LogicError(f"{self.name}: a launch needs block=, such as (256, 1, 1)")
        if texrefs:
            raise NotImplementedError(f"{self.name}: there are no textures here: read the array through a pointer")
        return self._launch(grid, block, args, shared, stream, time_kernel)

    def _launch(
        self, grid: Any, block: Any, args: tuple[Any, ...], shared: int, stream: Any, is_timed: bool = False
    ) -> float | None:
        with _errors.of_launches():
            if not is_timed:
                self._kernel(grid, block, args, shared_mem=shared, stream=_stream(stream))
                return None
            start, end = _streams.event(), _streams.event()
            start.record(_stream(stream))
            self._kernel(grid, block, args, shared_mem=shared, stream=_stream(stream))
            end.record(_stream(stream))
            end.synchronize()
            return _streams.event_elapsed_time(start, end) * 1e-3

    def prepare(self, arg_types: Any, shared: int | None = None, texrefs: Any = ()) -> Function:
        """States the arguments' types for prepared calls: a string or a list of struct's letters and NumPy's types."""
        if shared is not None:
            self._shared = shared
        self._types = tuple(_type_of(kind) for kind in arg_types)
        return self

    def _converted(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(args) != len(self._types):
            raise _errors.LogicError(f"{self.name}: prepared for {len(self._types)} arguments; {len(args)} are given")
        return tuple(
            arg if kind is None or hasattr(arg, "dtype") and getattr(arg, "ndim", 0) else kind(arg)
            for kind, arg in zip(self._types, args)
        )

    def prepared_call(self, grid: Any, block: Any, *args: Any, shared_size: int | None = None) -> None:
        """Launches with arguments of the prepared types."""
        self._launch(grid, block, self._converted(args), self._shared if shared_size is None else shared_size, None)

    def prepared_async_call(
        self, grid: Any, block: Any, stream: Any, *args: Any, shared_size: int | None = None
    ) -> None:
        """The same on a stream."""
        shared = self._shared if shared_size is None else shared_size
        self._launch(grid, block, self._converted(args), shared, stream)

    def prepared_timed_call(
        self, grid: Any, block: Any, *args: Any, shared_size: int | None = None
    ) -> Callable[[], float]:
        """Launches, and returns a function that waits and returns seconds."""
        start, end = _streams.event(), _streams.event()
        start.record()
        self.prepared_call(grid, block, *args, shared_size=shared_size)
        end.record()

        def seconds() -> float:
            end.synchronize()
            return _streams.event_elapsed_time(start, end) * 1e-3

        return seconds

    def get_attribute(self, attribute: int) -> int:
        """An attribute by the driver's number."""
        return self._kernel._attribute(next(name for name, number in ATTRIBUTES.items() if number == attribute))

    def set_attribute(self, attribute: int, value: int) -> None:
        """Sets one of those that can be set."""
        self._kernel._set_attribute(next(name for name, number in ATTRIBUTES.items() if number == attribute), value)

    def set_cache_config(self, config: int) -> None:
        """Prefers shared memory (1), the cache (2) or neither (0, 3), as a carve-out."""
        carveout = {0: -1, 1: 100, 2: 0, 3: 50}
        self._kernel.preferred_shared_memory_carveout = carveout[int(config)]

    def __getattr__(self, name: str) -> Any:
        if name in ATTRIBUTES:
            return self._kernel._attribute(name)
        raise AttributeError(f"kernels have no attribute {name!r}")


def _type_of(kind: Any) -> Any:
    """None for pointers and structures, which are passed as they are."""
    if isinstance(kind, str) and kind == "P" or kind is numpy.intp:
        return None
    letters = {"i": "int32", "I": "uint32", "l": "int64", "L": "uint64", "q": "int64", "Q": "uint64", "f": "float32", "d": "float64",
               "h": "int16", "H": "uint16", "b": "int8", "B": "uint8", "F": "complex64", "D": "complex128"}  # fmt: skip
    dtype = numpy.dtype(letters.get(kind, kind) if isinstance(kind, str) else kind)
    return None if dtype.names else dtype.type
