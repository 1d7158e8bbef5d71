"""The account of a trace: where the time of its thread went, and how busy the devices were."""

from __future__ import annotations

from dataclasses import dataclass, field

from tessera.graphs.trace import Run, Trace

# What is not the cost of the work itself: what is done once, and copies between host and device.
_NOT_WORK = ("planning", "compiling", "staging", "copying", "reading")


def row_names() -> list[str]:
    """The rows in order; the first one is the program's own time."""
    from tessera import _core

    return _core.account_rows()


def work_seconds(run: Run) -> float:
    """What a run cost on its side: the sum of its rows, without what is done once and without copies."""
    return sum(seconds for name, seconds in zip(row_names(), run.rows) if name not in _NOT_WORK)


@dataclass
class Account:
    """Seconds by row of the thread that was traced, and of each device."""

    seconds: float
    rows: dict[str, float] = field(default_factory=dict)
    devices: dict[str, float] = field(default_factory=dict)  # busy with work; otherwise they waited

    @property
    def share(self) -> float:
        """Of all time, what stands in rows; the program's own row among them."""
        return sum(self.rows.values()) / self.seconds if self.seconds > 0 else 1.0


def account(trace: Trace) -> Account:
    """The account of a trace."""
    made = Account(trace.seconds, dict(zip(row_names(), trace.rows)))
    for run in trace.runs:
        if run.where and run.where != "cpu":
            made.devices[run.where] = made.devices.get(run.where, 0.0) + work_seconds(run)
    return made
