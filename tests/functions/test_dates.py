"""Dates and spans of time in compiled functions: NumPy's values, units and NaT."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tessera.errors import TypingError, UnsupportedError

from tessera import cuda, jit, prange, types

UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns")
_WORDS = some.integers(-3000, 3000) | some.just(np.iinfo(np.int64).min)


def same(found: Any, expected: Any) -> None:
    assert np.asarray(found).dtype == np.asarray(expected).dtype, (found, expected)
    np.testing.assert_array_equal(found, expected)


ADD, SUBTRACT = jit(lambda x, y: x + y), jit(lambda x, y: x - y)
COMPARE = {one: jit(one) for one in (lambda x, y: x < y, lambda x, y: x <= y, lambda x, y: x == y, lambda x, y: x != y)}
OPERATORS = (operator.lt, operator.le, operator.eq, operator.ne)


@settings(deadline=None, max_examples=150)
@given(_WORDS, _WORDS, some.sampled_from(UNITS), some.sampled_from(UNITS))
def test_dates_of_all_units_are_added_subtracted_and_compared(a: int, b: int, first: str, second: str) -> None:
    x, y = np.datetime64(a, first), np.datetime64(b, second)
    same(SUBTRACT(x, y), x - y)
    for function, of_python in zip(COMPARE.values(), OPERATORS):
        same(function(x, y), of_python(x, y))
    span = np.timedelta64(b, second)
    try:
        expected = x + span
    except TypeError:
        with pytest.raises(TypingError, match="not supported between"):
            ADD(x, span)
        return
    same(ADD(x, span), expected)
    same(ADD(span, x), expected)
    same(SUBTRACT(x, span), x - span)


@settings(deadline=None, max_examples=150)
@given(_WORDS | some.integers(-(10**6), 10**6), some.sampled_from(UNITS), some.sampled_from(UNITS))
def test_dates_are_converted_between_units(a: int, first: str, second: str) -> None:
    x = np.array([a, 0, 1, -1], f"M8[{first}]")
    same(CONVERT(x, f"M8[{second}]"), x.astype(f"M8[{second}]"))


CONVERT = jit(lambda x, unit: x.astype(unit))


@settings(deadline=None, max_examples=100)
@given(_WORDS, _WORDS, some.sampled_from(("W", "D", "h", "s", "ns")), some.sampled_from(("W", "D", "h", "s", "ns")))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_spans_are_divided_as_in_numpy(a: int, b: int, first: str, second: str) -> None:
    x, y = np.timedelta64(a, first), np.timedelta64(b, second)
    same(DIVIDE(x, y), x / y)
    same(REST(x, y), x % y)
    if not (np.isnat(x) or np.isnat(y)) and b:
        same(FLOOR(x, y), x // y)
    same(BY_NUMBER(x, 7), (x * 7, x // 7, -x, abs(x)))
    same(BY_NUMBER(x, -3), (x * -3, x // -3, -x, abs(x)))
    same(BY_FLOAT(x, 0.37), (x * 0.37, x / 0.37))


DIVIDE, REST, FLOOR = jit(lambda x, y: x / y), jit(lambda x, y: x % y), jit(lambda x, y: x // y)
BY_NUMBER = jit(lambda x, n: (x * n, x // n, -x, abs(x)))
BY_FLOAT = jit(lambda x, n: (x * n, x / n))

DAYS = np.array(["2024-01-01", "2023-12-31", "NaT", "2024-02-29"], "M8[D]")


def test_arrays_of_dates_have_numpys_functions() -> None:
    @jit
    def seen(t: Any) -> Any:
        steps = t[1:] - t[:-1]
        return (
            steps,
            t.min(),
            np.max(t),
            np.isnat(t),
            np.sort(t),
            np.unique(t),
            np.where(t > t[0], t, t[0]),
            t[::-2],
            t[t > t[1]],
            t.copy(),
        )

    same_all = (
        DAYS[1:] - DAYS[:-1],
        DAYS.min(),
        np.max(DAYS),
        np.isnat(DAYS),
        np.sort(DAYS),
        np.unique(DAYS),
        np.where(DAYS > DAYS[0], DAYS, DAYS[0]),
        DAYS[::-2],
        DAYS[DAYS > DAYS[1]],
        DAYS,
    )
    for found, expected in zip(seen(DAYS), same_all):
        same(found, expected)


def test_arrays_of_another_unit_compile_the_function_again() -> None:
    first = jit(lambda t: t[0])
    for unit in ("D", "s", "M", "D", "s"):
        for _ in range(3):
            same(first(DAYS.astype(f"M8[{unit}]")), DAYS.astype(f"M8[{unit}]")[0])
    same(first(DAYS.view("m8[D]")), DAYS.view("m8[D]")[0])


def test_words_of_dates_are_seen_as_integers_and_back() -> None:
    @jit
    def words(t: Any) -> Any:
        return t.view(np.int64), t.astype(np.int64), t.view(np.int64).view("M8[D]"), int(t[0] - t[1])

    days = DAYS.copy()
    for found, expected in zip(words(days), (days.view("i8"), days.view("i8"), days, 1)):
        same(found, expected)


def test_dates_are_stored_in_the_units_of_arrays() -> None:
    @jit
    def fill(seconds: Any, day: Any) -> Any:
        seconds[0] = day
        seconds[1:] = np.datetime64("1970-01-02")
        made = np.zeros(2, "m8[h]")
        made[1] = day - seconds[1]
        return made, np.array([day, day]), np.full(2, day), np.empty_like(seconds).dtype

    seconds = np.zeros(3, "M8[s]")
    day = np.datetime64("1970-01-03")
    found = fill(seconds, day)
    same(seconds, np.array(["1970-01-03", "1970-01-02", "1970-01-02"], "M8[s]"))
    same(found[0], np.array([0, 24], "m8[h]"))
    same(found[1], np.array([day, day]))
    same(found[2], np.array([day, day]))
    assert found[3] == np.dtype("M8[s]")


def test_dates_are_made_of_texts_and_numbers() -> None:
    @jit
    def made(n: int) -> Any:
        return (
            np.datetime64("2020-02-29T12"),
            np.datetime64("NaT"),
            np.timedelta64(n, "h"),
            np.datetime64(n, "D"),
            np.timedelta64(np.timedelta64(n, "D"), "s"),
        )

    expected = (
        np.datetime64("2020-02-29T12"),
        np.datetime64("NaT"),
        np.timedelta64(5, "h"),
        np.datetime64(5, "D"),
        np.timedelta64(5 * 86400, "s"),
    )
    for found, wanted in zip(made(5), expected):
        same(found, wanted)


START = np.datetime64("2024-01-02")
HOLIDAYS = np.array(["2024-01-01", "2024-12-25"], "M8[D]")


def test_dates_are_global_names_elements_and_variables() -> None:
    @jit
    def seen(t: Any) -> Any:
        best = START
        late = [day for day in t if day >= START]
        count = 0
        for day in t:
            best = max(best, day)
            count += day in HOLIDAYS
        found = None
        if count > 0:
            found = t[0]
        return best, late[0], len(late), count, found, (HOLIDAYS[1] - START if count else START - START)

    found = seen(DAYS)
    expected = (np.datetime64("2024-02-29"), np.datetime64("2024-02-29"), 1, 1, DAYS[0], HOLIDAYS[1] - START)
    for one, wanted in zip(found, expected):
        same(one, wanted)


def test_dates_are_fields_of_records() -> None:
    trades = np.array(
        [("2024-01-01", 5, 1.5), ("2024-01-03", 7, 2.5)], [("day", "M8[D]"), ("wait", "m8[s]"), ("price", "f8")]
    )

    @jit
    def move(trades: Any) -> Any:
        for k in range(len(trades)):
            trades[k].day += np.timedelta64(k, "D")
            trades[k]["wait"] = trades[k].wait * 2
        return trades.day, trades[0].day, trades[1:].copy()

    expected = trades.copy()
    expected["day"] += np.arange(2).astype("m8[D]")
    expected["wait"] *= 2
    found = move(trades)
    assert (trades == expected).all()
    same(found[0], expected["day"])
    same(found[1], expected["day"][0])
    assert (found[2] == expected[1:]).all()


def test_signatures_name_units() -> None:
    @jit("NPTimedelta('D')(NPDatetime('D'), NPDatetime('D'))")
    def between(a: Any, b: Any) -> Any:
        return b - a

    same(between(DAYS[1], DAYS[0]), np.timedelta64(1, "D"))
    assert types.typeof(DAYS) == types.NPDatetime("D")[:] and types.NPDatetime("D") != types.NPDatetime("s")
    assert str(types.NPTimedelta("ms")) == "timedelta64[ms]" and types.NPTimedelta("ms").unit == "ms"
    with pytest.raises(TypeError, match="units of one step"):
        types.NPTimedelta("10ms")


def test_parallel_loops_have_dates() -> None:
    @jit(parallel=True)
    def shifted(t: Any) -> Any:
        out = np.empty_like(t)
        for k in prange(len(t)):
            out[k] = t[k] + np.timedelta64(k, "D")
        return out

    same(shifted(DAYS), DAYS + np.arange(4).astype("m8[D]"))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda t: t + t,
        lambda t: t[0] * 2,
        lambda t: np.sqrt(t),
        lambda t: t[0] + 1.5,
        lambda t: float(t[0]),
        lambda t: t.astype(np.float64),
        lambda t: t[0] < 3,
    ],
)
def test_what_dates_do_not_have_is_refused(wrong: Any) -> None:
    with pytest.raises(TypingError):
        jit(wrong)(DAYS)


def test_totals_of_iterations_are_no_dates() -> None:
    @jit(parallel=True)
    def latest(t: Any) -> Any:
        best = t[0]
        for k in prange(len(t)):
            best = max(best, t[k])
        return best

    @jit(parallel=True)
    def total(t: Any) -> Any:
        whole = np.timedelta64(0, "D")
        for k in prange(len(t)):
            whole += t[k]
        return whole

    for function, given in ((latest, DAYS), (total, DAYS - DAYS[0])):
        with pytest.raises(UnsupportedError, match="64.D. in iterations of prange"):
            function(given)
    with pytest.raises(TypingError, match="an index is timedelta64"):
        jit(lambda x, k: x[k])(np.arange(3), np.timedelta64(1, "D"))


def test_a_number_is_no_date_of_an_array() -> None:
    @jit
    def store(t: Any) -> None:
        t[0] = 3

    with pytest.raises(TypingError, match="int64 where datetime64"):
        store(DAYS.copy())

    @jit
    def store_date(x: Any, t: Any) -> None:
        x[0] = t[0]

    with pytest.raises(TypingError, match="for an element of"):
        store_date(np.zeros(3, np.int64), DAYS)


def test_multiples_of_units_are_refused() -> None:
    with pytest.raises(TypingError, match="10D"):
        jit(lambda t: t)(np.zeros(3, "M8[10D]"))


def test_kernels_have_dates() -> None:
    @cuda.jit
    def later(trades: Any, days: Any, by: Any) -> None:
        k = cuda.grid(1)
        if k < trades.shape[0]:
            days[k] = trades[k].day + by
            trades[k].wait = days[k] - trades[0].day

    trades = np.array([("2024-01-01", 0), ("NaT", 1)], [("day", "M8[D]"), ("wait", "m8[D]")])
    days = np.zeros(2, "M8[D]")
    later[1, 2](trades, days, np.timedelta64(2, "D"))
    same(days, np.array(["2024-01-03", "NaT"], "M8[D]"))
    same(trades["wait"], np.array([2, "NaT"], "m8[D]"))
