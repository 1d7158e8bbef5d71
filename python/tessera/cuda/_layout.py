"""How the elements of new arrays lie: strides that are given, and those of another array."""

from __future__ import annotations

from typing import Any


def shape_and_strides(shape: Any, strides: Any, what: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Both as tuples of one length; raises ValueError for negative strides."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    strides = (strides,) if isinstance(strides, int) else tuple(strides)
    if len(shape) != len(strides):
        raise ValueError(f"{what}: {len(strides)} strides for {len(shape)} axes")
    if any(step < 0 for step in strides):
        raise ValueError(f"{what}: strides are {strides}; new arrays have none below 0")
    return shape, strides


def extent_in_bytes(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> int:
    """From the first element's begin to the last one's end."""
    if 0 in shape:
        return 0
    return itemsize + sum((extent - 1) * step for extent, step in zip(shape, strides))


def like(ary: Any) -> dict[str, Any]:
    """The `order` or the `strides` with which a new array without gaps is laid out as another, its axes in the same order."""
    if ary.flags.c_contiguous or any(step < 0 for step in ary.strides):
        return {"order": "C"}
    if ary.flags.f_contiguous:
        return {"order": "F"}
    steps = [0] * ary.ndim
    step = ary.dtype.itemsize
    for axis in sorted(range(ary.ndim), key=lambda k: (ary.strides[k], ary.shape[k], -k)):
        steps[axis] = step
        step *= ary.shape[axis]
    return {"strides": tuple(steps)}
