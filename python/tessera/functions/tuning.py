"""autotune: a kernel's block chosen by trying."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from typing import Any

import numpy

__all__ = ["TunedKernel", "autotune"]


def autotune(*, block: Sequence[Any], repeat: int = 3, **choices: Sequence[Any]) -> Any:
    """Makes a kernel that is launched with the fastest of several blocks.

    `@tessera.autotune(block=[64, 128, 256])` above `@cuda.jit`; called as `kernel(*arguments, size=n)`. `block` lists numbers of threads
    or tuples of up to three, x first; `choices` list values of further parameters of the kernel, by name. The first call for the
    types of its arguments and a size runs each candidate `repeat` times on copies of the arrays, so that it has the effect of one
    launch; what was fastest then is kept. Candidates that the device refuses are left out.

    Raises ValueError for an empty list, and what the launches raised where all candidates fail.

    Examples
    --------
    >>> import numpy
    >>> import tessera
    >>> from tessera import cuda
    >>> @tessera.autotune(block=[64, 128])
    ... @cuda.jit
    ... def double(x):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] *= 2
    >>> x = numpy.ones(1000)
    >>> double(x, size=x.size)
    >>> x[:3]
    array([2., 2., 2.])
    """
    if not block or not all(choices.values()):
        raise ValueError("autotune: a list of candidates is empty; write block=[64, 128, 256], for example")
    return lambda kernel: TunedKernel(kernel, list(block), int(repeat), {name: list(v) for name, v in choices.items()})


class TunedKernel:
    """A kernel with candidates for its block; `best` has the chosen ones, `seconds` what each candidate took."""

    def __init__(self, kernel: Any, blocks: list[Any], repeat: int, choices: dict[str, list[Any]]) -> None:
        functools.update_wrapper(self, kernel)
        self.kernel = kernel
        self.best: dict[Any, dict[str, Any]] = {}
        self.seconds: dict[Any, list[tuple[dict[str, Any], float]]] = {}
        self._repeat = max(1, repeat)
        self._candidates = [{"block": one} for one in blocks]
        for name, values in choices.items():
            self._candidates = [{**candidate, name: value} for candidate in self._candidates for value in values]

    def __call__(self, *arguments: Any, size: Any, stream: Any = 0) -> None:
        """Launches for at least `size` threads, a number or a tuple of up to three, x first."""
        sizes = tuple(size) if isinstance(size, (tuple, list)) else (size,)
        if not 1 <= len(sizes) <= 3 or not all(isinstance(n, (int, numpy.integer)) and n > 0 for n in sizes):
            raise ValueError(f"{self.__name__}: size is {size!r}; give a positive number, or up to three")
        key = (sizes, tuple(map(_kind, arguments)))
        if key not in self.best:
            self.best[key] = self._choose(key, arguments, sizes)
        self._launch(self.best[key], arguments, sizes, stream)

    def _launch(
        self, candidate: dict[str, Any], arguments: tuple[Any, ...], sizes: tuple[int, ...], stream: Any
    ) -> None:
        block = candidate["block"]
        threads = tuple(block) if isinstance(block, (tuple, list)) else (block,)
        threads += (1,) * (len(sizes) - len(threads))
        grid = tuple(-(-n // t) for n, t in zip(sizes, threads))
        named = {name: value for name, value in candidate.items() if name != "block"}
        self.kernel[grid, threads, stream](*arguments, **named)

    def _choose(self, key: Any, arguments: tuple[Any, ...], sizes: tuple[int, ...]) -> dict[str, Any]:
        seconds: list[tuple[dict[str, Any], float]] = []
        failure: Exception | None = None
        for candidate in self._candidates:
            try:
                seconds.append((candidate, self._time(candidate, arguments, sizes)))
            except Exception as error:
                failure = error
        if not seconds:
            assert failure is not None
            raise failure
        self.seconds[key] = seconds
        return min(seconds, key=lambda pair: pair[1])[0]

    def _time(self, candidate: dict[str, Any], arguments: tuple[Any, ...], sizes: tuple[int, ...]) -> float:
        from tessera import cuda

        copies = tuple(map(_copied, arguments))
        self._launch(candidate, copies, sizes, 0)  # compiles, too
        cuda.synchronize()
        shortest = float("inf")
        for _ in range(self._repeat):
            start = time.perf_counter()
            self._launch(candidate, copies, sizes, 0)
            cuda.synchronize()
            shortest = min(shortest, time.perf_counter() - start)
        return shortest

    def __repr__(self) -> str:
        return f"<tuned kernel {self.__name__}, {len(self._candidates)} candidates>"


def _kind(value: Any) -> Any:
    dtype = getattr(value, "dtype", None)
    return (str(dtype), numpy.ndim(value)) if dtype is not None else type(value).__name__


def _copied(value: Any) -> Any:
    """A copy of an array on the device where it is, since candidates write."""
    if isinstance(value, tuple):
        return tuple(map(_copied, value))
    return value.copy() if hasattr(value, "dtype") and numpy.ndim(value) > 0 else value
