"""NumPy's namespace over tessera's engine: `import tessera.numpy as np`."""

from __future__ import annotations

import importlib
import inspect as _inspect
import sys
from typing import Any

import numpy as _numpy

from tessera import _core as _engine
from tessera import _companions, _fallback, _warnings
from tessera._devices import asnumpy  # noqa: F401
from tessera.numpy import _missing
from tessera.numpy.host_names import *  # noqa: F401, F403
from tessera.numpy.error_state import *  # noqa: F401, F403
from tessera.numpy.ufuncs import *  # noqa: F401, F403
from tessera.numpy.creation import *  # noqa: F401, F403
from tessera.numpy.conversion import *  # noqa: F401, F403
from tessera.numpy.ranges import *  # noqa: F401, F403
from tessera.numpy.manipulation import *  # noqa: F401, F403
from tessera.numpy.joining import *  # noqa: F401, F403
from tessera.numpy.indexing import *  # noqa: F401, F403
from tessera.numpy.grids import *  # noqa: F401, F403
from tessera.numpy.matrices import *  # noqa: F401, F403
from tessera.numpy.reductions import *  # noqa: F401, F403
from tessera.numpy.nan_reductions import *  # noqa: F401, F403
from tessera.numpy.order_statistics import *  # noqa: F401, F403
from tessera.numpy.statistics import *  # noqa: F401, F403
from tessera.numpy.calculus import *  # noqa: F401, F403
from tessera.numpy.histograms import *  # noqa: F401, F403
from tessera.numpy.sorting import *  # noqa: F401, F403
from tessera.numpy.sets import *  # noqa: F401, F403
from tessera.numpy.logic import *  # noqa: F401, F403
from tessera.numpy.elementwise import *  # noqa: F401, F403
from tessera.numpy.products import *  # noqa: F401, F403
from tessera.numpy.einstein import *  # noqa: F401, F403
from tessera.numpy.windows import *  # noqa: F401, F403
from tessera.numpy.padding import *  # noqa: F401, F403
from tessera.numpy.functional import *  # noqa: F401, F403
from tessera.numpy.polynomials import *  # noqa: F401, F403
from tessera.numpy.printing import *  # noqa: F401, F403
from tessera.numpy.io import *  # noqa: F401, F403
from tessera.numpy.namespace_info import __array_namespace_info__  # noqa: F401

_fallback.require_known_mode()
_warnings.install()

for _function in (can_cast, dot, may_share_memory, min_scalar_type, result_type, shares_memory):  # noqa: F405
    _function.__signature__ = _inspect.signature(_function)  # as NumPy's compiled functions show theirs

ndarray = _engine.ndarray
__version__ = _numpy.__version__
__array_api_version__ = _numpy.__array_api_version__

# Own submodules, imported when first asked for.
_submodules = ("emath", "fft", "lib", "linalg", "random", "testing", "typing")

__all__ = list(_numpy.__all__)


def get_array_module(*args: Any) -> Any:
    """CuPy's question which library the arrays are from: this package, or NumPy when none of them is a tessera array."""
    return sys.modules[__name__] if any([_engine.is_own(each) for each in args]) else _numpy


def _in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None) -> Any:
    """Whether each element of the flattened first array is in the second."""
    return isin(ravel(ar1), ar2, assume_unique=assume_unique, invert=invert, kind=kind)  # noqa: F405


def __getattr__(name: str) -> Any:
    if name in _submodules:
        try:
            return importlib.import_module(f"tessera.numpy.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"tessera.numpy.{name}":
                raise
    if name == "in1d":  # NumPy dropped it; CuPy and cuPyNumeric have it
        return globals()["_in1d"]
    value = globals()[name] = _missing.find(name)
    return value


def __dir__() -> list[str]:
    numpys = {name for name in dir(_numpy) if not name.startswith("__") or name in globals()}
    return sorted({name for name in globals() if not name.startswith("_")} | numpys)


_companions.join()
