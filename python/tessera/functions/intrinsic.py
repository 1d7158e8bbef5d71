"""What compiled functions call and Python cannot: objects that stand for functions of the compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

# Where kernels run as Python: evaluates an intrinsic there.
evaluate: Callable[[Intrinsic, tuple[Any, ...]], Any] | None = None


class Intrinsic:
    """A function or a value that exists in kernels only, under the name by which they know it."""

    def __init__(self, name: str, doc: str) -> None:
        self.path = name
        self.__name__ = name.rpartition(".")[2]
        self.__doc__ = doc

    def _refuse(self) -> NoReturn:
        raise RuntimeError(
            f"{self.path} has a meaning in kernels only: functions with @cuda.jit, launched as f[grid, block](...)"
        )

    def __call__(self, *arguments: Any, **_: Any) -> Any:
        if evaluate is None:
            self._refuse()
        return evaluate(self, arguments)

    def __int__(self) -> int:
        self._refuse()

    __index__ = __int__

    def __repr__(self) -> str:
        return f"<{self.path}, in kernels>"


class Namespace:
    """Intrinsics under a common name: cuda.atomic, cuda.shared, cuda.threadIdx."""

    def __init__(self, path: str, doc: str, members: dict[str, str]) -> None:
        self._path = path
        self.__doc__ = doc
        for name, text in members.items():
            setattr(self, name, Intrinsic(f"{path}.{name}", text))

    def __repr__(self) -> str:
        return f"<{self._path}, in kernels>"
