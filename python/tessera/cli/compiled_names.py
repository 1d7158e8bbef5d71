"""`tessera coverage --jit`: which of NumPy's functions are compiled in functions with @jit, and which they call on the host."""

from __future__ import annotations

import importlib

_MODULES = ("numpy", "numpy.linalg", "numpy.fft", "numpy.random")
_OF_FILES = frozenset("fromfile genfromtxt load loadtxt memmap save savetxt savez savez_compressed".split())


def states() -> dict[str, str]:
    """What each function is: "compiled", "compiled for some arguments" (others are calls of the host), or "host"."""
    from tessera import _core
    from tessera.functions import numpy_library, numpys_functions

    builtins = set(_core.kernels.builtin_names("numpy."))
    drawn = {name for name in builtins if name.startswith("numpy.random.")}
    library = numpy_library.names()
    found = {}
    for path in _MODULES:
        module = importlib.import_module(path)
        for name in sorted(getattr(module, "__all__", [])):
            value = getattr(module, name, None)
            full = f"{path}.{name}"
            if not callable(value) or isinstance(value, type) or name in _OF_FILES:
                continue
            own = getattr(value, "__name__", name)  # "absolute" of numpy.abs
            names = {full, f"{path}.{own}"} if getattr(module, own, None) is value else {full}
            if names & library:
                found[full] = "compiled for some arguments"
            elif names & (builtins - drawn) or numpys_functions.description(value) is not None:
                found[full] = "compiled"
            else:
                found[full] = "host"
    return found


def report(missing_only: bool = False) -> int:
    """Prints the list."""
    found = states()
    for name, state in found.items():
        if not missing_only or state == "host":
            print(f"  {name:40} {state}")
    compiled = sum(state != "host" for state in found.values())
    print(
        f"\n{compiled} of {len(found)} functions compiled, for some or all arguments; the others are calls of the host"
    )
    return 0
