"""NumPy's ufuncs, each the native object of that name."""

from __future__ import annotations

import numpy

from tessera import _core as core

ufunc = core.ufunc

__all__ = ["ufunc"]

for _name in numpy.__all__:
    if isinstance(getattr(numpy, _name, None), numpy.ufunc):
        # matmul and its kin are in products.py.
        _native = None if numpy.__dict__[_name].signature else getattr(core, _name, None) or getattr(core, getattr(numpy, _name).__name__, None)
        if _native is not None:
            globals()[_name] = _native
            __all__.append(_name)
