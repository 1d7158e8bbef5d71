"""Bars for work that takes long: `tessera.progress()`."""

from __future__ import annotations

import threading
from typing import Any


def _title(name: str) -> str:
    """The first few operations of a window, or the name of a routine or kernel."""
    head, _, names = name.partition(": ")
    if not head.startswith("window of"):
        return name
    distinct = list(dict.fromkeys(names.split(", ")))
    return ", ".join(distinct[:4]) + (", ..." if len(distinct) > 4 else "")


class Progress:
    """A bar while the cores compute for longer than `after` seconds; `close()` ends that, as the end of a `with` block does."""

    def __init__(self, after: float, every: float) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError("tessera.progress needs tqdm: pip install tqdm, or 'tessera[progress]'") from error
        from tessera import _core

        self._core, self._tqdm = _core, tqdm
        self._after, self._every = after, every
        self._bar: Any = None
        self._number = -1
        self._ended = threading.Event()
        _core.count_progress(True)
        self._thread = threading.Thread(target=self._watch, name="tessera.progress", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(self._every):
            self._show(self._core.progress())
        self._end_bar()

    def _show(self, now: tuple[int, str, int, int, float] | None) -> None:
        if now is None or now[0] != self._number:
            self._end_bar()
        if now is None:
            return
        number, name, done, total, seconds = now
        title = _title(name)
        if self._bar is None:
            if seconds < self._after:
                return
            self._number = number
            form = None if total else "{desc}: {elapsed}"
            self._bar = self._tqdm(
                total=total or None,
                desc=title,
                bar_format=form,
                unit="",
                unit_scale=True,
                leave=False,
                dynamic_ncols=True,
            )
        if self._bar.total is not None and total > self._bar.total:
            self._bar.total = total
        if title != self._bar.desc.removesuffix(": "):
            self._bar.set_description(title, refresh=False)
        self._bar.update(done - self._bar.n)
        self._bar.refresh()

    def _end_bar(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def close(self) -> None:
        """Shows no bars any more."""
        if not self._ended.is_set():
            self._core.count_progress(False)
            self._ended.set()
            self._thread.join()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_current: Progress | None = None


def progress(after: float = 0.5, *, every: float = 0.1) -> Progress:
    """Show a bar while the cores compute for longer than `after` seconds, in a terminal or a notebook.

    It looks every `every` seconds how much is done, and names the operations. `with tessera.progress():` does so for a block;
    without `with` it goes on until `close()`. Bars are tqdm's (`pip install 'tessera[progress]'`). Without it nothing is counted.
    A sort and its like cannot say how far they are, and what a GPU does is not shown.

    Errors: ImportError without tqdm; ValueError for times below zero.

    Examples
    --------
    >>> import tessera
    >>> import tessera.numpy as np
    >>> with tessera.progress():
    ...     total = float(np.arange(5000.0).sum())
    """
    global _current
    if after < 0 or every <= 0:
        raise ValueError(f"tessera.progress: after={after} and every={every} are seconds, at least 0 and above 0")
    if _current is not None:
        _current.close()
    _current = Progress(after, every)
    return _current
