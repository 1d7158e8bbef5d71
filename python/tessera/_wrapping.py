"""Puts wrappers in the place of another package's functions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def replace(module: Any, name: str, wrapped: Callable[[Callable], Callable], package: str) -> None:
    """Put a wrapper in a function's place in every module of the package that has it."""
    original = getattr(module, name)
    wrapper = wrapped(original)
    for each in [value for key, value in sys.modules.items() if f"{key}.".startswith(f"{package}.")]:
        for key, value in list(vars(each).items()):
            if value is original:
                setattr(each, key, wrapper)
