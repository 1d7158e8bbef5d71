"""Types of constants: which overloads are chosen for them, as Numba chooses."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from tessera.errors import TypingError
from tessera.extending import overload, overload_method

from tessera import njit, types

NAMES = {
    "Integer": types.Integer,
    "IntegerLiteral": types.IntegerLiteral,
    "UnicodeType": types.UnicodeType,
    "StringLiteral": types.StringLiteral,
    "Boolean": types.Boolean,
    "BooleanLiteral": types.BooleanLiteral,
    "Literal": types.Literal,
}


def calls(*choosers: str) -> Any:
    """A call with a constant: each chooser lists the classes that it asks for in order, "!" before them prefers values."""

    def asked(x: Any) -> Any:
        raise NotImplementedError

    for chooser in choosers:
        names = chooser.lstrip("!").split()

        def choose(x: Any, names: list[str] = names) -> Any:
            for name in names:
                if isinstance(x, NAMES[name]):
                    return {
                        "Integer": lambda x: "Integer",
                        "IntegerLiteral": lambda x: "IntegerLiteral",
                        "UnicodeType": lambda x: "UnicodeType",
                        "StringLiteral": lambda x: "StringLiteral",
                        "Boolean": lambda x: "Boolean",
                        "BooleanLiteral": lambda x: "BooleanLiteral",
                        "Literal": lambda x: "Literal",
                    }[name]
            return None

        overload(asked, prefer_literal=chooser.startswith("!"), strict=False)(lambda x, choose=choose: choose(x))
    return asked


def chosen(asked: Any) -> tuple[Any, ...]:
    @njit
    def integer() -> Any:
        return asked(7)

    @njit
    def text() -> Any:
        return asked("s")

    @njit
    def truth() -> Any:
        return asked(True)

    return integer(), text(), truth()


# What Numba 0.68 chooses.
@pytest.mark.parametrize(
    ("choosers", "wanted"),
    [
        (
            ["Integer IntegerLiteral UnicodeType StringLiteral Boolean BooleanLiteral"],
            ("Integer", "UnicodeType", "Boolean"),
        ),
        (
            ["IntegerLiteral StringLiteral BooleanLiteral", "Integer UnicodeType Boolean"],
            ("IntegerLiteral", "StringLiteral", "BooleanLiteral"),
        ),
        (["Integer UnicodeType Boolean", "IntegerLiteral StringLiteral"], ("Integer", "UnicodeType", "Boolean")),
        (["!IntegerLiteral StringLiteral Boolean Integer UnicodeType"], ("IntegerLiteral", "StringLiteral", "Boolean")),
        (["!Integer Literal UnicodeType Boolean"], ("Integer", "Literal", "Literal")),
        (["!Literal", "Integer UnicodeType Boolean"], ("Literal", "Literal", "Literal")),
        (["Integer UnicodeType Boolean", "!Literal"], ("Integer", "UnicodeType", "Boolean")),
    ],
)
def test_constants_choose_as_in_numba(choosers: list[str], wanted: tuple[str, ...]) -> None:
    assert chosen(calls(*choosers)) == wanted


def test_a_function_that_does_not_compile_for_the_type_gives_way_to_the_one_for_the_value() -> None:
    def asked(x: Any) -> Any:
        raise NotImplementedError

    @overload(asked)
    def choose(x: Any) -> Any:
        if isinstance(x, types.Literal):
            return lambda x: "value"
        return lambda x: x.no_such_name

    @njit
    def call() -> Any:
        return asked(3)

    assert call() == "value"

    @njit
    def call_with(x: Any) -> Any:
        return asked(x)

    with pytest.raises(TypingError):
        call_with(2.5)


def test_literals_are_types_of_what_they_are_values_of() -> None:
    three, true, text = types.literal(3), types.literal(True), types.literal("abc")
    assert isinstance(three, types.Integer) and isinstance(three, types.Number) and three.signed
    assert isinstance(true, types.Boolean) and not isinstance(true, types.Integer)
    assert isinstance(text, types.Literal) and not isinstance(text, types.UnicodeType)
    assert (three.literal_type, true.literal_type, text.literal_type) == (
        types.int64,
        types.boolean,
        types.unicode_type,
    )
    assert three == types.literal(3) != types.int64 and {three: 1}[types.literal(3)] == 1
    assert three != types.literal(4) and true != types.literal(1)
    assert list(map(repr, (three, true, text))) == ["Literal[int](3)", "Literal[bool](True)", "Literal[str](abc)"]
    assert types.unliteral(types.Tuple((three, types.float64))) == types.Tuple((types.int64, types.float64))
    assert pickle.loads(pickle.dumps((three, true, text))) == (three, true, text)
    with pytest.raises(TypeError, match="literal"):
        types.Literal(3)
    with pytest.raises(TypingError):
        types.literal(2.5)


def test_methods_of_literals() -> None:
    @overload_method(types.UnicodeType, "shouted")
    def shouted(text: Any) -> Any:
        return lambda text: text.upper() + "!"

    @njit
    def call(x: Any) -> Any:
        return "abc".shouted(), x.shouted()

    assert call("de") == ("ABC!", "DE!")


def test_a_chooser_that_needs_values_is_not_asked_without_them() -> None:
    def scaled(x, times=2):
        raise NotImplementedError

    @overload(scaled, prefer_literal=True)
    def choose(x, times=2):
        factor = times.literal_value  # an AttributeError for a number whose value is not known
        return lambda x, times=2: x * factor

    assert njit(lambda x: scaled(x, times=3))(5) == 15
    with pytest.raises(TypingError, match="literal_value"):
        njit(lambda x, k: scaled(x, times=k))(5, 3)
