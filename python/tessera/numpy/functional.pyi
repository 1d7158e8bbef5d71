# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc

def apply_along_axis(func1d: Any, axis: Any | None, arr: ArrayLike, *args: Any, **kwargs: Any) -> Any:
    """The results of a function on every 1-D line along an axis."""
def apply_over_axes(func: Any, a: ArrayLike, axes: Any | None) -> NDArray[Any]:
    """A reducing function applied over several axes in turn, which keep their place."""
def frompyfunc(func: Any, /, nin: Any, nout: Any, **kwargs: Any) -> Any:
    """A ufunc of a Python function; it works on Python objects, so its results are NumPy object arrays."""
class vectorize:
    """A Python function that takes and gives arrays, called once an element."""
    def __init__(self, pyfunc: Any = ..., otypes: Any = ..., doc: Any = ..., excluded: Any = ..., cache: bool = ..., signature: Any = ...) -> None:
        """Initialize self. See help(type(self)) for accurate signature."""
    def __call__(self, *args: Any, **kwargs: Any) -> NDArray[Any]:
        """Call self as a function."""

__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "frompyfunc",
    "vectorize",
]
