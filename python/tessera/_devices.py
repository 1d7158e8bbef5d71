"""Where work runs, and what copies between host and device may do."""

from __future__ import annotations

import contextlib
import threading
from typing import Any


class _Outer(threading.local):
    """What held before each block that this thread is in: blocks of one object may nest, in several threads at once."""

    def __init__(self) -> None:
        self.blocks: list[Any] = []


class CopyError(RuntimeError):
    """A copy between host and device, or between devices, that `copy_guard("error")` forbids.

    Examples
    --------
    >>> import tessera
    >>> import tessera.numpy as np
    >>> with tessera.device("simulated"), tessera.copy_guard("error"):
    ...     x = np.arange(5000.0) * 2
    ...     try:
    ...         print(x[0])
    ...     except tessera.CopyError:
    ...         print("the copy is forbidden")
    the copy is forbidden
    """


class device:
    """Where the work of a `with` block runs: `with tessera.device("gpu:0"): ...`; "cpu", "gpu", "gpu:N", "gpu:0-1" or "auto".

    Arrays go where they are needed; each copy is counted. Without a `with` block the environment variable TESSERA_DEVICE decides;
    without that it is "auto": what is done sooner on the first GPU goes there, if there is one. On several, "gpu:0-1", what needs nothing of
    each other is spread over them, and what depends on something stays with its data.

    Raises ValueError for other names, RuntimeError where there is no such GPU.

    Examples
    --------
    >>> import tessera
    >>> import tessera.numpy as np
    >>> with tessera.device("cpu"):
    ...     total = float(np.arange(5000.0).sum())
    >>> total
    12497500.0
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self._outer = _Outer()

    def __enter__(self) -> device:
        from tessera import _core

        outer = _core.device()
        try:
            _core.set_device(self.where)
        except BaseException:
            with contextlib.suppress(Exception):
                _core.set_device(outer)
            raise
        self._outer.blocks.append(outer)
        return self

    def __exit__(self, *_: object) -> None:
        from tessera import _core

        _core.set_device(self._outer.blocks.pop())


_RULES = ("allow", "log", "error")


class copy_guard:
    """What copies of arrays between host and device, and between devices, do in a `with` block, on this thread: "allow", "log" or "error".

    `with tessera.copy_guard("log"):` sets all of them, `copy_guard(from_device="error")` one. "log" writes a line a copy to the
    logger `tessera.copies`: bytes, shape, data type, where the array was made and where it was asked for. "error" raises a
    `tessera.CopyError` that says the same, before anything moves; what was recorded stays recorded. `tessera.asnumpy` and
    `tessera.to_device` copy all the same. The environment variable TESSERA_COPIES sets all of them for a whole process;
    `tessera.counters()` counts copies and bytes always.

    Work recorded in the block runs before it ends. With device "auto" nothing goes to a device for which "error" is set.
    Raises ValueError for any other rule.

    Examples
    --------
    >>> import tessera
    >>> import tessera.numpy as np
    >>> with tessera.device("simulated"), tessera.copy_guard(to_device="error"):
    ...     x = np.arange(5000.0) * 2
    >>> float(x[-1])
    9998.0
    """

    def __init__(
        self,
        rule: str | None = None,
        *,
        to_device: str | None = None,
        from_device: str | None = None,
        between_devices: str | None = None,
    ) -> None:
        for given in (rule, to_device, from_device, between_devices):
            if given not in (None, *_RULES):
                raise ValueError(f"copy_guard: a rule must be 'allow', 'log' or 'error' (got {given!r})")
        self._rules = (to_device or rule, from_device or rule, between_devices or rule)
        self._outer = _Outer()

    def __enter__(self) -> copy_guard:
        from tessera import _core

        _core.flush()
        outer = _core.copy_guard()
        _core.set_copy_guard(*(rule or known for rule, known in zip(self._rules, outer)))
        self._outer.blocks.append(outer)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        from tessera import _core

        try:
            if kind is None:
                _core.flush()
        finally:
            _core.set_copy_guard(*self._outer.blocks.pop())


def asnumpy(array: Any) -> Any:
    """The NumPy array that shares `array`'s memory on the host, copied there if need be; anything else as `numpy.asarray` reads it.

    Examples
    --------
    >>> import tessera
    >>> import tessera.numpy as np
    >>> tessera.asnumpy(np.arange(3.0) + 1)
    array([1., 2., 3.])
    """
    import numpy

    from tessera import _core

    outer = _core.copy_guard()
    if outer[1] == "allow":
        return numpy.asarray(array)
    _core.set_copy_guard(outer[0], "allow", outer[2])
    try:
        return numpy.asarray(array)
    finally:
        _core.set_copy_guard(*outer)


def to_device(array: Any) -> Any:
    """The array itself, after its elements were copied to the device where this thread's work runs, if it runs on one.

    Raises TypeError for what is not a tessera array and MemoryError where the device has no room for it.

    Examples
    --------
    >>> import tessera
    >>> import tessera.numpy as np
    >>> with tessera.device("simulated"):
    ...     x = tessera.to_device(np.ones(5000))
    >>> tessera.layout(x)
    {'simulated': 40000}
    """
    from tessera import _core

    outer = _core.copy_guard()
    _core.set_copy_guard("allow", outer[1], "allow")
    try:
        _core.to_device(array)
    finally:
        _core.set_copy_guard(*outer)
    return array
