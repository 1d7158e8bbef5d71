"""Which dtypes are those of numbers that compiled functions compute with."""

from __future__ import annotations

from typing import Any

import numpy


def is_number(dtype: numpy.dtype[Any]) -> bool:
    """Whether compiled functions compute with it; of other fields of records, such as text, they copy the bytes."""
    return dtype.kind in "biufc" and dtype.isnative and dtype.itemsize <= 16 and dtype.char not in "gG"
