"""What the engine tells of itself: counters, memory, devices, processes."""

from __future__ import annotations

from typing import Any

from tessera import _core

__all__ = [
    "allow_tf32",
    "counters",
    "device_problem",
    "devices",
    "is_leader",
    "largest_arrays",
    "layout",
    "memory_statistics",
    "rank",
    "reset_counters",
    "set_memory_limit",
    "size",
    "trim_memory",
]


def allow_tf32(allow: bool) -> None:
    """Whether float32 products on a GPU may round their operands to TF32, of ten bits; off unless TESSERA_TF32=1 is set.

    Examples
    --------
    >>> import tessera
    >>> tessera.allow_tf32(False)
    """
    _core.allow_tf32(allow)


def counters() -> dict[str, int]:
    """What the engine did since the last reset, by name: windows, kernels, copies and their bytes.

    Operations on up to 1,024 elements that ran at once are not counted.

    Examples
    --------
    >>> import tessera
    >>> import tessera.numpy as np
    >>> tessera.reset_counters()
    >>> x = np.arange(100_000.0) * 2
    >>> float(x[-1])
    199998.0
    >>> tessera.counters()["windows"]
    1
    """
    return _core.counters()


def device_problem() -> str:
    """Why GPUs do less than they could, or why there are none; empty when all is well.

    Examples
    --------
    >>> import tessera
    >>> isinstance(tessera.device_problem(), str)
    True
    """
    return _core.device_problem()


def devices() -> list[dict[str, Any]]:
    """Facts about every GPU that can be used, a dict for each: name, capability, memory in bytes, ...; opens them.

    Examples
    --------
    >>> import tessera
    >>> all("memory" in gpu for gpu in tessera.devices())
    True
    """
    return _core.devices()


def is_leader() -> bool:
    """Whether this process is rank 0, which prints and writes files; True where there is one process.

    Examples
    --------
    >>> import tessera
    >>> tessera.is_leader()
    True
    """
    return _core.is_leader()


def largest_arrays(count: int = 10) -> list[dict[str, Any]]:
    """The largest arrays that live, but for those under 256 KiB: shape, dtype, nbytes, the place and the line that made them.

    Examples
    --------
    >>> import tessera
    >>> import tessera.numpy as np
    >>> x = np.ones((1000, 1000))
    >>> _ = x.sum()
    >>> tessera.largest_arrays(1)[0]["shape"]
    (1000, 1000)
    """
    return _core.largest_arrays(count)


def layout(array: Any) -> dict[str, int]:
    """Where an array's memory is valid: the bytes at each place, "cpu", "gpu:0", ...

    What is recorded to make it runs. Raises TypeError for what is not a tessera array.

    Examples
    --------
    >>> import tessera
    >>> import tessera.numpy as np
    >>> with tessera.device("cpu"):
    ...     x = np.ones(5000)
    >>> tessera.layout(x)
    {'cpu': 40000}
    """
    return _core.layout(array)


def memory_statistics(where: str = "cpu") -> dict[str, int]:
    """What a memory pool holds and handed out, in bytes: of the host, or of a device ("gpu", "gpu:1").

    Raises RuntimeError where there is no such device.

    Examples
    --------
    >>> import tessera
    >>> sorted(tessera.memory_statistics())
    ['allocations', 'bytes_cached', 'bytes_in_use', 'peak_bytes_in_use', 'reuses']
    """
    return _core.memory_statistics(where)


def rank() -> int:
    """The number of this process among those that run the program, from 0.

    Examples
    --------
    >>> import tessera
    >>> tessera.rank()
    0
    """
    return _core.rank()


def reset_counters() -> None:
    """Sets every counter to zero.

    Examples
    --------
    >>> import tessera
    >>> tessera.reset_counters()
    >>> tessera.counters()["windows"]
    0
    """
    _core.reset_counters()


def set_memory_limit(bytes: int, where: str = "cpu") -> None:
    """The most bytes a memory pool may hand out; 0 lifts the limit. What exceeds it raises MemoryError.

    Examples
    --------
    >>> import tessera
    >>> tessera.set_memory_limit(10**9)
    >>> tessera.set_memory_limit(0)
    """
    _core.set_memory_limit(bytes, where)


def size() -> int:
    """How many processes run the program.

    Examples
    --------
    >>> import tessera
    >>> tessera.size()
    1
    """
    return _core.size()


def trim_memory(where: str = "cpu") -> None:
    """Returns memory that a pool keeps for later to the system or the GPU's driver.

    Examples
    --------
    >>> import tessera
    >>> tessera.trim_memory()
    >>> tessera.memory_statistics()["bytes_cached"]
    0
    """
    _core.trim_memory(where)
