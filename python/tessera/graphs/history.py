"""A trace as a history: the facts by which work was placed and what it took, as text that `plan/tests/laboratory` replays.

A history lists arrays as they are made, work with its costs on either side, reads by the program and last uses, one a line:

    facts to_device=5e10 to_host=4e10 first_touch=2.5e10 launch=5e-06 synchronise=1.5e-05 copy_start=8e-06
    work add.0 host=1e-3 device=2e-5 ran_host=1.1e-3 set=3
    make a0 8000000 outside site=1
    run add.0 reads=a0 writes=a1:8000000
    read a1
    drop a0
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator

from tessera.graphs import loops
from tessera.graphs.account import work_seconds
from tessera.graphs.trace import Run, Touch, Trace

MOST_RUNS = 3000  # further ones are left out
_LONGEST_LOOP = 400  # lines
_LEAST_SECONDS = 1e-9

Costs = dict[Hashable, dict[bool, float]]


def key_of(trace: Trace, run: Run) -> Hashable:
    """The same for runs of the same work, also in another trace. Which results are stored differs with what the program still
    names, and scalars and offsets with the iteration."""
    if run.kind == "plan":
        plan = trace.plans[run.plan]
        nodes = (
            (node.name, node.type, node.place, tuple(found[:2] for found in node.sources())) for node in plan.nodes
        )
        return tuple(plan.arrays), *nodes
    return run.kind, run.name, run.place, f"{run.host_model:.3g}", tuple(trace.nbytes[number] for number in run.reads)


def measured(trace: Trace, known: Costs | None = None) -> Costs:
    """The least that each work took by whether it ran on a device; added to what is known."""
    costs: Costs = {} if known is None else known
    for run in trace.runs:
        if run.where:
            of = costs.setdefault(key_of(trace, run), {})
            on_device = run.where != "cpu"
            seconds = work_seconds(run)
            if on_device:  # each run of a trace is waited for
                seconds = max(seconds - trace.facts.get("synchronise", 0.0), seconds / 4)
            of[on_device] = min(of.get(on_device, float("inf")), seconds)
    return costs


class _Writer:
    def __init__(self, trace: Trace, costs: Costs, most: int) -> None:
        self.trace, self.costs, self.most = trace, costs, most
        self.works: dict[Hashable, str] = {}
        self.heads: list[str] = []
        self.lines: list[str] = []
        self.names: dict[int, str] = {}
        self.free: list[int] = []
        self.sites: dict[int, int] = {}
        self.last_use: dict[int, int] = {}

    def events(self) -> Iterator[Run | Touch]:
        """What happened, in order; without arrays that no work uses."""
        runs = self.trace.runs
        used = {number for run in runs if run.kind != "launch" for number in [*run.reads, *run.writes]}
        touches = iter([touch for touch in self.trace.touches if touch.version in used])
        touch = next(touches, None)
        for position, run in enumerate(self.trace.runs[: self.most]):
            while touch is not None and touch.runs <= position:
                yield touch
                touch = next(touches, None)
            if run.where and run.kind != "launch":
                yield run
        if len(self.trace.runs) <= self.most:
            while touch is not None:
                yield touch
                touch = next(touches, None)

    def arrays_of(self, event: Run | Touch) -> list[int]:
        numbers = [event.version] if isinstance(event, Touch) else [*event.reads, *event.writes]
        return [number for number in dict.fromkeys(numbers) if self.trace.nbytes[number] > 0]

    def text(self) -> str:
        """The whole history."""
        events = list(self.events())
        for position, event in enumerate(events):
            for number in self.arrays_of(event):
                self.last_use[number] = position
        for position, event in enumerate(events):
            if isinstance(event, Run):
                self.run(event)
            else:
                self.touch(event)
            for number in self.arrays_of(event):
                if self.last_use[number] == position and number in self.names:
                    self.drop(number)
        facts = " ".join(f"{name}={value:.4g}" for name, value in self.trace.facts.items())
        heads = [f"facts {facts}"] if facts else []
        if len(self.trace.runs) > self.most:
            heads.append(f"# the first {self.most} of {len(self.trace.runs)} runs")
        return "\n".join([*heads, *self.heads, *_with_repeats(self.lines), ""])

    def name(self, number: int) -> str:
        """Names are given again once they are free, so that iterations have the same ones."""
        self.free.sort()
        free = self.free.pop(0) if self.free else len(self.names)
        self.names[number] = f"a{free}"
        return self.names[number]

    def drop(self, number: int) -> None:
        name = self.names.pop(number)
        self.lines.append(f"drop {name}")
        self.free.append(int(name[1:]))

    def make(self, number: int, words: str = "") -> None:
        self.lines.append(f"make {self.name(number)} {self.trace.nbytes[number]}{words}")

    def touch(self, event: Touch) -> None:
        for number in self.arrays_of(event):
            if event.kind == "make":
                site = self.sites.setdefault(event.site, len(self.sites) + 1)
                self.make(number, f" outside site={site}")
            elif number in self.names:
                self.lines.append(f"read {self.names[number]}")

    def run(self, run: Run) -> None:
        arrays = self.arrays_of(run)
        reads = [number for number in run.reads if number in arrays]
        for number in reads:
            if number not in self.names:
                self.make(number)
        line = f"run {self.work(run)}"
        if reads:
            line += " reads=" + ",".join(self.names[number] for number in dict.fromkeys(reads))
        writes = [number for number in run.writes if number in arrays and number not in reads]
        if writes:
            line += " writes=" + ",".join(f"{self.name(number)}:{self.trace.nbytes[number]}" for number in writes)
        self.lines.append(line)

    def work(self, run: Run) -> str:
        key = key_of(self.trace, run)
        if key not in self.works:
            names = [node.name for node in self.trace.plans[run.plan].nodes] if run.kind == "plan" else [run.name]
            title = re.sub(r"\W+", "_", "_".join(dict.fromkeys(names)))[:32]
            self.works[key] = name = f"{title}.{len(self.works)}"
            host, device = max(run.host_model, _LEAST_SECONDS), max(run.device_model, _LEAST_SECONDS)
            words = [f"host={host:.4g}", f"device={device:.4g}"]
            for on_device, word in ((False, "ran_host"), (True, "ran_device")):
                if (seconds := self.costs.get(key, {}).get(on_device, 0.0)) > 0:
                    words.append(f"{word}={seconds:.4g}")
            if run.set:
                words.append(f"set={run.set}")
            self.heads.append(f"work {name} {' '.join(words)}")
        return self.works[key]


Repeated = str | tuple[int, tuple["Repeated", ...]]


def _with_repeats(lines: list[str]) -> list[str]:
    """Loops once: repeat TIMES, their lines, end."""
    items: list[Repeated] = list(lines)
    for _ in range(3):  # loops, loops around them, and those around these
        items = [
            items[part.begin] if part.count == 1 else (part.count, tuple(items[part.begin : part.begin + part.period]))
            for part in loops.find(items, _LONGEST_LOOP)
        ]
    return [line for item in items for line in _lines_of(item)]


def _lines_of(item: Repeated) -> list[str]:
    if isinstance(item, str):
        return [item]
    count, body = item
    return [f"repeat {count}", *(line for inner in body for line in _lines_of(inner)), "end"]


def text_of(trace: Trace, costs: Costs | None = None, most: int = MOST_RUNS) -> str:
    """The history of at most so many runs; with what the same work took in other traces, if that is given."""
    return _Writer(trace, measured(trace) if costs is None else costs, most).text()


def save(trace: Trace, path: str) -> None:
    """Writes it."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text_of(trace))
