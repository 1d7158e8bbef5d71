"""The backend by which einops knows tessera's arrays."""

from __future__ import annotations

from typing import Any

import numpy
from einops._backends import AbstractBackend

import tessera.numpy as np
from tessera import _core as core


class TesseraBackend(AbstractBackend):
    """What einops does with tessera's arrays; it finds the class among the subclasses of its own."""

    framework_name = "tessera"

    def is_appropriate_type(self, tensor: Any) -> bool:
        """Whether it is a tessera array; NumPy's are left to einops' own backend."""
        return core.is_own(tensor)

    def from_numpy(self, x: numpy.ndarray) -> np.ndarray:
        """A tessera array of the same elements."""
        return np.asarray(x)

    def to_numpy(self, x: np.ndarray) -> numpy.ndarray:
        """NumPy's array over the same memory."""
        return numpy.asarray(x)

    def arange(self, start: int, stop: int) -> np.ndarray:
        """Numbers in a row."""
        return np.arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors: list) -> np.ndarray:
        """The arrays one after another along a new first axis."""
        return np.stack(tensors)

    def add_axis(self, x: np.ndarray, new_position: int) -> np.ndarray:
        """The array with a new axis of one element."""
        return np.expand_dims(x, new_position)

    def tile(self, x: np.ndarray, repeats: tuple[int, ...]) -> np.ndarray:
        """The array repeated along each axis."""
        return np.tile(x, repeats)

    def concat(self, tensors: list, axis: int) -> np.ndarray:
        """The arrays one after another along an axis."""
        return np.concatenate(tensors, axis=axis)

    def is_float_type(self, x: np.ndarray) -> bool:
        """Whether einops may average the elements."""
        return x.dtype.kind in "fc" or x.dtype.name == "bfloat16"

    def einsum(self, pattern: str, *x: np.ndarray) -> np.ndarray:
        """The sum of products that the pattern describes."""
        return np.einsum(pattern, *x)


def register() -> None:
    """The class is all that einops needs."""
