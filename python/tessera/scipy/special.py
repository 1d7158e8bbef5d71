"""scipy.special: native where the engine has the function, SciPy on the host for the rest."""

from __future__ import annotations

from typing import Any

from tessera import _core, _fallback
from tessera.scipy import _missing

# SciPy repeats some of NumPy's ufuncs.
_SHARED = ("cbrt", "exp2", "expm1", "log1p")

for _name in dir(_core.special):
    if not _name.startswith("_"):
        globals()[_name] = getattr(_core.special, _name)
for _name in _SHARED:
    globals()[_name] = getattr(_core, _name)


def sinc(x):
    """sin(pi x) / (pi x), 1 at zero."""
    import tessera.numpy

    return tessera.numpy.sinc(x)


def softmax(x, axis=None):
    """exp(x) scaled to a sum of 1."""
    import tessera.numpy as np

    x = np.asarray(x)
    shifted = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return shifted / np.sum(shifted, axis=axis, keepdims=True)


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """log of the sum of exp(a), without overflow."""
    import tessera.numpy as np

    a = np.asarray(a)
    if b is not None or return_sign or a.dtype.kind == "c" or a.size == 0:
        reason = "only the plain form is native"
        return _fallback.call("scipy.special.logsumexp", (a, axis, b, keepdims, return_sign), None, reason)
    top = np.max(a, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.sum(np.exp(a - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis=axis)[()]


def __getattr__(name: str) -> Any:
    return _missing.find("special", name, globals())


def __dir__() -> list[str]:
    return _missing.names("special", globals())
