"""DeviceData and OccupancyRecord: how many blocks of a kernel fit a multiprocessor."""

from __future__ import annotations

from typing import Any

# How the hardware hands out registers, to each warp and in fours of warps, and shared memory.
_REGISTERS_A_WARP = 256
_WARPS_TOGETHER = 4
_SHARED_BYTES = 128
_MOST_REGISTERS_A_THREAD = 255


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


class DeviceData:
    """What a device's multiprocessor has."""

    def __init__(self, dev: Any = None) -> None:
        from tessera.pycuda import driver

        device = driver.Context.get_device() if dev is None else dev
        ask, names = device.get_attribute, driver.device_attribute
        self.max_threads = ask(names.MAX_THREADS_PER_BLOCK)
        self.warp_size = ask(names.WARP_SIZE)
        self.warps_per_mp = ask(names.MAX_THREADS_PER_MULTIPROCESSOR) // self.warp_size
        self.thread_blocks_per_mp = ask(names.MAX_BLOCKS_PER_MULTIPROCESSOR)
        self.registers = ask(names.MAX_REGISTERS_PER_MULTIPROCESSOR)
        self.shared_memory = ask(names.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
        self.reserved_shared_memory = ask(names.RESERVED_SHARED_MEMORY_PER_BLOCK)
        self.smem_alloc_granularity, self.smem_granularity = _SHARED_BYTES, 32
        self.register_allocation_unit = "warp"

    def align_bytes(self, word_size: int = 4) -> int:
        """Bytes that a warp's loads of such words begin at multiples of."""
        if word_size not in (4, 8, 16):
            raise ValueError(f"words have 4, 8 or 16 bytes, not {word_size}")
        return 64 if word_size == 4 else 128

    def align(self, bytes: int, word_size: int = 4) -> int:
        return _up(bytes, self.align_bytes(word_size))

    def align_words(self, word_size: int) -> int:
        return self.align_bytes(word_size) // word_size

    def align_dtype(self, elements: int, dtype_size: int) -> int:
        return _up(elements, self.align_words(dtype_size))

    def coalesce(self, thread_count: int) -> int:
        return _up(thread_count, 16)


class OccupancyRecord:
    """`tb_per_mp` blocks of so many threads fit a multiprocessor; `limited_by` is device, warps, regs or smem."""

    def __init__(self, devdata: DeviceData, threads: int, shared_mem: int = 0, registers: int = 0) -> None:
        if not 0 < threads <= devdata.max_threads:
            raise ValueError(f"a block has 1 to {devdata.max_threads} threads, not {threads}")
        if registers > _MOST_REGISTERS_A_THREAD:
            raise ValueError(f"a thread has {_MOST_REGISTERS_A_THREAD} registers at most, not {registers}")
        warps = _up(threads, devdata.warp_size) // devdata.warp_size
        self.tb_per_mp_limits = [
            (devdata.thread_blocks_per_mp, "device"),
            (devdata.warps_per_mp // warps, "warps"),
        ]
        if registers > 0:
            fitting = devdata.registers // _up(registers * devdata.warp_size, _REGISTERS_A_WARP)
            fitting = fitting // _WARPS_TOGETHER * _WARPS_TOGETHER
            if fitting < warps:
                raise ValueError(f"{threads} threads of {registers} registers do not fit a multiprocessor")
            self.tb_per_mp_limits.append((fitting // warps, "regs"))
        if shared_mem > 0:
            wanted = _up(shared_mem + devdata.reserved_shared_memory, _SHARED_BYTES)
            if wanted > devdata.shared_memory:
                raise ValueError(f"{shared_mem} bytes of shared memory; a multiprocessor has {devdata.shared_memory}")
            self.tb_per_mp_limits.append((devdata.shared_memory // wanted, "smem"))
        self.tb_per_mp, self.limited_by = min(self.tb_per_mp_limits)
        self.warps_per_mp = self.tb_per_mp * warps
        self.occupancy = self.warps_per_mp / devdata.warps_per_mp
