"""The engine's routines under their own names: sorts, searches and whatever else its table has.

Each function is made from its descriptor, so a routine that is added to the engine is here without further code. Those
that NumPy has are in `tessera.numpy`, too, with NumPy's arguments.
"""

import inspect

from tessera import _core

__all__ = []


def _parameters(text):
    namespace = {}
    exec(f"def function({text}): pass", namespace)
    return inspect.signature(namespace["function"])


def _make(name, parameters, doc):
    def function(*args, **keywords):
        return _core.call_routine(name, *args, **keywords)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__signature__ = _parameters(parameters)
    return function


def __getattr__(name):
    for known, parameters, doc in _core.routines():
        if known == name:
            globals()[name] = _make(known, parameters, doc)
            return globals()[name]
    raise AttributeError(f"tessera has no routine named {name!r}")


def __dir__():
    return sorted({*globals(), *(name for name, _, _ in _core.routines())})
