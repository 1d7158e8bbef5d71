"""numpy.testing: its checks, which read tessera arrays as they are."""

from __future__ import annotations

from typing import Any

import numpy.testing
from numpy.testing import *  # noqa: F401, F403
from numpy.testing import __all__  # noqa: F401


def __getattr__(name: str) -> Any:
    return getattr(numpy.testing, name)
