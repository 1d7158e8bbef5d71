"""numba.typed: containers by Numba's names. A List is a list of Python's, which functions take and change; there are no dictionaries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from tessera.functions.function import Function
from tessera.functions.names import describe

__all__ = ["Dict", "List"]


def _empty_list(item_type: Any, allocated: Any = 0) -> Any:
    made = [item_type(0)]
    made.clear()
    return made


class _EmptyList:
    """`List.empty_list`: in Python a method of the class, in compiled functions one that is written in their language."""

    __name__ = "empty_list"
    _compiled = Function(_empty_list, None)

    def __call__(self, item_type: Any, allocated: int = 0, **options: Any) -> List:
        return List()

    def _describe(self) -> tuple[Any, ...]:
        return describe(self._compiled)


class List(list[Any]):
    """A list that Python and compiled functions share; in functions `List()` is an empty list, whose elements tell its type.

    An empty one is no argument: nothing tells the type of its elements."""

    _compiled_as = "builtins.list"
    empty_list = _EmptyList()

    def __init__(
        self, elements: Iterable[Any] = (), *, lsttype: Any = None, meminfo: Any = None, allocated: int = 0
    ) -> None:
        if lsttype is not None or meminfo is not None:
            raise NotImplementedError(
                "numba.typed.List(lsttype=..., meminfo=...): memory of Numba's; write List(elements)"
            )
        super().__init__(elements)


class Dict:
    """A dictionary that Python and compiled functions share. Making one raises."""

    _instead = "sorted arrays of keys and values with numpy.searchsorted, or an array that is indexed by small integers"

    def __new__(cls, *given: Any, **options: Any) -> NoReturn:
        raise NotImplementedError(f"numba.typed.Dict is not there; instead: {cls._instead}")

    @classmethod
    def empty(cls, *given: Any, **options: Any) -> NoReturn:
        """Raises, as making one does."""
        cls()
