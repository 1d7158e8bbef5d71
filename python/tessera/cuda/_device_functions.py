"""Device functions: what kernels call."""

from __future__ import annotations

import re
from typing import Any, NoReturn

from tessera import _core, types
from tessera.cuda import _inspection
from tessera.functions import signatures
from tessera.functions.function import Function


class DeviceFunction(Function):
    """A function that kernels call. With signatures calls convert numbers to their types, and the result to theirs."""

    def __init__(self, function: Any, source: str | None, signature: Any, options: dict[str, Any]) -> None:
        super().__init__(function, source)
        self._options = options
        listed = signature if isinstance(signature, list) else [] if signature is None else [signature]
        self._converts_to = tuple(map(signatures.parse_with_result, listed))

    @property
    def signatures(self) -> list[tuple[Any, ...]]:
        """The types of arguments that the decorator lists."""
        return [kinds for kinds, _ in self._converts_to]

    def inspect_asm(self, signature: Any = None, cc: Any = None) -> Any:
        """PTX of the function for these types, by Numba's convention; without them a dict of the decorator's signatures."""
        if signature is None:
            return {known: self.inspect_asm(known, cc) for known in self.signatures}
        return ptx_of(self, signature, _inspection.capability_of(cc), abi="numba")[0]

    def inspect_sass(self, signature: Any = None) -> NoReturn:
        raise RuntimeError(f"{self.__name__}: Cannot inspect SASS of a device function: kernels have it inlined")

    def __getitem__(self, configuration: Any) -> NoReturn:
        raise RuntimeError(
            f"{self.__name__}: Cannot compile a device function as a kernel; leave device=True out, or call it from a kernel"
        )


def ptx_of(
    function: Function,
    signature: Any,
    capability: int,
    abi: str,
    name: str | None = None,
    fastmath: bool | None = None,
    lineinfo: bool | None = None,
) -> tuple[str, Any]:
    """The PTX of a function for these types, and the dtype of its result."""
    kinds, result = signatures.parse_with_result(signature)
    if result is None:
        result = dict(function._converts_to).get(kinds)
    wanted = result.dtype if isinstance(result, types.Scalar) else None
    options = getattr(function, "_options", {})
    if fastmath is None:
        fastmath = bool(options.get("fastmath"))
    if lineinfo is None:
        lineinfo = bool(options.get("lineinfo"))
    text, dtype = function._kernel_function().compile_device(
        kinds,
        wanted,
        name or re.sub(r"\W", "_", function.__name__),
        abi == "numba",
        _core.kernels.CompileOptions(is_function=True, is_device=True, fast_math=fastmath, has_lines=lineinfo),
        capability,
    )
    return text, dtype
