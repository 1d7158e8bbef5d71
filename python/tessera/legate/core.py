"""legate.core: the runtime and machine that array programs ask for."""

from __future__ import annotations

import contextlib
import enum
import functools
from collections.abc import Callable, Iterator
from typing import Any

import tessera
from tessera import _core


class TaskTarget(enum.IntEnum):
    """Where work runs."""

    GPU = 1
    OMP = 2
    CPU = 3


class VariantCode(enum.IntEnum):
    """Where a task's variant runs."""

    NONE = 0
    CPU = 1
    GPU = 2
    OMP = 3


class Machine:
    """The processors that work may use."""

    def __init__(self, targets: tuple[TaskTarget, ...] | None = None) -> None:
        self._targets = _targets() if targets is None else targets
        self._blocks: list[Any] = []

    @property
    def valid_targets(self) -> tuple[TaskTarget, ...]:
        """Kinds of processors, the preferred one first."""
        return self._targets

    @property
    def preferred_target(self) -> TaskTarget:
        """Where work goes that is worth it."""
        return self._targets[0] if self._targets else TaskTarget.CPU

    @property
    def empty(self) -> bool:
        """Whether there is no processor."""
        return not self._targets

    def count(self, target: TaskTarget | None = None) -> int:
        """How many processors of that kind, of the preferred one unless given; the cores are one OMP group."""
        kind = self.preferred_target if target is None else target
        if kind not in self._targets:
            return 0
        return _core.cpus() if kind == TaskTarget.CPU else 1

    def __len__(self) -> int:
        return self.count()

    def only(self, *targets: TaskTarget) -> Machine:
        """The machine with these kinds alone; `with machine.only(TaskTarget.CPU):` runs a block there."""
        return Machine(tuple(target for target in self._targets if target in targets))

    def __enter__(self) -> Machine:
        if self.empty:
            raise RuntimeError("legate.core: this machine has none of the processors that were asked for")
        block = tessera.device("auto" if TaskTarget.GPU in self._targets else "cpu")
        block.__enter__()
        self._blocks.append(block)
        return self

    def __exit__(self, *error: Any) -> None:
        self._blocks.pop().__exit__(*error)

    def __repr__(self) -> str:
        return f"Machine({', '.join(f'{target.name}: {self.count(target)}' for target in self._targets)})"


def _targets() -> tuple[TaskTarget, ...]:
    on_host = _core.device() == "cpu" or not any("problem" not in facts for facts in _core.devices())
    return (TaskTarget.CPU, TaskTarget.OMP) if on_host else (TaskTarget.GPU, TaskTarget.CPU, TaskTarget.OMP)


class Runtime:
    """The process's runtime: one node."""

    node_count = 1
    node_id = 0

    def issue_execution_fence(self, block: bool = False) -> None:
        """Asks for all work so far; with block=True waits for it."""
        _core.synchronize() if block else _core.flush()

    def issue_mapping_fence(self) -> None:
        """Asks for all work so far."""
        _core.flush()

    def get_machine(self) -> Machine:
        """The whole machine."""
        return Machine()

    @property
    def machine(self) -> Machine:
        """The whole machine."""
        return Machine()


_runtime = Runtime()


def get_legate_runtime() -> Runtime:
    """The runtime."""
    return _runtime


def get_machine() -> Machine:
    """The machine that work uses here."""
    return Machine()


@contextlib.contextmanager
def Scope(provenance: str | None = None, machine: Machine | None = None, **_: Any) -> Iterator[None]:
    """A block on a part of the machine; `provenance` is its name for a profiler."""
    from tessera import prof

    with contextlib.ExitStack() as stack:
        if provenance is not None:
            stack.enter_context(prof.time_range(provenance))
        if machine is not None:
            stack.enter_context(machine)
        yield


def track_provenance(function: Any = None, nested: bool = False) -> Any:
    """The function as it is, shown to a profiler by its name."""
    from tessera import prof

    def mark(marked: Callable[..., Any]) -> Callable[..., Any]:
        return functools.wraps(marked)(prof.time_range(marked.__qualname__)(marked))

    return mark if function is None else mark(function)


def __getattr__(name: str) -> Any:
    raise AttributeError(
        f"legate.core.{name} is not there: tessera serves get_legate_runtime, get_machine, Machine, Scope, TaskTarget, "
        "VariantCode and track_provenance; kernels of your own are functions with @tessera.cuda.jit"
    )
