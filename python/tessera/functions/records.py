"""Structured arrays for functions and kernels: one array for each field."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy

from tessera._numbers import is_number, is_of_time
from tessera._record_layouts import layout_of


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
        arrays += fields_of(field) if is_structured(field) else [_words_of(field)]
    return arrays


def _words_of(field: Any) -> Any:
    """What functions have of a field: numbers, the integers of dates, or bytes."""
    if is_number(field.dtype):
        return field
    return field.view(numpy.int64) if is_of_time(field.dtype) else _bytes_of(field)


def copy_of(record: Any) -> numpy.record:
    """A record with the values of an array of one that has no axes."""
    held: numpy.record = record.view(numpy.dtype((numpy.record, record.dtype))).copy()[()]
    return held


_noted: dict[Any, numpy.dtype[Any]] = {}


def _key(dtype: numpy.dtype[Any]) -> Any:
    """What tells the dtypes of records apart that functions see: names, fields and their axes, not where they lie."""
    if dtype.subdtype is not None:
        return (_key(dtype.subdtype[0]), dtype.subdtype[1])
    return dtype.str if dtype.names is None else tuple((name, _key(dtype[name])) for name in dtype.names)


def note(dtype: numpy.dtype[Any]) -> None:
    """Records with these fields that functions make are of this dtype."""
    _noted[_key(dtype)] = dtype


def _packed(field: Any, axes: int) -> Any:
    """The dtype of records that are an array for each field, or of one field."""
    if not isinstance(field, dict):
        array, text = field if isinstance(field, tuple) else (field, None)
        return numpy.dtype((array.dtype, array.shape[axes:])) if text is None else numpy.dtype(text)
    return numpy.dtype([(name, _packed(one, axes)) for name, one in field.items()])


def _fill(records: Any, fields: dict[str, Any]) -> None:
    for name, field in fields.items():
        if isinstance(field, dict):
            _fill(records[name], field)
        elif isinstance(field, tuple):
            _bytes_of(records[name])[...] = field[0]
        else:
            records[name] = field


def _first(field: Any) -> Any:
    while isinstance(field, dict):
        field = next(iter(field.values()))
    return field[0] if isinstance(field, tuple) else field


def made(fields: dict[str, Any], ndim: int, layout: int = 0) -> Any:
    """Records that a function has made, of the dtype of this number: by name an array for each field, beside its dtype for the bytes of a text, or the fields of a nested record."""
    dtype = layout_of(layout)
    if dtype is None:
        packed = _packed(fields, ndim)
        dtype = _noted.get(_key(packed), packed)
    records = numpy.empty(_first(fields).shape[:ndim], dtype)
    _fill(records, fields)
    return records if ndim else copy_of(records)


def characters_of(array: Any, dtype: str) -> Any:
    """The array of texts with these bytes, along one axis more; an array that was passed is itself."""
    return array if array.dtype == dtype else array.view(dtype)[..., 0]


def _bytes_of(field: Any) -> Any:
    """A field's bytes, along one more axis."""
    return field[..., None].view(numpy.ndarray).view(numpy.uint8)
