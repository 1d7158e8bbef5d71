"""Records for kernels: an array for each field. On a device they are views of one piece of memory, which is copied as it lies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tessera import _core
from tessera._numbers import is_number


class HostField(numpy.ndarray):
    """A field that kernels do not compute with, such as a string: it stays on the host."""

    def copy_to_host(self, ary: Any = None, stream: Any = 0) -> Any:
        """The elements as a NumPy array, a new one or `ary`."""
        if ary is None:
            return numpy.array(self)
        ary[...] = self
        return ary

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Stores the elements of `ary`."""
        self[...] = ary


class DeviceRecords:
    """Records for kernels: an array for each field, under the field's name. Indexing gives parts that share its memory."""

    def __init__(
        self, shape: tuple[int, ...], dtype: numpy.dtype[Any], fields: dict[str, Any], memory: Any = None
    ) -> None:
        self.dtype = dtype
        self.shape = shape
        self.fields = fields
        self._memory = memory  # the records' bytes, where the fields are views of them

    @classmethod
    def make(cls, shape: tuple[int, ...], dtype: numpy.dtype[Any], make_array: Callable[..., Any]) -> DeviceRecords:
        """New records, whose fields are not set."""
        size = int(numpy.prod(shape, dtype=int)) * dtype.itemsize
        if size and lies_evenly(dtype) and not _core.kernels.runs_on_host():
            memory = make_array((size,), numpy.uint8)
            steps = tuple(int(numpy.prod(shape[k:], dtype=int)) * dtype.itemsize for k in range(1, len(shape) + 1))
            return cls._over(memory, shape, steps, dtype, 0)
        fields = {name: _make_field(cls, shape, dtype[name], make_array) for name in dtype.names or ()}
        return cls(shape, dtype, fields)

    @classmethod
    def _over(
        cls, memory: Any, shape: tuple[int, ...], steps: tuple[int, ...], dtype: numpy.dtype[Any], begin: int
    ) -> DeviceRecords:
        """The records that lie in the memory from the byte `begin` on, `steps` bytes apart."""
        fields: dict[str, Any] = {}
        for name in dtype.names or ():
            of, at = dtype.fields[name][:2]
            element, inner = of.subdtype or (of, ())
            around = numpy.empty(inner, numpy.uint8).strides
            all_steps = (*steps, *(step * element.itemsize for step in around))
            if element.names:
                fields[name] = cls._over(memory, (*shape, *inner), all_steps, element, begin + at)
            else:
                fields[name] = _view(memory, (*shape, *inner), all_steps, element, begin + at)
        return cls(shape, dtype, fields, memory if begin == 0 else None)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(numpy.prod(self.shape, dtype=int))

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    alloc_size = nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        """Those of the records as copy_to_host() gives them."""
        steps = [self.dtype.itemsize]
        for extent in self.shape[:0:-1]:
            steps.append(steps[-1] * extent)
        return tuple(reversed(steps))[-self.ndim :] if self.ndim else ()

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return self.fields[index]
        shape = numpy.broadcast_to(numpy.uint8(), self.shape)[index].shape
        fields = {
            name: DeviceRecords(field.shape, field.dtype, field.fields)[index]
            if isinstance(field, DeviceRecords)
            else field[index]
            if shape or field.ndim > self.ndim
            else field[index, ...]
            for name, field in self.fields.items()
        }
        return DeviceRecords(shape, self.dtype, fields)

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, str):
            field = self.fields[index]
            if isinstance(field, DeviceRecords):
                field.copy_to_device(value)
            else:
                field[...] = value
        else:
            self[index].copy_to_device(value)

    def copy_to_host(self, ary: Any = None, stream: Any = 0) -> Any:
        """The records as a NumPy array, a new one or `ary`."""
        if ary is None:
            ary = numpy.zeros(self.shape, self.dtype)
        if self.lies_as(ary):
            self._memory.copy_to_host(_bytes_of(ary), stream=stream)
            return ary
        for name, field in self.fields.items():
            ary[name] = field.copy_to_host(stream=stream)
        return ary

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Stores the records of `ary`."""
        if self.lies_as(ary):
            self._memory.copy_to_device(_bytes_of(ary), stream=stream)
            return
        for name, field in self.fields.items():
            field.copy_to_device(ary[name], stream=stream)

    def copy_in(self, ary: Any, copies: Any) -> bool:
        """Stores records that lie as these by the engine's stream, or the engine itself; False if it cannot."""
        return bool(copies.copy_into(self._memory, _bytes_of(ary)))

    def copy_out(self, ary: Any, copies: Any) -> None:
        """The same to `ary`."""
        if not copies.copy_out(self._memory, _bytes_of(ary)):
            _bytes_of(ary)[...] = numpy.asarray(self._memory)

    def lies_as(self, ary: Any) -> bool:
        """Whether NumPy's records lie as these do in their memory."""
        if self._memory is None or not isinstance(ary, numpy.ndarray):
            return False
        alike = ary.dtype == self.dtype and ary.shape == self.shape
        return alike and ary.flags.c_contiguous and ary.flags.writeable and ary.size > 0

    def __repr__(self) -> str:
        return f"<{self.shape} records of {self.dtype} for kernels>"


def _make_field(records: Any, shape: tuple[int, ...], dtype: numpy.dtype[Any], make_array: Callable[..., Any]) -> Any:
    if dtype.subdtype is not None:
        dtype, inner = dtype.subdtype
        shape = (*shape, *inner)
    if dtype.names:
        return records.make(shape, dtype, make_array)
    return make_array(shape, dtype) if dtype.kind in "biufc" else numpy.zeros(shape, dtype).view(HostField)


def lies_evenly(dtype: numpy.dtype[Any], size: int | None = None) -> bool:
    """Whether all fields are numbers, whole numbers of their size from the begin of the records."""
    size = dtype.itemsize if size is None else size
    for name in dtype.names or ():
        of, at = dtype.fields[name][:2]
        element = of.base
        if element.names:
            # The records inside begin at any multiple of their own alignment.
            if not lies_evenly(element, size) or any(at % leaf for leaf in _sizes(element)):
                return False
        elif not is_number(element) or element.kind == "b" or at % element.itemsize or size % element.itemsize:
            return False  # bytes of booleans that are neither 0 nor 1 would stay what they are
    return True


def _sizes(dtype: numpy.dtype[Any]) -> set[int]:
    """Of the numbers in records."""
    found: set[int] = set()
    for name in dtype.names or ():
        element = dtype.fields[name][0].base
        found |= _sizes(element) if element.names else {element.itemsize}
    return found


def _view(memory: Any, shape: tuple[int, ...], steps: tuple[int, ...], dtype: numpy.dtype[Any], begin: int) -> Any:
    from tessera import numpy as tessera_numpy

    elements = memory.view(dtype)[begin // dtype.itemsize :]
    return tessera_numpy.lib.stride_tricks.as_strided(elements, shape, steps).view(type(memory))


def _bytes_of(array: numpy.ndarray) -> numpy.ndarray:
    return numpy.ndarray(array.nbytes, numpy.uint8, array.data)
