"""A kernel of CUDA C++: `kernel(grid, block, arguments)` and `kernel[grid, block](*arguments)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tessera.cuda import _streams
from tessera.cuda.source.arguments import Prepared
from tessera.cuda.source.compiler import NEEDS_GPU
from tessera.errors import CudaSupportError

_LAUNCHED, _NEEDS_PREPARATION, _OTHER_DEVICE = range(3)

# What attributes are called here, and the driver's number.
ATTRIBUTES = {
    "max_threads_per_block": 0,
    "shared_size_bytes": 1,
    "const_size_bytes": 2,
    "local_size_bytes": 3,
    "num_regs": 4,
    "ptx_version": 5,
    "binary_version": 6,
    "cache_mode_ca": 7,
    "max_dynamic_shared_size_bytes": 8,
    "preferred_shared_memory_carveout": 9,
}


class SourceKernel:
    """What `RawKernel` and `RawModule.get_function` launch. `find` gives the engine's kernel for the current device."""

    def __init__(self, name: str, find: Callable[[], Any], is_cooperative: bool = False) -> None:
        self._name = name
        self._find = find
        self._is_cooperative = is_cooperative
        self._found: Any = None
        self._set: dict[int, int] = {}  # attributes, for devices to come

    @property
    def name(self) -> str:
        return self._name

    __name__ = name

    def __call__(self, grid: Any, block: Any, args: Any, *, shared_mem: int = 0, stream: Any = None) -> None:
        """Launches the kernel on a grid of blocks; tuples of one to three integers, x first."""
        if stream is None and _streams.is_any_in_use:
            stream = _streams.current_stream()
        found = self._found or self._refresh()
        if found.launch(grid, block, args, shared_mem, stream, self._is_cooperative) != _LAUNCHED:
            self._launch_otherwise(grid, block, tuple(args), shared_mem, stream)

    def __getitem__(self, configuration: Any) -> Callable[..., None]:
        """`kernel[grid, block]`, `kernel[grid, block, shared_mem]` or, as in Numba, `kernel[grid, block, stream, shared_mem]`."""
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise ValueError(f"{self._name}[...] takes a grid, a block and optionally shared memory or a stream")
        grid, block, *rest = configuration
        stream, shared_mem = None, 0
        if len(rest) == 2:
            stream, shared_mem = rest
        elif rest:
            stream, shared_mem = (None, rest[0]) if isinstance(rest[0], int) else (rest[0], 0)
        return lambda *args: self(grid, block, args, shared_mem=shared_mem, stream=stream)

    def _refresh(self) -> Any:
        self._found = self._find()
        for number, value in self._set.items():
            self._found.set_attribute(number, value)
        return self._found

    def _launch_otherwise(self, grid: Any, block: Any, args: tuple[Any, ...], shared_mem: int, stream: Any) -> None:
        found = self._refresh()
        if not found.is_loaded:
            prepared = Prepared(found, args, None)
            found.check(prepared.arguments)
            raise CudaSupportError(f"{self._name}: {NEEDS_GPU}")
        prepared = Prepared(found, args, stream)
        found.launch(grid, block, prepared.arguments, shared_mem, stream, self._is_cooperative)
        prepared.finish()

    @property
    def attributes(self) -> dict[str, int]:
        """What the driver knows of the kernel."""
        found = self._found or self._refresh()
        return {name: found.attribute(number) for name, number in ATTRIBUTES.items()}

    def compile(self, log_stream: Any = None) -> None:
        """Compiles and loads the kernel now; warnings go to the stream."""
        self._refresh()

    def _attribute(self, name: str) -> int:
        return (self._found or self._refresh()).attribute(ATTRIBUTES[name])

    def _set_attribute(self, name: str, value: int) -> None:
        found = self._found or self._refresh()
        found.set_attribute(ATTRIBUTES[name], int(value))
        self._set[ATTRIBUTES[name]] = int(value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._name}>"


def _attribute(name: str, is_settable: bool = False) -> property:
    def get(self: SourceKernel) -> int:
        return self._attribute(name)

    def put(self: SourceKernel, value: int) -> None:
        self._set_attribute(name, value)

    return property(get, put if is_settable else None)


for _name in ATTRIBUTES:
    setattr(SourceKernel, _name, _attribute(_name, ATTRIBUTES[_name] >= 8))
