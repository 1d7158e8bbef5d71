# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def fromfile(file: Any, dtype: DTypeLike = ..., count: SupportsIndex = ..., sep: str = ..., offset: SupportsIndex = ..., *, like: Any = ...) -> Any:
    """A 1-D array of the numbers in a binary or text file."""
def fromregex(file: Any, regexp: Any, dtype: DTypeLike, encoding: Any = ...) -> Any:
    """An array of what a regular expression finds in a text file."""
def genfromtxt(fname: Any, dtype: DTypeLike = ..., comments: str = ..., delimiter: Any = ..., skip_header: SupportsIndex = ..., skip_footer: SupportsIndex = ..., converters: Any = ..., missing_values: Any = ..., filling_values: Any = ..., usecols: Any = ..., names: Any = ..., excludelist: Any = ..., deletechars: str = ..., replace_space: str = ..., autostrip: bool = ..., case_sensitive: bool = ..., defaultfmt: str = ..., unpack: Any = ..., usemask: bool = ..., loose: bool = ..., invalid_raise: bool = ..., max_rows: Any = ..., encoding: Any = ..., *, ndmin: SupportsIndex = ..., like: Any = ...) -> Any:
    """An array of the numbers in a text file that may have gaps."""
def load(file: Any, mmap_mode: Any = ..., allow_pickle: bool = ..., fix_imports: bool = ..., encoding: str = ..., *, max_header_size: SupportsIndex = ...) -> Any:
    """The array of an .npy file or the arrays of an .npz archive."""
def loadtxt(fname: Any, dtype: DTypeLike = ..., comments: str = ..., delimiter: Any = ..., converters: Any = ..., skiprows: SupportsIndex = ..., usecols: Any = ..., unpack: bool = ..., ndmin: SupportsIndex = ..., encoding: Any = ..., max_rows: Any = ..., *, quotechar: Any = ..., like: Any = ...) -> Any:
    """An array of the numbers in a text file."""
def save(file: Any, arr: ArrayLike, allow_pickle: bool = ...) -> None:
    """Writes an array to an .npy file."""
def savetxt(fname: Any, X: Any, fmt: str = ..., delimiter: str = ..., newline: str = ..., header: str = ..., footer: str = ..., comments: str = ..., encoding: Any = ...) -> None:
    """Writes an array as text."""
def savez(file: Any, *args: Any, allow_pickle: bool = ..., **kwds: Any) -> None:
    """Writes several arrays to an .npz archive."""
def savez_compressed(file: Any, *args: Any, allow_pickle: bool = ..., **kwds: Any) -> None:
    """Writes several arrays to a compressed .npz archive."""

__all__ = [
    "fromfile",
    "fromregex",
    "genfromtxt",
    "load",
    "loadtxt",
    "save",
    "savetxt",
    "savez",
    "savez_compressed",
]
