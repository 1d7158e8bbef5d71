"""Names of Numba's that programs use while they are imported: the program runs until it needs what is not there."""

from __future__ import annotations

from typing import Any


class Unavailable:
    """What is not there: a call of it, by Python or a compiled function, raises and says what to use instead, and so does an attribute."""

    def __init__(self, name: str, instead: str) -> None:
        self.__name__ = name
        self._text = f"{name} is not there; instead: {instead}"

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        raise NotImplementedError(self._text)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(self._text)

    def _describe(self) -> tuple[Any, ...]:
        return ("other", self.__name__)

    def __repr__(self) -> str:
        return f"<{self._text}>"


class Registrations:
    """A decorator with arguments by which packages say how Numba shall treat types of their own; the function stays as it is."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *given: Any, **options: Any) -> Any:
        return lambda decorated: decorated

    register = __call__

    def __repr__(self) -> str:
        return f"<{self.__name__}: types of one's own have no meaning in compiled functions>"
