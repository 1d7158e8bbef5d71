"""Devices and contexts under numba.cuda's names; without a GPU the cores stand as device 0."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import tessera
from tessera import _core
from tessera.cuda import _attributes
from tessera.errors import CudaSupportError

# CUDA's limits, which are the same for all GPUs that kernels are compiled for, and hold on the cores, too.
_LIMITS = {
    "MAX_THREADS_PER_BLOCK": 1024,
    "MAX_BLOCK_DIM_X": 1024,
    "MAX_BLOCK_DIM_Y": 1024,
    "MAX_BLOCK_DIM_Z": 64,
    "MAX_GRID_DIM_X": 2**31 - 1,
    "MAX_GRID_DIM_Y": 65535,
    "MAX_GRID_DIM_Z": 65535,
    "MAX_SHARED_MEMORY_PER_BLOCK": 49152,
    "WARP_SIZE": 32,
}

_SHARED_BYTES_ON_HOST = 232448  # what the GPUs with the most allow


class MemoryInfo(NamedTuple):
    """Bytes of a device's memory."""

    free: int
    total: int


class Device:
    """A GPU, or the cores where there is none."""

    def __init__(self, number: int, facts: dict[str, Any] | None) -> None:
        self.id = number
        self._blocks: list[Any] = []
        self._facts = facts
        self.name = facts["name"] if facts else "host"
        self.compute_capability = divmod(facts["capability"], 10) if facts else (0, 0)
        self.MULTIPROCESSOR_COUNT = facts["multiprocessors"] if facts else _core.cpus()
        self.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = facts["shared_bytes"] if facts else _SHARED_BYTES_ON_HOST
        for name, limit in _LIMITS.items():
            setattr(self, name, limit)

    def __enter__(self) -> Device:
        """Makes it the device of the block's work."""
        block = tessera.device(_where(self)) if self._facts else contextlib.nullcontext()
        block.__enter__()
        self._blocks.append(block)
        return self

    def __exit__(self, *error: Any) -> None:
        self._blocks.pop().__exit__(*error)

    def use(self) -> None:
        """Makes it this thread's device."""
        if self._facts:
            _core.set_device(_where(self))

    def synchronize(self) -> None:
        """Waits for all work."""
        _core.synchronize()

    def attribute(self, name: str) -> int | None:
        """An attribute by the driver's name; None where it is not known."""
        if name in ("COMPUTE_CAPABILITY_MAJOR", "COMPUTE_CAPABILITY_MINOR"):
            return self.compute_capability[name.endswith("MINOR")]
        known = getattr(self, name, None)
        if known is not None or not self._facts:
            return known
        return _core.device_attribute(_where(self), _attributes.NUMBERS[name])

    @property
    def attributes(self) -> dict[str, int]:
        """CUDA's attributes under CuPy's names, those that are known of the device."""
        known = {_attributes.cupys_name(name): self.attribute(name) for name in _attributes.NUMBERS}
        return {name: value for name, value in known.items() if value is not None}

    def __repr__(self) -> str:
        return f"<CUDA device {self.id} '{self.name}'>"


class Context:
    """What belongs to a device: its memory."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def get_memory_info(self) -> MemoryInfo:
        """Free and total bytes; what other processes hold on a GPU counts as free."""
        if self.device._facts:
            total = self.device._facts["memory"]
            used = _core.memory_statistics(f"gpu:{self.device.id}")["bytes_in_use"]
            return MemoryInfo(total - used, total)
        page = os.sysconf("SC_PAGE_SIZE")
        return MemoryInfo(page * os.sysconf("SC_AVPHYS_PAGES"), page * os.sysconf("SC_PHYS_PAGES"))

    def synchronize(self) -> None:
        """Waits for all work."""
        _core.synchronize()

    def reset(self) -> None:
        """Waits for all work and gives pooled memory back; arrays stay as they are."""
        _core.synchronize()
        _core.trim_memory()

    @property
    def memory_manager(self) -> Context:
        """What keeps freed memory: the context itself."""
        return self

    def memalloc(self, bytesize: int) -> Any:
        """New memory without a type."""
        from tessera.cuda import _arrays, _memory

        return _memory.memory_of(_arrays.device_array(bytesize, "uint8"), self)

    def memhostalloc(self, bytesize: int, mapped: bool = False, portable: bool = False, wc: bool = False) -> Any:
        """New pinned memory of the host, as a NumPy array of bytes that a device reaches, too."""
        from tessera.cuda import _memory

        return _memory.allocate_on_host(bytesize).view(_memory.HostMemory)

    def memallocmanaged(self, bytesize: int, attach_global: bool = True) -> Any:
        """New memory that host and device reach: as memhostalloc."""
        return self.memhostalloc(bytesize)

    def mempin(self, owner: Any, pointer: int, size: int, mapped: bool = False) -> Any:
        """The bytes at an address, pinned as long as the result lives, which keeps the owner."""
        from tessera.cuda import _memory

        return _memory.pin(owner, pointer, size)

    @property
    def deallocations(self) -> _Deallocations:
        """Freed memory that is kept for the next arrays; clear() gives it back."""
        return _Deallocations()

    def push(self) -> None:
        """Makes the device this thread's."""
        if self.device._facts:
            _core.set_device(_where(self.device))

    def pop(self) -> None:
        """Contexts are not stacked: the device stays this thread's. `with cuda.gpus[n]:` gives it back."""

    def get_ipc_handle(self, memory: Any) -> Any:
        raise NotImplementedError(
            "get_ipc_handle: memory is not shared between processes by handles; use multiprocessing.shared_memory, or DLPack within one"
        )

    open_ipc_handle = get_ipc_handle


class _Deallocations:
    def clear(self) -> None:
        """Gives pooled memory back to the device and the system."""
        _core.trim_memory()


class ManagedDevice:
    """A device of cuda.gpus; `with` selects it."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    def __enter__(self) -> ManagedDevice:
        self._device.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._device.__exit__(*error)

    def __repr__(self) -> str:
        return f"<Managed Device {self._device.id}>"


class _Devices:
    """cuda.gpus: the devices, opened when they are first asked for.

    Examples
    --------
    >>> from tessera import cuda
    >>> devices = list(cuda.gpus)
    """

    def __init__(self) -> None:
        self._known: list[ManagedDevice] | None = None

    @property
    def lst(self) -> list[ManagedDevice]:
        if self._known is None:
            found = [] if _core.device() == "cpu" else [facts for facts in _core.devices() if "problem" not in facts]
            self._known = [ManagedDevice(Device(number, facts)) for number, facts in enumerate(found or [None])]
        return self._known

    def __getitem__(self, number: int) -> ManagedDevice:
        return self.lst[number]

    def __len__(self) -> int:
        return len(self.lst)

    def __iter__(self) -> Iterator[ManagedDevice]:
        return iter(self.lst)

    def __str__(self) -> str:
        return ", ".join(map(repr, self.lst))

    __repr__ = __str__

    @property
    def current(self) -> ManagedDevice:
        where = _core.device()
        return self.lst[int(where[4:])] if where.startswith("gpu:") and len(self) > int(where[4:]) else self.lst[0]


gpus = _Devices()


def _where(device: Device) -> str:
    return f"gpu:{device.id}"


def select_device(device_id: int) -> Context:
    """Makes the device this thread's.

    Examples
    --------
    >>> from tessera import cuda
    >>> device = cuda.select_device(0)
    """
    if not 0 <= device_id < len(gpus):
        raise CudaSupportError(f"cuda.select_device: no device {device_id}; there are {len(gpus)}")
    device = gpus[device_id]._device
    if device._facts:
        _core.set_device(_where(device))
    return Context(device)


def get_current_device() -> Device:
    """The device on which this thread's kernels run.

    Examples
    --------
    >>> from tessera import cuda
    >>> cuda.get_current_device().id
    0
    """
    return gpus.current._device


def find_device(device: int | None = None) -> Device:
    """The device of this number, or of this thread's kernels; CuPy's `Device`.

    Examples
    --------
    >>> from tessera import cuda
    >>> device = cuda.Device()
    """
    return get_current_device() if device is None else gpus[device]._device


def current_context(devnum: int | None = None) -> Context:
    """The context of the device on which this thread's kernels run, or of another.

    Examples
    --------
    >>> from tessera import cuda
    >>> context = cuda.current_context()
    """
    return Context(get_current_device() if devnum is None else gpus[devnum]._device)


def detect() -> bool:
    """Prints the devices; whether there is a GPU.

    Examples
    --------
    >>> from tessera import cuda
    >>> has_gpu = cuda.detect()  # doctest: +ELLIPSIS
    Found 0 CUDA devices
    """
    found = [managed._device for managed in gpus if managed._device._facts]
    print(f"Found {len(found)} CUDA devices")
    for device in found:
        print(f"id {device.id}    {device.name}    compute capability: {device.compute_capability}")
    return bool(found)


def close() -> None:
    """Waits for all work; devices stay open until the process ends.

    Examples
    --------
    >>> from tessera import cuda
    >>> cuda.close()
    """
    _core.synchronize()


@contextlib.contextmanager
def defer_cleanup() -> Iterator[None]:
    """Nothing is cleaned up at inconvenient times: freed memory goes to a pool.

    Examples
    --------
    >>> from tessera import cuda
    >>> with cuda.defer_cleanup():
    ...     pass
    """
    yield


def list_devices() -> Any:
    """The devices, as cuda.gpus has them.

    Examples
    --------
    >>> from tessera import cuda
    >>> len(cuda.list_devices()) >= 0
    True
    """
    return gpus


def require_context(function: Any) -> Any:
    """A decorator of numba.cuda: the context is there whenever it is needed, so that the function stays as it is.

    Examples
    --------
    >>> from tessera import cuda
    >>> @cuda.require_context
    ... def work():
    ...     return 1
    >>> work()
    1
    """
    return function


def cuda_error() -> str | None:
    """Why a GPU that is here cannot be used; None where one can, and where the cores stand for it.

    Examples
    --------
    >>> from tessera import cuda
    >>> error = cuda.cuda_error()  # None where a GPU can be used
    """
    return next((facts["problem"] for facts in _core.devices() if "problem" in facts), None)


def is_supported_version() -> bool:
    """Whether the driver's version is one that kernels run on; the cores need none.

    Examples
    --------
    >>> from tessera import cuda
    >>> supported = cuda.is_supported_version()
    """
    return gpus[0]._facts is None or not _core.device_problem()


def is_float16_supported() -> bool:
    """Whether kernels compute with float16: everywhere.

    Examples
    --------
    >>> from tessera import cuda
    >>> cuda.is_float16_supported()
    True
    """
    return True


def is_bfloat16_supported() -> bool:
    """Whether kernels compute with bfloat16: everywhere, in float32 and rounded.

    Examples
    --------
    >>> from tessera import cuda
    >>> cuda.is_bfloat16_supported()
    True
    """
    return True
