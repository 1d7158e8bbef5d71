"""SciPy's signal module: native where the engine has the function, SciPy on the host for the rest."""

from __future__ import annotations

from typing import Any

from tessera.scipy import _missing
from tessera.scipy.signal._lombscargle import lombscargle as lombscargle


_OWN = ("lombscargle",)


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted({*_OWN, *_missing.find("signal", name, globals())})
    return _missing.find("signal", name, globals())


def __dir__() -> list[str]:
    return _missing.names("signal", globals())
