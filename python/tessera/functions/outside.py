"""Outside: a function of Python's that compiled functions call, with what the compiler asks of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


class Outside:
    """A function that the host runs. `sample` is called in its place to find the types of results; `changed` are the places of arguments that a
    call changes, of so many."""

    _runs_on_host = True

    def __init__(
        self,
        name: str,
        run: Callable[..., Any],
        sample: Callable[..., Any],
        changed: Callable[[int], Iterable[int]] = lambda count: (),
    ) -> None:
        self.__name__ = name
        self._run = run
        self._sample = _Sample(name, sample, changed)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._run(*arguments, **named)


class _Sample:
    def __init__(self, name: str, run: Callable[..., Any], changed: Callable[[int], Iterable[int]]) -> None:
        self.__name__ = name
        self._run = run
        self._changed_arguments = changed

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._run(*arguments, **named)
