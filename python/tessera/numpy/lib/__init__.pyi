# Made by tools/make_stubs.py.
import builtins
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, SupportsIndex, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike

from tessera._core import Indexed, NDArray, ScalarT, ndarray, ufunc
from numpy.lib import Arrayterator as Arrayterator
from numpy.lib import NumpyVersion as NumpyVersion
from numpy.lib import add_docstring as add_docstring
from numpy.lib import add_newdoc as add_newdoc
from numpy.lib import array_utils as array_utils
from numpy.lib import format as format
from numpy.lib import introspect as introspect
from numpy.lib import mixins as mixins
from numpy.lib import npyio as npyio
from numpy.lib import scimath as scimath
from numpy.lib import tracemalloc_domain as tracemalloc_domain
from tessera.numpy.lib import stride_tricks as stride_tricks

def test(label: str = ..., verbose: SupportsIndex = ..., extra_argv: Any = ..., doctests: bool = ..., coverage: bool = ..., durations: SupportsIndex = ..., tests: Any = ...) -> bool:
    """Pytest test runner."""
