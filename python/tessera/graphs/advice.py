"""What a trace says about how a program could be quicker: the costliest causes, each with its line and a remedy."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tessera.graphs.account import account
from tessera.graphs.labels import duration, location, size
from tessera.graphs.trace import Place, Trace

_FEW_READS = 20  # reads at one line that are no loop
_SMALL_RUN = 5e-6  # seconds: what a run costs that computes next to nothing
_MANY_RUNS = 200


@dataclass
class Advice:
    """One cause."""

    place: Place
    seconds: float  # that it may have cost
    text: str

    def __str__(self) -> str:
        where = location(self.place)
        return f"{where}: {self.text}" if where else self.text


def _reads(trace: Trace) -> list[Advice]:
    """Lines that read again and again while there is work to wait for."""
    counts: Counter[Place] = Counter()
    waits: dict[Place, float] = {}
    done = 0
    for touch in trace.touches:
        if touch.kind != "read" or touch.runs <= done:
            continue
        counts[touch.place] += 1
        waits[touch.place] = waits.get(touch.place, 0.0) + sum(run.seconds for run in trace.runs[done : touch.runs])
        done = touch.runs
    return [
        Advice(
            place,
            waits[place],
            f"elements were read {count} times while work was pending; each read waits for it ({duration(waits[place])} in all) and ends what "
            "is fused. Keep such values in arrays and read them once behind the loop.",
        )
        for place, count in counts.items()
        if count >= _FEW_READS
    ]


def _fallbacks() -> list[Advice]:
    from tessera import fallback_statistics

    return [
        Advice(
            None,
            record.seconds,
            f"numpy.{name} ran in NumPy on the host, {record.calls} times in {duration(record.seconds)}: {'; '.join(record.reasons)}.",
        )
        for name, record in fallback_statistics().items()
    ]


def _copies(trace: Trace) -> list[Advice]:
    copied: Counter[Place] = Counter()
    for run in trace.runs:
        copied[run.place] += run.bytes_to_device + run.bytes_from_device
    return [
        Advice(
            place,
            nbytes / trace.facts.get("to_device", 1e10),
            f"{size(nbytes)} were copied between host and device. Make the arrays there, and read results once.",
        )
        for place, nbytes in copied.items()
        if nbytes > 1 << 20
    ]


def _small_runs(trace: Trace) -> list[Advice]:
    small: dict[Place, list[float]] = {}
    for run in trace.runs:
        if run.seconds < _SMALL_RUN:
            place = run.place or (
                trace.plans[run.plan].nodes[0].place if run.kind == "plan" and trace.plans[run.plan].nodes else None
            )
            small.setdefault(place, []).append(run.seconds)
    return [
        Advice(
            place,
            len(spent) * _SMALL_RUN,
            f"{len(spent)} runs of {duration(sum(spent) / len(spent))} each: loops over small arrays cost more than they compute. Compute on whole "
            "arrays, or compile the loop with tessera.jit.",
        )
        for place, spent in small.items()
        if len(spent) >= _MANY_RUNS
    ]


def _once(trace: Trace) -> list[Advice]:
    """What is done the first time only."""
    rows = account(trace).rows
    spent = rows.get("compiling", 0.0)
    if spent < 0.2 * trace.seconds:
        return []
    return [
        Advice(
            None,
            spent,
            f"{duration(spent)} of {duration(trace.seconds)} went into compiling; the next start finds the kernels on disk.",
        )
    ]


def advice(trace: Trace) -> list[Advice]:
    """The causes that cost most first."""
    found = [*_reads(trace), *_fallbacks(), *_copies(trace), *_small_runs(trace), *_once(trace)]
    return sorted(found, key=lambda one: -one.seconds)
