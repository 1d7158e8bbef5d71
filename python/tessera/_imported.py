"""What is done once another package has been imported, be it now, earlier or later: how tessera joins Dask, einops and others."""

from __future__ import annotations

import importlib
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

_actions: dict[str, list[Callable[[], None]]] = {}
_lock = threading.Lock()


def when_imported(module: str, action: Callable[[], None]) -> None:
    """Call `action` as soon as `module` has been imported; at once where it has been.

    An action that fails warns: the other package's import must not fail because of it.
    """
    with _lock:
        if module not in sys.modules:
            _actions.setdefault(module, []).append(action)
            if _finder not in sys.meta_path:
                sys.meta_path.insert(0, _finder)
            return
    importlib.import_module(module)  # waits where another thread is importing it
    _run(module, action)


def _run(module: str, action: Callable[[], None]) -> None:
    try:
        action()
    except Exception:
        import traceback

        text = traceback.format_exc(limit=-3)
        warnings.warn(f"tessera could not join {module}: its arrays are strange to it.\n{text}", stacklevel=2)


def _run_all(module: str) -> None:
    with _lock:
        actions = _actions.pop(module, [])
    for action in actions:
        _run(module, action)


class _Loader:
    """Loads a module as its own loader does, then runs what waits for it; the module never shows this loader."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: Any) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        _run_all(module.__name__)


class _Finder:
    """Finds the modules that something waits for, by the finders behind it."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if name not in _actions:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader)
                return spec
        return None


_finder = _Finder()
