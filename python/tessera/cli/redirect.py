"""Lets `import numpy`, `import numba` and `import pandas` in the user's own files mean tessera's modules; libraries keep
theirs."""

from __future__ import annotations

import builtins
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import runpy
import sys
import sysconfig
from collections.abc import Callable, Sequence
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

_library_folders = tuple(
    {
        os.path.realpath(path) + os.sep
        for key in ("stdlib", "platstdlib", "purelib", "platlib")
        if (path := sysconfig.get_paths().get(key))
    }
)
# The modules that stand for others.
_replaced: set[str] = set()
_own_folder = os.path.realpath(os.path.join(os.path.dirname(__file__), "..")) + os.sep


def is_users(path: str | None) -> bool:
    """Whether a source file is the user's: not Python's, not an installed package's, not tessera's."""
    if not path or not path.endswith((".py", ".pyw")) and os.path.splitext(path)[1]:
        return False
    real = os.path.realpath(path)
    parts = real.split(os.sep)
    if "site-packages" in parts or "dist-packages" in parts:
        return False
    return not real.startswith(_library_folders) and not real.startswith(_own_folder)


def redirected_import(
    name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
) -> ModuleType:
    """`__import__`, with numpy, numba or pandas and their public submodules replaced.

    C code that imports while a user's frame is on top comes here too; it passes a list where statements pass a tuple.
    """
    root, *parts = name.split(".")
    if level or root not in _replaced or parts and parts[0].startswith("_") or isinstance(fromlist, list):
        return builtins.__import__(name, globals, locals, fromlist, level)
    top = importlib.import_module(f"tessera.{root}")
    module: Any = top
    for part in parts:
        try:
            module = getattr(module, part)
        except AttributeError as error:
            raise ModuleNotFoundError(f"No module named {name!r}: {error}", name=name) from None
    for part in fromlist or ():
        try:
            part == "*" or getattr(module, part)
        except AttributeError as error:  # which says what to use instead
            if not _is_submodule(module, part):
                raise ImportError(f"cannot import name {part!r} from {name!r}: {error}", name=name) from None
    return module if fromlist else top


def _is_submodule(module: ModuleType, name: str) -> bool:
    """Whether a package has a module of this name, which is loaded then."""
    if not hasattr(module, "__path__"):
        return False
    path = f"{module.__name__}.{name}"
    if importlib.util.find_spec(path) is None:
        return False
    importlib.import_module(path)
    return True


def patched_builtins() -> dict[str, Any]:
    """Python's builtins with the redirected import."""
    return {**vars(builtins), "__import__": redirected_import}


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a user's file with the patched builtins, which its functions then see too."""

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = patched_builtins()
        super().exec_module(module)


class _RewritingLoader(importlib.machinery.SourceFileLoader):
    """Loads pytest's module that rewrites asserts: what it loads of the user's gets the patched builtins, too."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        hook = module.AssertionRewritingHook
        execute = hook.exec_module

        def exec_module(self: Any, made: ModuleType) -> None:
            if made.__spec__ is not None and is_users(made.__spec__.origin):
                made.__dict__["__builtins__"] = patched_builtins()
            execute(self, made)

        hook.exec_module = exec_module


class Finder(importlib.abc.MetaPathFinder):
    """Gives the user's files the patched builtins; leaves all else alone."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.partition(".")[0] in ("numpy", "numba", "pandas", "tessera"):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if name == "_pytest.assertion.rewrite" and spec is not None and spec.origin:
            spec.loader = _RewritingLoader(name, spec.origin)
            return spec
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader or not is_users(spec.origin):
            return None
        spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def replace(*names: str) -> None:
    """From now on `redirected_import` gives tessera's modules for these: "numpy", "numba", "pandas"."""
    _replaced.update(names)
    if "numba" in names:
        from tessera.functions import executed

        executed.keep_sources()


def install(*names: str) -> Finder:
    """Redirects imports of these from now on, "numpy", "numba" and "pandas"; returns the finder, for sys.meta_path.remove()."""
    replace(*names)
    finder = Finder()
    sys.meta_path.insert(0, finder)
    return finder


def run_code(code: CodeType, namespace: dict[str, Any]) -> None:
    """Executes a program's code with the patched builtins."""
    namespace["__builtins__"] = patched_builtins()
    exec(code, namespace)


class _Redirection:
    """Goes to a process that is spawned before all else; when it is read there, imports are redirected."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)

    def __reduce__(self) -> tuple[Callable[..., None], tuple[str, ...]]:
        return redirect_child, self._names


def redirect_child(*names: str) -> None:
    """In a spawned process: redirects the imports of the program's main module, which runs again, and of the user's other modules."""
    from multiprocessing import spawn

    install(*names)
    given = {"__builtins__": patched_builtins()}
    spawn.runpy = SimpleNamespace(  # type: ignore[attr-defined]
        run_path=functools.partial(runpy.run_path, init_globals=given),
        run_module=functools.partial(runpy.run_module, init_globals=given),
    )
    follow(names)


def follow(names: Sequence[str]) -> None:
    """Lets processes that multiprocessing, or Dask by it, spawns from now on redirect imports of these names."""
    from multiprocessing import spawn

    prepared = spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        return {**prepared(name), "tessera": _Redirection(names)}

    spawn.get_preparation_data = get_preparation_data
