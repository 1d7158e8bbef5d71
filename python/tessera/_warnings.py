"""Floating-point warnings of recorded work obey the filters that were in force where it was recorded.

Recorded work warns when it has run. So that a `warnings.catch_warnings` block (and `pytest.warns`, which is one) sees the warnings of
its own work and of no other, what is recorded runs when a block begins and when it ends. Inside a block that only silences or
collects, work is recorded and fused as ever. Where a filter turns RuntimeWarnings into errors, work runs at once.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from tessera import _core
from tessera._devices import CopyError


def _note_filters() -> None:
    raising = any([entry[0] == "error" and issubclass(RuntimeWarning, entry[2]) for entry in warnings.filters])
    _core.set_warnings_raise(raising)


def _then_note_filters(change: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(change)
    def changed(*args: Any, **kwargs: Any) -> Any:
        result = change(*args, **kwargs)
        _note_filters()
        return result

    return changed


def _run_pending() -> None:
    """What finds no memory, or needs a copy that is forbidden, stays recorded: the error is raised where the result is
    read, not in a block that has nothing to do with it."""
    try:
        _core.finish()
        _core.look_at_totals()
    except (MemoryError, CopyError):
        pass


def install() -> None:
    """Make `catch_warnings` and the filters known to the engine; once a process."""
    block: Any = warnings.catch_warnings
    if hasattr(block.__enter__, "__wrapped__"):
        return
    enter, leave = block.__enter__, block.__exit__

    @functools.wraps(enter)
    def begin(self: Any) -> Any:
        _run_pending()
        return enter(self)

    @functools.wraps(leave)
    def end(self: Any, *failure: Any) -> Any:
        try:
            _run_pending()
        except Warning:
            if not failure or failure[0] is None:
                raise  # otherwise the error under way says more
        finally:
            leave(self, *failure)
            _note_filters()

    block.__enter__, block.__exit__ = begin, end
    module: Any = warnings
    for name in ("_add_filter", "resetwarnings"):
        if hasattr(module, name):
            setattr(module, name, _then_note_filters(getattr(module, name)))
    _note_filters()
