"""Methods of texts that compiled functions do not ask of Python, in the language that they are compiled from; their meaning is Python's."""

from __future__ import annotations

from typing import Any

from tessera.functions.function import Function

_methods: dict[str, Function] = {}


def find(name: str) -> Any:
    """The function of this name, such as "text.partition", as the compiler takes it; None if there is none."""
    function = _methods.get(name)
    return None if function is None else function._kernel_function()


def _method(name: str) -> Any:
    def add(function: Any) -> Function:
        _methods[f"text.{name}"] = made = Function(function, None)
        return made

    return add


@_method("partition")
def _partition(text: Any, sep: Any) -> Any:
    if len(sep) == 0:
        raise ValueError("empty separator")
    place = text.find(sep)
    if place < 0:
        return text[:], text[:0], text[:0]
    return text[:place], text[place : place + len(sep)], text[place + len(sep) :]


@_method("rpartition")
def _rpartition(text: Any, sep: Any) -> Any:
    if len(sep) == 0:
        raise ValueError("empty separator")
    place = text.rfind(sep)
    if place < 0:
        return text[:0], text[:0], text[:]
    return text[:place], text[place : place + len(sep)], text[place + len(sep) :]


@_method("startswith")
def _startswith(text: Any, prefixes: Any, start: Any, end: Any) -> Any:
    for one in prefixes:
        if text.startswith(one, start, end):
            return True
    return False


@_method("endswith")
def _endswith(text: Any, suffixes: Any, start: Any, end: Any) -> Any:
    for one in suffixes:
        if text.endswith(one, start, end):
            return True
    return False
