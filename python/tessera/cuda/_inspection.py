"""What became of a kernel: its code as text, and what it takes of a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tessera import _core
from tessera.cuda import _assembler, _devices
from tessera.functions import signatures

_MOST_THREADS = 1024
# Attributes of a kernel, by the numbers of CUDA's driver.
_LOCAL_BYTES, _REGISTERS = 3, 4


def capability_of(cc: Any) -> int:
    """80 for (8, 0); without one that of the device, or 80 without a GPU."""
    if cc is None:
        cc = _devices.get_current_device().compute_capability
        if cc == (0, 0):
            return 80
    major, minor = cc
    return 10 * int(major) + int(minor)


class Inspection:
    """Methods of kernels. A signature selects one version of the kernel; without one they return a dict of all, by the tuple
    of types; the sizes of a kernel that is compiled for one list of types are numbers."""

    _specialised: dict[tuple[Any, ...], Any]
    _is_specialized = False
    _options: dict[str, Any]
    __name__: str
    _kernel_function: Callable[[], Any]

    def _of_each(self, signature: Any, text_of: Callable[[Any], Any]) -> Any:
        if signature is None:
            return {kinds: text_of(compiled) for kinds, compiled in self._specialised.items()}
        kinds = signatures.parse(signature)
        if kinds not in self._specialised:
            raise KeyError(f"{self.__name__} has not been compiled for {_written(kinds)}")
        return text_of(self._specialised[kinds])

    @property
    def signatures(self) -> list[tuple[Any, ...]]:
        """The types of arguments for which the kernel has been compiled, as tuples of tessera.types."""
        return list(self._specialised)

    @property
    def overloads(self) -> dict[str, Any]:
        """The compiled kernels, by signature."""
        return dict(self._specialised)

    def inspect_ir(self, signature: Any = None) -> Any:
        """The kernel in tessera's IR."""
        return self._of_each(signature, lambda compiled: compiled.text)

    def inspect_asm(self, signature: Any = None, cc: Any = None) -> Any:
        """PTX for the device, or for a compute capability such as (9, 0), with contiguous arrays that share no memory."""
        capability = capability_of(cc)
        return self._of_each(signature, lambda compiled: compiled.ptx(capability, self._most_threads()))

    def _size_of_each(self, signature: Any, size_of: Callable[[Any], Any]) -> Any:
        """The same; a number for a kernel that is compiled for one list of types."""
        if signature is None and self._is_specialized and len(self._specialised) == 1:
            return size_of(*self._specialised.values())
        return self._of_each(signature, size_of)

    def _most_threads(self) -> int:
        bounds = self._options.get("launch_bounds")
        return _MOST_THREADS if bounds is None else bounds[0] if isinstance(bounds, tuple) else bounds

    def inspect_llvm(self, signature: Any = None) -> Any:
        """LLVM IR of the code for the cores, with contiguous arrays."""
        return self._of_each(signature, lambda compiled: compiled.llvm())

    def inspect_sass(self, signature: Any = None) -> Any:
        """The machine code for the device, or for compute capability 8.0 without one; ptxas and nvdisasm write it."""
        return self._of_each(signature, lambda compiled: _assembler.machine_code(self._ptx(compiled), "inspect_sass"))

    def inspect_types(self, file: Any = None, signature: Any = None, pretty: bool = False) -> None:
        """Prints the versions, or that of a signature: variables, and below each statement its expressions, with their types."""
        if pretty:
            raise NotImplementedError("inspect_types: pretty=True makes pages of HTML; pretty=False prints text")
        options = _core.kernels.CompileOptions()
        typed = {kinds: self._kernel_function().typed_text(kinds, None, options) for kinds in self._specialised}
        wanted = list(typed) if signature is None else [signatures.parse(signature)]
        for kinds in wanted:
            if kinds not in typed:
                raise KeyError(f"{self.__name__} has not been compiled for {_written(kinds)}")
            print(typed[kinds], file=file)

    def get_shared_mem_per_block(self, signature: Any = None) -> Any:
        """Bytes of the shared arrays whose shapes are constant."""
        return self._size_of_each(signature, lambda compiled: compiled.shared_bytes)

    def get_const_mem_size(self, signature: Any = None) -> Any:
        """Bytes of the arrays outside the kernel that it reads."""
        return self._size_of_each(signature, lambda compiled: compiled.constant_bytes)

    def get_max_threads_per_block(self, signature: Any = None) -> Any:
        """The most threads of a block: registers are allotted so that every block fits."""
        return self._size_of_each(signature, lambda compiled: self._most_threads())

    def get_regs_per_thread(self, signature: Any = None) -> Any:
        """Registers of a thread in the largest blocks; launches of smaller ones may allot more. Without a GPU those of compute
        capability 8.0, which ptxas counts."""
        return self._size_of_each(signature, self._registers)

    def get_local_mem_per_thread(self, signature: Any = None) -> Any:
        """Bytes of a thread's own memory: on a GPU what is not in registers, on the cores the arrays of each thread."""
        return self._size_of_each(signature, self._local_bytes)

    def _ptx(self, compiled: Any) -> str:
        return compiled.ptx(capability_of(None), self._most_threads())

    def _registers(self, compiled: Any) -> int:
        known = compiled.device_attribute(_REGISTERS, self._most_threads())
        return _assembler.usage(self._ptx(compiled), "get_regs_per_thread").registers if known is None else known

    def _local_bytes(self, compiled: Any) -> int:
        known = compiled.device_attribute(_LOCAL_BYTES, self._most_threads())
        return compiled.local_bytes if known is None else known


def _written(kinds: tuple[Any, ...]) -> str:
    return "void(" + ", ".join(map(signatures.write, kinds)) + ")"
