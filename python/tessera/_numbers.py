"""Which dtypes are those of numbers that compiled functions compute with."""

from __future__ import annotations

from typing import Any

import numpy


def is_number(dtype: numpy.dtype[Any]) -> bool:
    """Whether compiled functions compute with it; of other fields of records, such as text, they copy the bytes."""
    return dtype.kind in "biufc" and dtype.isnative and dtype.itemsize <= 16 and dtype.char not in "gG"


def is_of_time(dtype: numpy.dtype[Any]) -> bool:
    """Whether it is a dtype of dates or spans that compiled functions compute with."""
    if dtype.kind not in "mM" or not dtype.isnative:
        return False
    name, step = numpy.datetime_data(dtype)
    return step == 1 or name == "generic"
