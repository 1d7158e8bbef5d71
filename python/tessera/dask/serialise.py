"""How distributed moves tessera's arrays: frames that share memory with them, for its families "dask" (host) and "cuda" (device)."""

from __future__ import annotations

import math
from typing import Any

import numpy

import tessera.numpy as np
from tessera import _core as core


def _described(x: np.ndarray) -> tuple[dict[str, Any], np.ndarray]:
    """What makes the array again, and its elements as one run of memory: the array's own where they are dense already. An
    axis that is broadcast is sent once."""
    header: dict[str, Any] = {"dtype": x.dtype.name, "shape": x.shape, "writeable": x.flags.writeable}
    if 0 in x.strides and x.size:
        x = x[tuple(slice(None if stride else 1) for stride in x.strides)]
    header["sent"] = x.shape
    header["order"] = "F" if x.flags.f_contiguous and not x.flags.c_contiguous else "C"
    flat = np.ascontiguousarray(x.T if header["order"] == "F" else x).reshape(-1)
    return header, flat


def _restored(header: dict[str, Any], flat: np.ndarray) -> np.ndarray:
    """The array over these bytes."""
    sent = tuple(header["sent"])
    x = flat.view(np.dtype(header["dtype"]))
    x = x.reshape(sent) if header["order"] == "C" else x.reshape(sent[::-1]).T
    if sent != tuple(header["shape"]):
        x = np.broadcast_to(x, header["shape"])
    return x


def _check(header: dict[str, Any], frames: list[Any], nbytes: int) -> None:
    wanted = math.prod(header["sent"]) * np.dtype(header["dtype"]).itemsize
    if len(frames) != 1 or nbytes != wanted:
        raise ValueError(
            f"a tessera array of {header['dtype']} and shape {tuple(header['shape'])} needs one frame of {wanted} bytes; "
            f"there are {len(frames)} with {nbytes} bytes: the message was cut short"
        )


def to_frames(x: np.ndarray, context: Any = None) -> tuple[dict[str, Any], list[memoryview]]:
    """Header and frame of an array. The frame is read-only and shares the array's memory where that is dense and on the host;
    what is on a device is copied home, what is recorded is computed."""
    header, flat = _described(x)
    return header, [memoryview(numpy.asarray(flat.view(np.uint8))).toreadonly()]


def from_frames(header: dict[str, Any], frames: list[Any]) -> np.ndarray:
    """The array over the frame's memory, without a copy; of an array that could be written, a copy where the memory cannot.

    Errors: ValueError where the frame has another size.
    """
    views = [memoryview(each) for each in frames]
    _check(header, views, sum(each.nbytes for each in views))
    view = views[0].cast("B") if views[0].nbytes else views[0]
    if not view.nbytes:
        return np.empty(header["shape"], dtype=np.dtype(header["dtype"]))
    shares = not (header["writeable"] and view.readonly)
    return _restored(header, np.asarray(numpy.frombuffer(view, dtype=numpy.uint8), copy=False if shares else None))


def to_device_frames(x: np.ndarray) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Header and frame, which has a `__cuda_array_interface__`, of an array on a device; others go by the family "dask"."""
    if not core.is_on_device(x):
        raise NotImplementedError("the array is not on a device")
    header, flat = _described(x)
    return header, [flat.view(np.uint8)]


def from_device_frames(header: dict[str, Any], frames: list[Any]) -> np.ndarray:
    """The array over a device's memory, which any object with a `__cuda_array_interface__` lends.

    Errors: ValueError where the frame has another size.
    """
    flat = [each if core.is_own(each) else np.asarray(each) for each in frames]
    _check(header, flat, sum(each.nbytes for each in flat))
    return _restored(header, flat[0].view(np.uint8) if flat[0].dtype != np.uint8 else flat[0])


def register() -> None:
    """Register with `distributed.protocol`, before its arrays of NumPy's, as which ours pass isinstance."""
    from distributed.protocol import cuda_deserialize, cuda_serialize, dask_deserialize, dask_serialize

    dask_serialize.register(np.ndarray, to_frames)
    dask_deserialize.register(np.ndarray, from_frames)
    cuda_serialize.register(np.ndarray, to_device_frames)
    cuda_deserialize.register(np.ndarray, from_device_frames)
