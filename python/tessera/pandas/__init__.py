"""pandas' names over the engine: `import tessera.pandas as pd`, or `tessera run --pandas`. See docs/frames.md."""

from __future__ import annotations

import importlib
import inspect
import types
from typing import Any

import pandas

# By name, as modules of the package import each other from it.
_calls, _joins, _objects, _report = (
    importlib.import_module(f"tessera.pandas.{_name}") for _name in ("calls", "joins", "objects", "report")
)
DataFrame, Series, PandasFallbackError = _objects.DataFrame, _objects.Series, _report.PandasFallbackError

__version__ = pandas.__version__
__path__ = __path__  # a package: submodules of its own, and below all of pandas' names

merge = _calls.adopting(_joins.merge)
eval = pandas.eval  # looks for names in its caller's frame, and computes with our objects


def __getattr__(name: str) -> Any:
    if name == "testing":
        return importlib.import_module("tessera.pandas.testing")
    if name in ("load_ipython_extension", "unload_ipython_extension"):
        return getattr(importlib.import_module("tessera.notebook.frames"), name)
    if name.startswith("__"):
        raise AttributeError(f"module 'tessera.pandas' has no attribute {name!r}")
    try:
        found = getattr(pandas, name)
    except AttributeError:
        raise AttributeError(f"module 'pandas' has no attribute {name!r}; nor has tessera.pandas") from None
    if inspect.isfunction(found):
        found = _calls.adopting(found)
    if not isinstance(found, types.ModuleType):
        globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(set(dir(pandas)) | set(globals()))
