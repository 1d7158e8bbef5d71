"""numpy.lib: the parts that hold array functions are tessera's, the rest is NumPy's."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.lib import Arrayterator, NumpyVersion, add_docstring, add_newdoc, array_utils, format, introspect  # noqa: F401

from tessera.numpy import _missing
from tessera.numpy.lib import stride_tricks  # noqa: F401


def __getattr__(name: str) -> Any:
    return _missing.find(name, numpy.lib, "lib.")


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(dir(numpy.lib)))
