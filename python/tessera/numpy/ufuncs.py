"""NumPy's ufuncs, each the native object of that name."""

from __future__ import annotations

import numpy

from tessera import _core as core

ufunc = core.ufunc

__all__ = ["ufunc"]

for _name in numpy.__all__:
    _theirs = numpy.__dict__.get(_name)  # not getattr, which would load NumPy's submodules
    # matmul and its kin are in products.py.
    if isinstance(_theirs, numpy.ufunc) and _theirs.signature is None:
        _native = getattr(core, _name, None) or getattr(core, _theirs.__name__, None)
        if _native is not None:
            globals()[_name] = _native
            __all__.append(_name)
