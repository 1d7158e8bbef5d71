"""Structured arrays for kernels: one array for each field."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy


class DeviceRecords:
    """A structured array for kernels: an array for each field, under the field's name."""

    def __init__(self, shape: tuple[int, ...], dtype: numpy.dtype[Any], make_array: Callable[..., Any]) -> None:
        self.dtype = dtype
        self.shape = shape
        self.fields = {name: _make_field(shape, dtype[name], make_array) for name in dtype.names or ()}

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(numpy.prod(self.shape, dtype=int))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, name: str) -> Any:
        if not isinstance(name, str):
            raise TypeError(
                "an array of records on the device has its fields, by name; copy_to_host() gives the records"
            )
        return self.fields[name]

    def copy_to_host(self, ary: Any = None, stream: Any = 0) -> Any:
        """The records as a NumPy array, a new one or `ary`."""
        if ary is None:
            ary = numpy.zeros(self.shape, self.dtype)
        for name, field in self.fields.items():
            ary[name] = field.copy_to_host(stream=stream)
        return ary

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Stores the records of `ary`."""
        for name, field in self.fields.items():
            field.copy_to_device(ary[name], stream=stream)

    def __repr__(self) -> str:
        return f"<{self.shape} records of {self.dtype} for kernels>"


def _make_field(shape: tuple[int, ...], dtype: numpy.dtype[Any], make_array: Callable[..., Any]) -> Any:
    if dtype.subdtype is not None:
        dtype, inner = dtype.subdtype
        shape = (*shape, *inner)
    return DeviceRecords(shape, dtype, make_array) if dtype.names else make_array(shape, dtype)


def is_structured(value: Any) -> bool:
    """Whether the value is an array of records, or one."""
    return getattr(getattr(value, "dtype", None), "names", None) is not None


def _array_of(record: numpy.void) -> Any:
    """The record's own memory as an array without axes; NumPy hands it out for reading only."""
    seen = numpy.ndarray((), record.dtype, record.data)
    if not record.flags.writeable:
        return seen
    memory = (ctypes.c_char * record.dtype.itemsize).from_address(seen.ctypes.data)
    return numpy.ndarray((), record.dtype, memory)


def fields_of(value: Any) -> list[Any]:
    """The arrays of all fields of records, in order; views of a NumPy array's."""
    if isinstance(value, numpy.void):
        value = _array_of(value)
    arrays: list[Any] = []
    for name in value.dtype.names:
        field = value[name]
        arrays += fields_of(field) if is_structured(field) else [field]
    return arrays
