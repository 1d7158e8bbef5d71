"""Frames that Hypothesis draws: columns of each dtype with missing and repeated values, down to no rows."""

import numpy as np
import pandas
from hypothesis import strategies as st

SETTINGS = {"max_examples": 60, "deadline": None}

_ELEMENTS = {
    "bool": st.booleans(),
    "int64": st.one_of(st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1)),
    "int8": st.integers(-128, 127),
    "uint64": st.one_of(st.integers(0, 3), st.integers(0, 2**64 - 1)),
    "float64": st.one_of(
        st.sampled_from([0.0, -0.0, np.nan, 1.5, np.inf, -np.inf]), st.floats(-1e6, 1e6, allow_subnormal=False)
    ),
    "float32": st.one_of(st.sampled_from([0.0, np.nan, 0.5]), st.floats(-1e3, 1e3, width=32)),
    "datetime64[ns]": st.one_of(
        st.just("NaT"), st.sampled_from(["2024-01-01", "1969-12-31T23:59:59", "2262-04-11T23:47:16.854775807"])
    ),
    "timedelta64[s]": st.one_of(st.just("NaT"), st.integers(-5, 5)),
    "str": st.one_of(st.none(), st.sampled_from(["", "a", "b", "ab", "ä", "𝄞", "long enough for two words"])),
}
NUMBERS = ("bool", "int64", "int8", "uint64", "float64", "float32")
DTYPES = tuple(_ELEMENTS)


@st.composite
def columns(draw, dtype, rows):
    values = draw(st.lists(_ELEMENTS[dtype], min_size=rows, max_size=rows))
    if dtype == "str":
        return pandas.array(values, dtype="str")
    if dtype == "timedelta64[s]":
        return np.array([np.timedelta64(value, "s") for value in values], dtype)
    return np.array(values, dtype)


@st.composite
def frames(draw, keys=1, values=NUMBERS, key_dtypes=DTYPES, most=30):
    """A frame with columns k0, k1, ... and v0, v1, ..., one of each of `values`."""
    rows = draw(st.integers(0, most))
    data = {f"k{at}": draw(columns(draw(st.sampled_from(key_dtypes)), rows)) for at in range(keys)}
    data |= {f"v{at}": draw(columns(dtype, rows)) for at, dtype in enumerate(values)}
    return pandas.DataFrame(data)


def outcome(function, frame):
    """The result, or the class and text of what is raised."""
    try:
        return function(frame)
    except Exception as error:
        return type(error), str(error)


def agree(function, frame, native=(), **closeness):
    """The function gives the same for pandas' frame and ours; these records were native, if anything was computed."""
    import tessera.pandas as ours
    from tessera.pandas import report

    expected = outcome(function, frame)
    report.reset()
    found = outcome(function, ours.DataFrame(frame))
    if isinstance(expected, tuple):
        assert found == expected
        return
    if isinstance(expected, pandas.DataFrame):
        assert type(found) is ours.DataFrame
        pandas.testing.assert_frame_equal(pandas.DataFrame(found), expected, **closeness)
    elif isinstance(expected, pandas.Series):
        assert type(found) is ours.Series
        pandas.testing.assert_series_equal(pandas.Series(found), expected, **closeness)
    else:
        assert type(found) is type(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    if len(frame):
        for name in native:
            assert report.records()[name].native, (name, report.records())
