# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def einsum(*operands: Any, out: NDArray[Any] | None = ..., optimize: bool = ..., **kwargs: Any) -> Any:
    """Einstein's summation: products of operands summed over the labels that the output lacks."""
def einsum_path(*operands: Any, optimize: str = ..., einsum_call: bool = ...) -> tuple[list[Any], str]:
    """The order in which einsum would contract its operands, and a report on its cost."""

__all__ = [
    "einsum",
    "einsum_path",
]
