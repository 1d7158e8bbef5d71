"""A function of the user's, as the compiler gets it: its tree, its source, and what its names stand for."""

from __future__ import annotations

import functools
import weakref
from typing import Any

from tessera import _core
from tessera.functions import names
from tessera.functions import source as source_of


class Function:
    """A function that kernels may call; @cuda.jit(device=True) makes it."""

    _is_device = True

    def __init__(self, function: Any, source: str | None) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self._source = source
        self._compiled: Any = None

    def _kernel_function(self) -> Any:
        if self._compiled is None:
            tree, file, lines, first = source_of.find(self.py_func, self._source)
            # The engine's object must not keep the function, which keeps this one, alive.
            function = weakref.ref(self.py_func)
            resolve = lambda dotted: names.describe(names.lookup(function(), dotted))
            defaults = names.defaults_of(self.py_func)
            rest = source_of.rest_of(tree)
            self._compiled = _core.kernels.KernelFunction(tree, file, lines, first, resolve, defaults, rest)
        return self._compiled

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError(
            f"{self.__name__} is a device function: kernels call it. `{self.__name__}.py_func` is the Python function"
        )

    def __repr__(self) -> str:
        return f"<device function {self.__name__}>"
