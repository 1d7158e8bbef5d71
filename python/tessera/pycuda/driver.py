"""PyCUDA's driver: devices, memory, streams, events, arguments of launches."""

from __future__ import annotations

import enum
from typing import Any

from tessera import _core
from tessera.cuda import _attributes, _devices, _interface, _streams
from tessera.pycuda import _errors
from tessera.pycuda._errors import CompileError, Error, LaunchError, LogicError, MemoryError, RuntimeError
from tessera.pycuda._function import Function
from tessera.pycuda._memory import (
    DeviceAllocation,
    RegisteredHostMemory,
    from_device,
    from_device_like,
    managed_empty,
    managed_zeros,
    mem_alloc,
    mem_alloc_like,
    mem_alloc_pitch,
    memcpy_dtod,
    memcpy_dtod_async,
    memcpy_dtoh,
    memcpy_dtoh_async,
    memcpy_htod,
    memcpy_htod_async,
    memset_d8,
    memset_d8_async,
    memset_d16,
    memset_d16_async,
    memset_d32,
    memset_d32_async,
    pagelocked_empty,
    pagelocked_empty_like,
    pagelocked_zeros,
    pagelocked_zeros_like,
    register_host_memory,
    to_device,
)

__all__ = [
    "CompileError",
    "Context",
    "Device",
    "DeviceAllocation",
    "Error",
    "Event",
    "Function",
    "In",
    "InOut",
    "LaunchError",
    "LogicError",
    "MemoryError",
    "Out",
    "PointerHolderBase",
    "RegisteredHostMemory",
    "RuntimeError",
    "Stream",
    "ctx_flags",
    "device_attribute",
    "event_flags",
    "from_device",
    "from_device_like",
    "func_cache",
    "function_attribute",
    "get_driver_version",
    "get_version",
    "host_alloc_flags",
    "init",
    "limit",
    "managed_empty",
    "managed_zeros",
    "mem_alloc",
    "mem_alloc_like",
    "mem_alloc_pitch",
    "mem_attach_flags",
    "mem_get_info",
    "mem_host_register_flags",
    "memcpy_dtod",
    "memcpy_dtod_async",
    "memcpy_dtoh",
    "memcpy_dtoh_async",
    "memcpy_htod",
    "memcpy_htod_async",
    "memset_d16",
    "memset_d16_async",
    "memset_d32",
    "memset_d32_async",
    "memset_d8",
    "memset_d8_async",
    "pagelocked_empty",
    "pagelocked_empty_like",
    "pagelocked_zeros",
    "pagelocked_zeros_like",
    "register_host_memory",
    "start_profiler",
    "stop_profiler",
    "to_device",
]


class host_alloc_flags(enum.IntFlag):
    """All pinned memory is portable; mapped and write-combined memory is pinned memory here."""

    PORTABLE = 1
    DEVICEMAP = 2
    WRITECOMBINED = 4


class mem_host_register_flags(enum.IntFlag):
    PORTABLE = 1
    DEVICEMAP = 2


class mem_attach_flags(enum.IntFlag):
    GLOBAL = 1
    HOST = 2
    SINGLE = 4


class event_flags(enum.IntFlag):
    DEFAULT = 0
    BLOCKING_SYNC = 1
    DISABLE_TIMING = 2
    INTERPROCESS = 4


class ctx_flags(enum.IntFlag):
    SCHED_AUTO = 0
    SCHED_SPIN = 1
    SCHED_YIELD = 2
    SCHED_BLOCKING_SYNC = 4
    MAP_HOST = 8
    LMEM_RESIZE_TO_MAX = 16


class func_cache(enum.IntEnum):
    PREFER_NONE = 0
    PREFER_SHARED = 1
    PREFER_L1 = 2
    PREFER_EQUAL = 3


class function_attribute(enum.IntEnum):
    MAX_THREADS_PER_BLOCK = 0
    SHARED_SIZE_BYTES = 1
    CONST_SIZE_BYTES = 2
    LOCAL_SIZE_BYTES = 3
    NUM_REGS = 4
    PTX_VERSION = 5
    BINARY_VERSION = 6
    CACHE_MODE_CA = 7
    MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
    PREFERRED_SHARED_MEMORY_CARVEOUT = 9


device_attribute = enum.IntEnum("device_attribute", _attributes.NUMBERS)  # type: ignore[misc]


class limit(enum.IntEnum):
    """What kernels take of a device's memory: each thread's stack, the buffer of printf, the heap of malloc."""

    STACK_SIZE = 0
    PRINTF_FIFO_SIZE = 1
    MALLOC_HEAP_SIZE = 2


class In(_interface.In):
    """An array that the kernel only reads: nothing is copied back."""


class Out(_interface.Out):
    """An array that the kernel only writes: nothing is copied in."""


class InOut(_interface.InOut):
    """An array that is copied in and back."""


class PointerHolderBase:
    """Base of users' objects that stand for an address, which `get_pointer` gives."""

    def get_pointer(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} gives no address: define get_pointer")

    def __int__(self) -> int:
        return int(self.get_pointer())

    __index__ = __int__

    def _kernel_argument(self) -> int:
        return int(self)


class Stream:
    """A queue of work beside others; `handle` is the driver's."""

    def __init__(self, flags: int = 0, priority: int = 0) -> None:
        if flags not in (0, 1) or priority != 0:
            raise NotImplementedError(
                f"Stream(flags={flags}, priority={priority}): streams have no priorities; leave them out"
            )
        self._stream = _streams.stream()

    @property
    def handle(self) -> int:
        return self._stream.handle

    def synchronize(self) -> None:
        """Waits for the work so far."""
        with _errors.of_launches():
            self._stream.synchronize()

    def is_done(self) -> bool:
        """Whether the work so far is done."""
        event = Event()
        event.record(self)
        return event.query()

    def wait_for_event(self, event: Event) -> None:
        """The next work waits for the event."""
        event._event.wait(self._stream)


class Event:
    """A point in a stream's work."""

    def __init__(self, flags: int = 0) -> None:
        self._event = _streams.event(timing=not flags & event_flags.DISABLE_TIMING)

    def record(self, stream: Any = None) -> Event:
        self._event.record(getattr(stream, "_stream", stream))
        return self

    def synchronize(self) -> Event:
        """Waits for the work before the event."""
        with _errors.of_launches():
            self._event.synchronize()
        return self

    def query(self) -> bool:
        return self._event.query()

    def time_since(self, event: Event) -> float:
        """Milliseconds since an earlier event."""
        return _streams.event_elapsed_time(event._event, self._event)

    def time_till(self, event: Event) -> float:
        """Milliseconds until a later event."""
        return _streams.event_elapsed_time(self._event, event._event)


class Device:
    """A GPU by its number; without one, the cores stand as device 0."""

    def __init__(self, number: int | str = 0) -> None:
        devices = _devices.gpus
        if not isinstance(number, int) or not 0 <= number < len(devices):
            raise LogicError(f"Device({number!r}): there are {len(devices)}")
        self._number = number
        self._device = devices[number]

    @staticmethod
    def count() -> int:
        return len(_devices.gpus)

    def name(self) -> str:
        return self._device.name

    def compute_capability(self) -> tuple[int, int]:
        return self._device.compute_capability

    def total_memory(self) -> int:
        """Bytes of its memory."""
        return _devices.Context(self._device._device).get_memory_info().total

    def get_attribute(self, attribute: int) -> int:
        name = device_attribute(attribute).name
        value = self._device.attribute(name)
        if value is None:
            raise LogicError(f"{name} is not known of {self.name()}")
        return value

    def get_attributes(self) -> dict[Any, int]:
        """Those that are known of the device."""
        values = {attribute: self._device.attribute(attribute.name) for attribute in device_attribute}
        return {attribute: value for attribute, value in values.items() if value is not None}

    def __getattr__(self, name: str) -> int:
        if name.startswith("_") or name.upper() not in device_attribute.__members__:
            raise AttributeError(f"devices have no attribute {name!r}")
        return self.get_attribute(device_attribute[name.upper()])

    def make_context(self, flags: int = 0) -> Context:
        """The device's one context, which other libraries of the process share."""
        context = Context(self)
        context.push()
        return context

    retain_primary_context = make_context

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self._number == other._number

    def __hash__(self) -> int:
        return hash(self._number)


class Context:
    """What a thread's work runs in: the device's primary context. Nothing is left to detach."""

    _current: Context | None = None

    def __init__(self, device: Device) -> None:
        self._device = device

    def push(self) -> None:
        """Makes the device this thread's."""
        Context._current = self
        if self._device._device._facts:
            self._device._device.__enter__()

    @staticmethod
    def pop() -> None:
        """The device stays this thread's until another context is pushed."""
        Context._current = None

    def detach(self) -> None:
        """Waits for the work; memory goes with its last reference."""
        _core.synchronize()

    @staticmethod
    def get_current() -> Context | None:
        return Context._current

    @staticmethod
    def get_device() -> Device:
        return Context._current._device if Context._current is not None else Device(0)

    @staticmethod
    def synchronize() -> None:
        """Waits for all work."""
        with _errors.of_launches():
            _core.synchronize()

    @staticmethod
    def get_limit(which: int) -> int:
        """Bytes of what kernels take of the device's memory."""
        return _core.device_limit(_device_of_limits(), limit(which))

    @staticmethod
    def set_limit(which: int, value: int) -> None:
        """Sets it for the kernels to come."""
        with _errors.of_launches():
            _core.set_device_limit(_device_of_limits(), limit(which), int(value))

    @staticmethod
    def set_cache_config(config: int) -> None:
        raise NotImplementedError("Context.set_cache_config: set it for each function")


def _device_of_limits() -> str:
    where = _core.sources.device()
    if where == "cpu":
        raise LogicError("limits are a GPU's, and there is none here")
    return where


def init(flags: int = 0) -> None:
    """Nothing is to be done before the first use."""


def get_version() -> tuple[int, int, int]:
    """CUDA's version that the driver has; 13.0 where there is none."""
    version = next((entry.get("driver_version", 0) for entry in _core.devices()), 0) or 13000
    return version // 1000, version % 1000 // 10, 0


def get_driver_version() -> int:
    major, minor, _ = get_version()
    return 1000 * major + 10 * minor


def mem_get_info() -> tuple[int, int]:
    """Free and total bytes."""
    info = _devices.current_context().get_memory_info()
    return info.free, info.total


def start_profiler() -> None:
    _core.set_collecting(True)


def stop_profiler() -> None:
    _core.set_collecting(False)
