"""numba.config: settings by Numba's names. Reading one gives what holds here; writing one that has no effect here raises."""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

from tessera import _core
from tessera.functions import jit as _jit

if os.environ.get("NUMBA_NUM_THREADS"):
    _core.set_cpus(int(os.environ["NUMBA_NUM_THREADS"]))
NUMBA_NUM_THREADS = NUMBA_DEFAULT_NUM_THREADS = _core.cpus()
# What @jit decorates from then on stays Python's.
DISABLE_JIT = int(os.environ.get("NUMBA_DISABLE_JIT") or 0)
_jit.set_disabled(bool(DISABLE_JIT))
# One pool of threads serves all, which is safe among threads and forks, as each of Numba's layers wants.
THREADING_LAYER = os.environ.get("NUMBA_THREADING_LAYER") or "default"
THREADING_LAYER_PRIORITY = ["tbb", "omp", "workqueue"]
CACHE_DIR = ""
DEBUG = 0
BOUNDSCHECK = None
ENABLE_CUDASIM = 0
DISABLE_PERFORMANCE_WARNINGS = 0
CAPTURED_ERRORS = "new_style"
USE_LEGACY_TYPE_SYSTEM = 1

_LAYERS = frozenset(("default", "safe", "threadsafe", "forksafe", "tbb", "omp", "workqueue"))
# Others have one value, which what is written must be.
_INSTEAD = {
    "BOUNDSCHECK": "jit(boundscheck=True)",
    "CACHE_DIR": "the environment variable TESSERA_CACHE",
    "DEBUG": "cuda.jit(debug=True), or the function's inspect_ir()",
    "ENABLE_CUDASIM": "nothing: kernels run on the cores where there is no GPU",
    "NUMBA_NUM_THREADS": "numba.set_num_threads(n), or the environment variable TESSERA_CPUS",
}


class _Config(ModuleType):
    """The module's class, so that settings are looked at when they are written."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "THREADING_LAYER" and value not in _LAYERS:
            raise ValueError(f"numba.config.THREADING_LAYER is {value!r}; it is one of {', '.join(sorted(_LAYERS))}")
        is_setting = name.isupper() and not name.startswith("_")
        free = ("DISABLE_JIT", "THREADING_LAYER", "THREADING_LAYER_PRIORITY", "DISABLE_PERFORMANCE_WARNINGS")
        if is_setting and name not in free and value != getattr(self, name, None):
            instead = _INSTEAD.get(name, "leave it out")
            raise NotImplementedError(f"numba.config.{name} = {value!r} has no effect here; instead: {instead}")
        if name == "DISABLE_JIT":
            _jit.set_disabled(bool(value))
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Config


def __getattr__(name: str) -> Any:
    raise AttributeError(f"numba.config has no {name} here; settings are said in docs/functions.md")
