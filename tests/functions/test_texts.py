"""Texts in functions with @jit: constants and those that are chosen at run time, as in CPython."""

import io
from contextlib import redirect_stdout

import numpy
import pytest

import tessera
from tessera import errors, jit, njit


def outcome(function, *arguments):
    out = io.StringIO()
    with redirect_stdout(out):
        try:
            result = function(*arguments)
        except Exception as error:
            result = type(error), error.args
    return result, out.getvalue()


def check(function, *arguments):
    assert outcome(njit(function), *arguments) == outcome(function, *arguments)


def chosen(n):
    if n < 0:
        return "negative"
    word = "even" if n % 2 == 0 else "odd"
    if n > 100:
        word = "large"
    return word


def joined(n):
    word = "a"
    if n > 1:
        word = "bc"
    return word + "-" + word, word * 2, len(word), word[0], word[-1:], "c" in word, word == "bc", word < "b"


def compared(n, name):
    word = "mean" if n else "sum"
    if word == name:
        return 1
    return 2 if word != "mean" else 3


def in_loops(n):
    last = "none"
    count = 0
    for k in range(n):
        if k % 3 == 0:
            last = "fizz"
        elif k % 5 == 0:
            last = "buzz"
        if last == "buzz":
            count += len(last)
    return last, count


def listed(n):
    words = []
    for k in range(n):
        if k % 2:
            words.append("odd")
        else:
            words.append("even")
    words.append("end")
    return words, words[0], len(words), "odd" in words, words.count("odd")


def in_tuples(n):
    names = ("x", "yy", "zzz")
    return names[n], len(names[n])


def or_none(n):
    word = None
    if n > 1:
        word = "there"
    if word is None:
        return None
    return word + "!"


def printed(n):
    word = "few" if n < 3 else "many"
    print(word, n, (word, None), None)
    print("x" + word)


def raised(n):
    word = "few" if n < 3 else "many"
    if n > 1:
        raise ValueError(word, n, None)
    return word


def characters(text):
    count = 0
    for one in text:
        if one == "a":
            count += 1
    return count, text[0], text[-1], text[1:3], text[::-1], text


def at(text, k):
    return text[k]


def truth(n):
    word = "" if n == 0 else "x"
    if word:
        return bool(word), not word
    return bool(word), not word


@pytest.mark.parametrize("n", [-1, 0, 1, 2, 7, 102])
@pytest.mark.parametrize("function", [chosen, joined, in_loops, or_none, printed, raised, truth])
def test_as_in_python(function, n):
    check(function, n)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_lists_of_texts(n):
    check(listed, n)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_tuple_of_texts_is_indexed_at_run_time(n):
    check(in_tuples, n)


@pytest.mark.parametrize("name", ["mean", "sum", "other"])
@pytest.mark.parametrize("n", [0, 1])
def test_texts_that_are_passed_are_compared(n, name):
    check(compared, n, name)


def written(n):
    flag = n > 1
    return str(flag), repr(flag), "a", repr("it's"), "", "x", str(12), repr(None), str(flag) + "!"


@pytest.mark.parametrize("n", [0, 2])
def test_texts_of_values(n):
    check(written, n)


@pytest.mark.parametrize("text", ["banana", "aé→😀", "abc"])
def test_characters(text):
    check(characters, text)
    for k in (-4, -1, 0, 2, 3, 9):
        check(at, text, k)


def test_texts_in_sides_and_calls():
    @njit
    def inner(flag):
        return "yes" if flag else "no"

    def outer(x):
        words = inner(x > 1), inner(x > 2)
        return words, words[0] == words[1]

    def plain(x):
        words = ("yes" if x > 1 else "no"), ("yes" if x > 2 else "no")
        return words, words[0] == words[1]

    for x in (0, 2, 3):
        assert njit(outer)(x) == plain(x)


def test_a_text_chosen_at_run_time_is_the_same_in_all_tiers():
    values = numpy.arange(5)
    compiled = jit(chosen)
    for _ in range(300):
        assert [compiled(int(v)) for v in values] == [chosen(v) for v in values]


def test_texts_that_grow_without_end_are_refused():
    @jit
    def grows(n):
        text = ""
        for _ in range(n):
            text += "ab"
        return text

    with pytest.raises(errors.CompileError, match="more than 256 texts"):
        grows(3)


def made(n, x, flag):
    text = "n=" + str(n) + ", x=" + repr(x)
    print(text)
    if n > 2:
        raise ValueError(f"{n} is more than {2}, with {x} and {flag!r}", text, n)
    words = [f"{n}!", f"{n + 1}!"]
    return text, str(n), f"{flag} {'a' if flag else 'b'} {x!r}", "", "plain", words, str(1j * n)


@pytest.mark.parametrize("n", [-3, 0, 2, 3, 2**62])
def test_texts_that_are_made_of_numbers(n):
    check(made, n, 2.5, True)
    check(made, n, 1e300, False)


def test_texts_of_all_integers():
    for dtype in ("int8", "uint8", "int32", "uint32", "int64", "uint64"):
        for value in (numpy.iinfo(dtype).min, 7, numpy.iinfo(dtype).max):
            assert njit(lambda x: str(x))(numpy.dtype(dtype).type(value)) == str(value)


def test_what_texts_of_numbers_are_not_for():
    with pytest.raises(errors.UnsupportedError, match="is compared"):
        njit(lambda n: str(n) == "1")(1)
    with pytest.raises(errors.UnsupportedError, match="with a format"):
        njit(lambda n: f"{n:03d}")(1)
    with pytest.raises(errors.UnsupportedError, match="a text of tuple"):
        njit(lambda n: str((n, n)))(1)


def test_calls_in_unrolled_loops_have_types_of_their_own():
    def outer(n):
        def inner(x):
            y = x
            return y if n else x

        found = 0
        for one in tessera.numba.literal_unroll((1, "text", 2.5)):
            if inner(one) == "text":
                found += 1
        return found

    check(outer, 1)
    check(outer, 0)


def test_texts_with_nuls_are_whole():
    @njit
    def same(x, flag):
        y = x if flag else "b\0c"
        return x, len(x), y, "a\0" + x

    for x in ("a\0b", "\0", "x" * 70 + "\0y"):
        assert same(x, True) == (x, len(x), x, "a\0" + x)
        assert same(x, False)[2] == "b\0c"


def test_parts_and_products_by_numbers_that_are_not_constant():
    def use(x, i, j, flag):
        y = "even" if flag else "odd"
        total = ""
        for c in y:
            total = c + total
        return x[i:j], x[j:i:-1], x * i, "ab" * j, y[i:], y[-1 - i], "xyz"[i:][::-1], total

    for flag in (True, False):
        assert njit(use)("hello", 1, 3, flag) == use("hello", 1, 3, flag)
    with pytest.raises(IndexError):
        njit(use)("hello", 7, 3, True)


def around(text, sep):
    return text.partition(sep), text.rpartition(sep)


@pytest.mark.parametrize("text", ["", "a", "a-b-c", "--", "häß-ö", "\U0001f600-x"])
@pytest.mark.parametrize("sep", ["-", "--", "b", "x", "ß-"])
def test_partitions(text, sep):
    assert njit(around)(text, sep) == around(text, sep)


def test_partitions_by_nothing_are_errors():
    with pytest.raises(ValueError, match="empty separator"):
        njit(around)("abc", "")


def begins(text, first, second, start, end):
    return (
        text.startswith((first, second)),
        text.endswith((first, second)),
        text.startswith((first, second), start),
        text.endswith((first, second), start, end),
    )


@pytest.mark.parametrize("text", ["", "abc", "bcab", "cab"])
@pytest.mark.parametrize("start", [0, 1, -2])
def test_beginnings_and_ends_of_several_texts(text, start):
    for first, second in [("a", "b"), ("", "x"), ("bc", "ab"), ("abcd", "c")]:
        assert njit(begins)(text, first, second, start, 3) == begins(text, first, second, start, 3)


def character_and_code(text, code):
    return ord(text), chr(code), ord(chr(code)), ord("q"), chr(77)


@pytest.mark.parametrize("text", ["a", "ß", "€", "\U0001f600", "\0"])
@pytest.mark.parametrize("code", [0, 65, 255, 256, 0xFFFF, 0x10FFFF])
def test_codes_of_characters(text, code):
    assert njit(character_and_code)(text, code) == character_and_code(text, code)


@pytest.mark.parametrize(
    ("text", "code", "error"),
    [("", 0, TypeError), ("ab", 0, TypeError), ("a", -1, ValueError), ("a", 0x110000, ValueError)],
)
def test_codes_of_no_characters_are_errors(text, code, error):
    with pytest.raises(error):
        character_and_code(text, code)
    with pytest.raises(error):
        njit(character_and_code)(text, code)


def facts(text):
    return text.isalnum(), text.isprintable(), len(text), text + "x", text[0], ord(text[0])


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\U0001f600\ud8ff"])
def test_surrogates_are_characters(text):
    assert njit(facts)(text) == facts(text)


@jit
def words_of(text):
    return text.split()


@jit
def number_of_words(text):
    found = {"of": 0}
    for word in text.split():
        found[word] = found.get(word, 0) + 1
    return found


@jit
def are_equal(x, y):
    u, v = x[70:], y[70:]  # short ones
    return x == y, u == v, u[1:] == v[1:], u[:5] == v[:5], u + "z" == v + "z", (u + "z")[:-1] == v, u + v == v + u


def test_split_knows_all_spaces_and_lengths():
    for code in range(256):
        text = f"{chr(code)}one{chr(code)}of{chr(code)}{chr(code)}many{chr(code)}" + "." * 70
        assert words_of(text) == text.split(), code
    lengths = " ".join("x" * n + "y" * (n % 3) for n in [*range(70), 500, 8, 16, 7])
    for text in (lengths, lengths + " ", lengths + "\u00e9 \u00e9", lengths + "\u0100 a\u0100", " " * 100, "." * 70):
        assert words_of(text) == text.split()
        expected = {"of": 0}
        for word in text.split():
            expected[word] = expected.get(word, 0) + 1
        assert number_of_words(text) == expected


def test_texts_of_all_lengths_and_widths_are_compared():
    before, letters = "-" * 70, "abcdefghij" * 13
    for n in [*range(1, 20), 62, 63, 64, 65, 130]:
        for last in ("q", "\u00e9", "\u0100", "\U00010000"):
            x, y = before + letters[:n] + last, before + letters[: n - 1] + "!" + last
            for other in (x[:1] + x[1:], y, x + "a", before + letters[:n] + "\u0101", before + letters[: n + 1]):
                assert are_equal(x, other) == are_equal.py_func(x, other), (x, other)
