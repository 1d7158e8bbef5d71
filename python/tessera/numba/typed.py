"""numba.typed: containers by Numba's names. Making one raises: compiled functions have lists of their own, and no dictionaries."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["Dict", "List"]


class List:
    """A list that Python and compiled functions share."""

    _instead = "a list of Python's, which compiled functions take, and give back what they add to it"

    def __new__(cls, *given: Any, **options: Any) -> NoReturn:
        raise NotImplementedError(f"numba.typed.{cls.__name__} is not there; instead: {cls._instead}")

    @classmethod
    def empty_list(cls, *given: Any, **options: Any) -> NoReturn:
        """Raises, as making one does."""
        cls()


class Dict:
    """A dictionary that Python and compiled functions share."""

    _instead = "sorted arrays of keys and values with numpy.searchsorted, or an array that is indexed by small integers"
    __new__ = List.__new__

    @classmethod
    def empty(cls, *given: Any, **options: Any) -> NoReturn:
        """Raises, as making one does."""
        cls()
