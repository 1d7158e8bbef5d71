# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

class broadcast:
    """The common shape of several arrays, and an iterator over tuples of their elements."""
    def __init__(self, *arrays: Any, **refused: Any) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def __iter__(self) -> NDArray[Any]: ...
    def __next__(self) -> NDArray[Any]: ...
    @property
    def iters(self) -> Any: ...
    @property
    def nd(self) -> Any: ...
    @property
    def ndim(self) -> Any: ...
    @property
    def numiter(self) -> Any: ...
    def reset(self, /) -> NDArray[Any]:
        """Start again from the first element."""
    @property
    def size(self) -> Any: ...
c_: Indexed
def indices(dimensions: Any, dtype: DTypeLike = ..., sparse: bool = ...) -> Any:
    """The index of every element of a shape, one array an axis."""
def ix_(*args: Any) -> tuple[NDArray[Any], ...]:
    """An open grid from 1-D indices, for taking a sub-matrix."""
def meshgrid(*xi: Any, copy: bool | None = ..., sparse: bool = ..., indexing: str = ...) -> tuple[NDArray[Any], ...]:
    """Coordinate arrays from coordinate vectors."""
mgrid: Indexed
class ndenumerate:
    """Pairs of index and element, in C order."""
    def __init__(self, arr: ArrayLike) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def __iter__(self) -> NDArray[Any]: ...
    def __next__(self) -> NDArray[Any]: ...
ogrid: Indexed
r_: Indexed

__all__ = [
    "broadcast",
    "c_",
    "indices",
    "ix_",
    "meshgrid",
    "mgrid",
    "ndenumerate",
    "ogrid",
    "r_",
]
