# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def array2string(a: ArrayLike, max_line_width: Any = ..., precision: Any = ..., suppress_small: Any = ..., separator: str = ..., prefix: str = ..., *, formatter: Any = ..., threshold: Any = ..., edgeitems: Any = ..., sign: Any = ..., floatmode: Any = ..., suffix: str = ..., legacy: Any = ...) -> str:
    """The elements as text, nested in brackets."""
def array_repr(arr: ArrayLike, max_line_width: Any = ..., precision: Any = ..., suppress_small: Any = ...) -> str:
    """The array as `repr` shows it."""
def array_str(a: ArrayLike, max_line_width: Any = ..., precision: Any = ..., suppress_small: Any = ...) -> str:
    """The array as `print` shows it."""

__all__ = [
    "array2string",
    "array_repr",
    "array_str",
]
