"""A trace as objects: the texts of plans parsed, and what ran in order."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

Place = tuple[str, int] | None


@dataclass
class Node:
    """One recorded operation."""

    name: str
    operands: list[str]  # %3, %a0, with views; numbers
    type: str
    place: Place
    group: int = -1
    dead: bool = False

    def sources(self) -> list[tuple[bool, int, str]]:
        """(whether it is an array from before, its number, the view of it) of each operand that is one."""
        found = []
        for operand in self.operands:
            match = re.search(r"%(a?)(\d+)(\S*)", operand)
            if match:
                found.append((bool(match[1]), int(match[2]), match[3]))
        return found


@dataclass
class Plan:
    """A window of operations and what became of it."""

    text: str
    nodes: list[Node] = field(default_factory=list)
    arrays: list[str] = field(default_factory=list)  # their types
    groups: dict[int, list[int]] = field(default_factory=dict)
    apart: list[tuple[int, int, str]] = field(default_factory=list)
    memory: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)


@dataclass
class Run:
    """What ran once: a plan, a routine or a user's kernel."""

    kind: str
    plan: int
    name: str
    place: Place
    begin: float
    end: float
    where: str
    host_estimate: float
    device_estimate: float
    bytes_to_device: int
    bytes_from_device: int
    reads: list[int]
    writes: list[int]
    weighed: str
    host_model: float = 0.0  # what the model alone expects
    device_model: float = 0.0
    set: int = 0  # the working set in which it was placed
    rows: list[float] = field(default_factory=list)  # of its thread's account

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.end - self.begin


@dataclass
class Touch:
    """An array that was made of elements from outside, or that the program read."""

    kind: str  # make, read
    version: int
    site: int
    runs: int  # how many were before
    place: Place = None


@dataclass
class Trace:
    """Plans, and what ran in order."""

    plans: list[Plan] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)
    nbytes: list[int] = field(default_factory=list)  # of versions, by number; 0: it was never stored
    facts: dict[str, float] = field(default_factory=dict)  # of the machine
    rows: list[float] = field(default_factory=list)  # the account of the thread that began it
    seconds: float = 0.0

    def title(self, run: Run) -> str:
        """What a run is called."""
        if run.kind == "plan":
            return ", ".join(counted([node.name for node in self.plans[run.plan].nodes]))
        return f"{run.kind} {run.name}"


def counted(names: list[str]) -> list[str]:
    """Each name once, with how often it is there."""
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return [name if count == 1 else f"{name} ×{count}" for name, count in counts.items()]


_LINE = re.compile(r"%(\d+) = (.*) : (\w+\[[^\]]*\]\S*)(.*)")


def parse_plan(text: str, places: list[Place]) -> Plan:
    """The plan that the engine's text describes (plan/text/request_text.h)."""
    plan = Plan(text)
    steps = plan.steps
    for line in text.splitlines():
        if line.startswith("%a"):
            plan.arrays.append(line.partition(" = array ")[2])
        elif match := _LINE.match(line):
            plan.nodes.append(_node(match, places[len(plan.nodes)] if len(plan.nodes) < len(places) else None))
        elif match := re.match(r"group (\d+) over .*?: nodes ([\d ]+)", line):
            members = [int(word) for word in match[2].split()]
            plan.groups[int(match[1])] = members
            for k in members:
                plan.nodes[k].group = int(match[1])
        elif match := re.match(r"node (\d+) is not in the kernel of node (\d+): (.*)", line):
            plan.apart.append((int(match[1]), int(match[2]), match[3]))
        elif line.startswith(("memory ", "block ")):
            plan.memory.append(line)
        elif line.startswith(("  run ", "  copy ")):
            steps.append(line.strip())
    return plan


def _node(match: re.Match[str], place: Place) -> Node:
    name, _, rest = match[2].partition(" ")
    if name == "reduce":
        how, _, rest = rest.partition(" ")
        rest, _, axes = rest.partition(" along")
        name = f"{how} along{axes}"
    operands = re.split(r", (?![^(]*\))", rest) if rest else []
    return Node(name.partition(".")[0], operands, match[3], place, dead=match[4].endswith(" dead"))


def collect(found: tuple[Any, ...]) -> Trace:
    """What `_core.stop_trace()` gave."""
    texts, runs, touches, *rest = found
    return Trace(
        [parse_plan(text, places) for text, places in texts],
        [Run(*run) for run in runs],
        [Touch(*touch) for touch in touches],
        *rest,
    )


class Traced:
    """A block whose work is traced; blocks do not nest."""

    _is_busy = False

    def __init__(self, runs_first: bool = True) -> None:
        self.trace = Trace()
        self._runs_first = runs_first
        self.device = ""  # what was asked for when the block began

    def __enter__(self) -> Any:
        from tessera import _core

        if Traced._is_busy:
            raise RuntimeError("tessera: another graph or explanation is being made; blocks of them do not nest")
        Traced._is_busy = True
        self.device = _core.device()
        _core.start_trace(self._runs_first)
        _core.kernels.count_host_calls(True)
        return self

    def __exit__(self, *_: object) -> None:
        from tessera import _core

        Traced._is_busy = False
        _core.kernels.count_host_calls(False)
        self.trace = collect(_core.stop_trace())
