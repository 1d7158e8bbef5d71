"""Arrays of texts and bytes of a fixed width, bytes, and fields of records that hold them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tessera.errors import TypingError, UnsupportedError

from tessera import njit, prange, types

TEXTS = np.array(["ab", "c", "défg", "日本語", "", "a\0b", "🐍"])
BYTES = np.array([b"ab", b"c\0d", b"xyz", b"", b"\xff"])
CONSTANT = b"zz"


def alike(function: Any, *arguments: Any) -> None:
    """The compiled function gives what the function gives, and leaves the same in its arguments."""
    copies = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    wanted = function(*copies)
    got = njit(function)(*arguments)
    assert plain(got) == plain(wanted)
    for one, other in zip(arguments, copies):
        if isinstance(one, np.ndarray):
            assert plain(one) == plain(other)


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, repr(value.tolist())
    if isinstance(value, np.bytes_):
        return bytes(value)
    return tuple(map(plain, value)) if isinstance(value, tuple) else value


@pytest.mark.parametrize("array", [TEXTS, BYTES, TEXTS[::-2], BYTES[1:], TEXTS.astype(">U5")])
def test_elements_are_read(array: Any) -> None:
    def read(a: Any, k: int) -> Any:
        x = a[k]
        return x, len(x), x[:2], x[::-1], x == a[0], x != a[0], x < a[0], x >= a[-1], len(a), a.shape, a.size, a.ndim

    for k in range(-len(array), len(array)):
        alike(read, array, k)


def test_loops_over_elements_and_their_characters() -> None:
    def join(a: Any) -> str:
        text = ""
        for x in a:
            for c in x:
                text = text + c + "-"
        return text

    def total(a: Any) -> int:
        total = 0
        for x in a:
            for c in x:
                total += c
        return total

    alike(join, TEXTS)
    alike(total, BYTES)


@pytest.mark.parametrize(
    ("array", "long"), [(TEXTS, "hello world"), (BYTES, b"hello world"), (TEXTS.astype(">U4"), "日x")]
)
def test_what_is_stored_is_cut_to_the_width(array: Any, long: Any) -> None:
    def store(a: Any, x: Any) -> Any:
        a[0] = x
        a[2:4] = x
        a[-1] = a[1]
        a[np.array([1])] = x[:1]
        return a, a[1:], a[::2]

    alike(store, array.copy(), long)


def test_arrays_are_stored_in_arrays_of_another_width() -> None:
    def store(a: Any, b: Any) -> Any:
        a[:] = b
        a[1:] = b[:-1]
        return a

    alike(store, np.zeros(7, "U2"), TEXTS)
    alike(store, np.zeros(7, "U9"), TEXTS)
    alike(store, np.zeros(5, "S1"), BYTES)
    alike(store, TEXTS.copy(), TEXTS.copy())


def test_overlapping_parts_are_read_first() -> None:
    def shift(a: Any) -> Any:
        a[1:] = a[:-1]
        return a

    alike(shift, TEXTS.copy())

    def reverse(a: Any) -> Any:
        a[:] = a[::-1]
        return a

    alike(reverse, BYTES.copy())


def test_masks_and_arrays_of_indices() -> None:
    def pick(a: Any, k: Any, m: Any, b: Any) -> Any:
        picked = a[k], a[m], a[a == "ab"], a[a > "b"]
        a[m] = "new"
        a[k] = b[:2]
        return picked

    mask = np.array([True, False, True, False, True, False, False])
    alike(pick, TEXTS.copy(), np.array([3, 0]), mask, TEXTS[::-1].copy())


def test_whole_arrays_are_compared() -> None:
    def compare(a: Any, b: Any) -> Any:
        return a == b, a < b, a != "c", (a == "ab").sum()

    alike(compare, TEXTS, TEXTS[::-1].copy())
    with pytest.raises(ValueError, match="broadcast"):
        njit(compare)(TEXTS, TEXTS[:3])

    def with_text(a: Any, x: Any) -> Any:
        return a == x, x >= a, a[0] == x

    alike(with_text, TEXTS, "ab\0")
    alike(with_text, BYTES, b"ab\0\0")
    alike(with_text, TEXTS, "\0")


def test_new_arrays() -> None:
    def make(a: Any) -> Any:
        zeros = np.zeros(3, "U4")
        zeros[0] = "abcdef"
        empty = np.empty((2, 2), dtype="S2")
        empty[:] = b"x"
        copy = a.copy()
        copy[0] = "q"
        like = np.zeros_like(a)
        other = np.zeros(2, a.dtype)
        other[1] = a[2]
        return zeros, empty, copy, like, other

    alike(make, TEXTS)
    dtype = np.dtype("U3")

    def make_of(n: int) -> Any:
        made = np.zeros(n, dtype)
        made[1] = "four"
        return made

    alike(make_of, 2)


def test_elements_are_texts_and_bytes() -> None:
    def texts(a: Any) -> Any:
        x = a[0]
        counts = {}
        for one in a:
            counts[one] = counts.get(one, 0) + 1
        return (
            hash(x) == hash("ab"),
            hash(a[3]),
            x + "z",
            "z" + x,
            x * 2,
            x.upper(),
            str(x),
            x.find("b"),
            counts["c"],
            "b" in x,
            x in ("q", "ab"),
        )

    def raw(a: Any) -> Any:
        x = a[0]
        return hash(x), x + b"z", x + a[1], x * 3, x.upper(), x.find(b"b"), x.isupper(), x == b"ab", x[0], x == CONSTANT

    alike(texts, TEXTS)
    alike(raw, BYTES)


def test_str_of_an_element_of_bytes_is_its_characters() -> None:
    @njit
    def text(a: Any) -> Any:
        return str(a[0])

    assert text(BYTES) == "ab"  # as in Numba


def test_bytes() -> None:
    def use(b: bytes) -> Any:
        total = 0
        for x in b:
            total += x
        return (
            b,
            len(b),
            b[0],
            b[-1],
            b[1:],
            total,
            b == b"abc",
            b + b"d",
            b"%" + CONSTANT,
            b.hex if False else 0,
            b < b"b",
        )

    alike(use, b"abc")

    @njit
    def item(b: bytes, k: int) -> int:
        return b[k]

    with pytest.raises(IndexError):
        item(b"abc", 3)
    assert njit(lambda: b"\0\xff")() == b"\0\xff"


def test_texts_and_bytes_do_not_mix() -> None:
    @njit
    def store(a: Any, x: Any) -> None:
        a[0] = x

    with pytest.raises(TypingError):
        store(TEXTS.copy(), b"x")
    with pytest.raises(TypingError):
        store(BYTES.copy(), "x")
    with pytest.raises(TypingError):
        store(TEXTS.copy(), 3)
    assert njit(lambda a, b: (a[0] == b[0], a[0] != b[0]))(TEXTS, BYTES) == (False, True)
    with pytest.raises(TypingError):
        njit(lambda a, b: a[0] < b[0])(TEXTS, BYTES)
    with pytest.raises((TypingError, UnsupportedError)):
        njit(lambda a: str(a))(b"abc")


RECORDS = np.array(
    [(1, "ab", b"xy", [1, 2], ["p", "q"], ("in", 3)), (2, "cde", b"z", [3, 4], ["rr", "s"], ("ner", 4))],
    dtype=[
        ("i", "i4"),
        ("u", "U3"),
        ("s", "S2"),
        ("n", "f8", (2,)),
        ("t", "U2", (2,)),
        ("r", [("w", "U3"), ("k", "i2")]),
    ],
)


def test_fields_of_records() -> None:
    def read(r: Any) -> Any:
        return (
            r[0]["u"],
            r[1]["s"],
            r["u"],
            r["s"][1],
            r["n"][0],
            r[1]["t"][0],
            r["t"],
            r[0]["r"]["w"],
            r["r"]["w"][1],
            len(r[1]["u"]),
        )

    alike(read, RECORDS)

    def store(r: Any) -> Any:
        r[0]["u"] = "longer"
        r[1]["s"] = b"qqq"
        r["u"][1] = "x"
        r[0]["t"][1] = "mmm"
        r[1]["t"] = "k"
        r["r"]["w"] = r["u"]
        return r

    alike(store, RECORDS.copy())

    @njit
    def one(r: Any) -> Any:
        r.u = "z"
        return r.u, r.s, r.t[1], r.r.w

    record = RECORDS.copy()[1]
    assert one(record) == ("z", b"z", "s", "ner") and record["u"] == "z"


def test_new_records_have_texts() -> None:
    dtype = np.dtype([("a", "i4"), ("t", "U4"), ("b", "S3")])

    @njit
    def make(n: int) -> Any:
        made = np.zeros(n, dtype)
        for k in range(n):
            made[k].a = k
            made[k].t = "text" if k % 2 else "te"
            made[k]["b"] = b"bytes"
        return made

    made = make(3)
    assert made.dtype == dtype and made.tolist() == [(0, "te", b"byt"), (1, "text", b"byt"), (2, "te", b"byt")]


def test_records_of_other_widths_are_converted() -> None:
    wide, narrow = np.dtype([("a", "i4"), ("t", "U6")]), np.dtype([("a", "i4"), ("t", "U2")])

    def copy(to: Any, of: Any) -> Any:
        for k in range(len(of)):
            to[k]["t"] = of[k]["t"]
        return to

    alike(copy, np.zeros(2, wide), np.array([(1, "ab"), (2, "c")], narrow))
    alike(copy, np.zeros(2, narrow), np.array([(1, "abcdef"), (2, "c")], wide))


def test_ellipses_leave_the_axes_of_fields() -> None:
    two = np.array([["a", "bc"], ["d", "ef"]])
    alike(lambda a: (a[..., 0], a[1, ...], a[0, 1], a.T[0], a[:, 1]), two)
    records = np.zeros((2, 3), [("a", "i4", (2,)), ("b", "f8")])
    records["a"] = np.arange(12).reshape(2, 3, 2)

    @njit
    def last(r: Any) -> Any:
        return r[..., 1]["a"].sum(), r[..., 1]["b"].shape

    assert last(records) == (records[..., 1]["a"].sum(), (2,))


def test_arrays_outside_of_the_function() -> None:
    def read(k: int) -> Any:
        return TEXTS[k], BYTES[k], CONSTANT, len(TEXTS), TEXTS[::-1][k], RECORDS[1]["u"], RECORDS["u"][0]

    alike(read, 2)


def test_methods_with_lists_and_arguments_by_name() -> None:
    def texts(a: Any, x: Any) -> Any:
        words = x.split(maxsplit=1)
        return (
            ",".join(a),
            words[0],
            words[1],
            len(x.split(sep="b")),
            x.split("b", 1)[1],
            x.rsplit(sep=" ", maxsplit=1)[0],
        )

    def raw(a: Any, x: Any) -> Any:
        words = x.split()
        return (
            b",".join(a),
            b"-".join([a[0], a[1]]),
            words[0],
            words[1],
            x.split(b"b")[1],
            x.splitlines(keepends=True)[0],
        )

    alike(texts, np.array(["ab", "c"]), "a b  cb d")
    alike(raw, np.array([b"ab", b"c"]), b"a b\ncb d")

    def add(a: Any) -> Any:
        a[0] += a[1]
        a[1] += "xyz"
        return a

    alike(add, np.array(["ab", "c", "def"]))
    with pytest.raises(TypingError):
        njit(lambda a, x: x.join([a[0]]))(BYTES, "x")


def test_arrays_without_axes() -> None:
    def read(a: Any) -> Any:
        x = a[()]
        a[()] = "new one"
        return x, a[()]

    alike(read, np.array("abc"))


def test_prange_reads_and_stores() -> None:
    @njit(parallel=True)
    def mark(a: Any, out: Any) -> Any:
        for k in prange(len(a)):
            out[k] = a[k] if len(a[k]) > 2 else "short"
        return out

    many = np.array([str(k) * (k % 5) for k in range(5000)])
    assert mark(many, np.zeros(5000, "U5")).tolist() == [(x if len(x) > 2 else "short")[:5] for x in many.tolist()]


def test_types() -> None:
    assert types.typeof(TEXTS) == types.Array(types.UnicodeCharSeq(4), 1, "C") != types.typeof(BYTES)
    assert repr(types.UnicodeCharSeq(3)) == "[unichr x 3]" and repr(types.CharSeq(4)) == "[char x 4]"
    seen = []

    def asked(x: Any) -> None:
        raise NotImplementedError

    from tessera.extending import overload

    @overload(asked)
    def choose(x: Any) -> Any:
        seen.append(x)
        return lambda x: len(x)

    assert njit(lambda a: asked(a))(TEXTS) == len(TEXTS)
    assert seen[0].dtype == types.UnicodeCharSeq(4)
    assert njit("int64(Array(UnicodeCharSeq(4), 1, 'C'))")(lambda a: len(a[0]))(TEXTS) == 2


def test_nothing_of_memory_is_kept() -> None:
    @njit
    def churn(a: Any, n: int) -> int:
        total = 0
        for k in range(n):
            x = a[k % len(a)] + "x"
            a[(k + 1) % len(a)] = x
            total += len(x)
        return total

    array = TEXTS.copy()
    before = sys.getrefcount(array)
    assert churn(array, 20000) > 0
    assert sys.getrefcount(array) == before


characters = st.text(st.characters(max_codepoint=0x1F600, exclude_categories=["Cs"]), max_size=6)


@settings(deadline=None, max_examples=60)
@given(st.lists(characters, min_size=1, max_size=6), st.integers(1, 7), characters, st.data())
def test_texts_as_numpy(texts: list[str], width: int, x: str, data: Any) -> None:
    k = data.draw(st.integers(-len(texts), len(texts) - 1))
    alike(_use, np.array(texts, f"U{width}"), k, x)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.binary(max_size=6), min_size=1, max_size=6), st.integers(1, 7), st.binary(max_size=8), st.data())
def test_bytes_as_numpy(texts: list[bytes], width: int, x: bytes, data: Any) -> None:
    k = data.draw(st.integers(-len(texts), len(texts) - 1))
    alike(_use, np.array(texts, f"S{width}"), k, x)


def _use(a: Any, k: int, x: Any) -> Any:
    old = a[k]
    same = a == old
    a[k] = x
    a[::2] = a[k]
    return old, len(old), old == x, old < x, old + x, x[1:] + old[:1], a[k], same, a[a == x], a[k] == x
