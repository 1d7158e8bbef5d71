"""SciPy's signal module: native where the engine has the function, SciPy on the host for the rest."""

from __future__ import annotations

from typing import Any

from tessera.scipy import _missing
from tessera.scipy.signal._lombscargle import lombscargle as lombscargle
from tessera.scipy.signal._significance import (
    lombscargle_false_alarm_level as lombscargle_false_alarm_level,
    lombscargle_false_alarm_probability as lombscargle_false_alarm_probability,
    lombscargle_frequencies as lombscargle_frequencies,
)


_OWN = (
    "lombscargle",
    "lombscargle_false_alarm_level",
    "lombscargle_false_alarm_probability",
    "lombscargle_frequencies",
)


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted({*_OWN, *_missing.find("signal", name, globals())})
    return _missing.find("signal", name, globals())


def __dir__() -> list[str]:
    return _missing.names("signal", globals())
