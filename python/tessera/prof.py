"""Ranges for profilers (NVTX) and when they collect: the names of CuPy's `prof` and `cupyx.profiler`.

nsys profile --capture-range=cudaProfilerApi python prog.py
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tessera import _core

__all__ = ["TimeRangeDecorator", "profile", "time_range"]

# What `color_id` counts through: green, blue, yellow, magenta, cyan, red, white; alpha, red, green and blue in a byte each.
_COLORS = (0xFF00FF00, 0xFF0000FF, 0xFFFFFF00, 0xFFFF00FF, 0xFF00FFFF, 0xFFFF0000, 0xFFFFFFFF)


class time_range:
    """A named range that an attached profiler (Nsight Systems) shows: a block, or the calls of a function.

        with prof.time_range("spectra", 0): ...
        @prof.time_range()
        def spectra(): ...

    `message` is the name, of a decorated function its `__name__` unless given. `color_id` counts through green, blue, yellow,
    magenta, cyan, red and white, again from the start after the last; `argb_color` is alpha, red, green and blue in a byte each.
    Ranges nest and belong to their thread. Recorded work is shown where it runs, which may be after the range: with `sync=True`
    the range begins after all work before it and ends when all work in it is done. Without a profiler a range costs a call.

    Errors: ValueError for two colours, for a colour that is none, and for a block without a message.

    Examples
    --------
    >>> from tessera import prof
    >>> with prof.time_range("spectra"):
    ...     pass
    >>> @prof.time_range()
    ... def spectra():
    ...     return 1
    >>> spectra()
    1
    """

    def __init__(
        self,
        message: str | None = None,
        color_id: int | None = None,
        argb_color: int | None = None,
        sync: bool = False,
    ) -> None:
        if color_id is not None and argb_color is not None:
            raise ValueError(f"time_range: color_id={color_id} and argb_color={argb_color:#x}: give one of them")
        if argb_color is not None and not 0 <= argb_color <= 0xFFFFFFFF:
            raise ValueError(f"time_range: argb_color={argb_color} is no colour of four bytes, such as 0xFF00FF00")
        self.message = message
        self.color_id = color_id
        self.argb_color = argb_color
        self.sync = sync

    def _begin(self, message: str) -> None:
        if self.sync:
            _core.synchronize()
        is_counted = self.color_id is not None and self.color_id >= 0  # CuPy's -1 is no colour
        color = _COLORS[self.color_id % len(_COLORS)] if is_counted else self.argb_color
        _core.push_range(message, color)

    def __enter__(self) -> time_range:
        if self.message is None:
            raise ValueError('time_range: a block needs a message: with time_range("name"): ...')
        self._begin(self.message)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self.sync:
                _core.synchronize()
        finally:
            _core.pop_range()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        message = function.__name__ if self.message is None else self.message

        @functools.wraps(function)
        def inner(*args: Any, **kwargs: Any) -> Any:
            self._begin(message)
            try:
                return function(*args, **kwargs)
            finally:
                self.__exit__()

        return inner


TimeRangeDecorator = time_range


class profile:
    """A block, or the calls of a function, in which a profiler of the GPU collects; it has to be told to wait for that.

    `nsys profile --capture-range=cudaProfilerApi` or `ncu --profile-from-start off`. All work before the block is done before
    collecting begins, and all work of the block before it ends. Without a GPU it only waits.

    Examples
    --------
    >>> from tessera import prof
    >>> with prof.profile():
    ...     pass
    """

    def __enter__(self) -> profile:
        _core.set_collecting(True)
        return self

    def __exit__(self, *_: object) -> None:
        _core.set_collecting(False)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def inner(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return inner
