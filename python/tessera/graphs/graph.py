"""Graphs of a trace in DOT, reduced to what the eye can follow."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from tessera.graphs.labels import duration, location, size
from tessera.graphs.loops import find
from tessera.graphs.render import save, svg_for_page
from tessera.graphs.trace import Run, Traced, counted

MOST_BOXES = 300
_COLORS = {"cpu": "#dbe9ff", "": "#ffd0d0"}
_DEVICE = "#d9f2d0"


def quoted(text: str) -> str:
    """Text as DOT's string; line breaks stay."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


@dataclass
class Shown:
    """Runs that are drawn as one: the same run of each iteration of a loop, or neighbours."""

    runs: list[Run]
    loop: int = -1  # the part it is in, if that repeats


@dataclass
class Drawn:
    """What is drawn: runs in order, loops with their counts, and where each version comes from."""

    shown: list[Shown] = field(default_factory=list)
    counts: dict[int, int] = field(default_factory=dict)
    of_run: dict[int, int] = field(default_factory=dict)


class Graph(Traced):
    """What ran in a block: `dataflow()` has the operations, `event()` the runs with their times."""

    def collapse(self, most: int = MOST_BOXES) -> Drawn:
        """Loops once, and then neighbours together until there are few enough."""
        runs = self.trace.runs
        drawn = Drawn()
        parts = find([(run.kind, run.plan, run.name, run.where) for run in runs])
        for number, part in enumerate(parts):
            for k in range(part.period):
                same = range(part.begin + k, part.begin + part.period * part.count, part.period)
                for position in same:
                    drawn.of_run[position] = len(drawn.shown)
                drawn.shown.append(Shown([runs[p] for p in same], number if part.count > 1 else -1))
            if part.count > 1:
                drawn.counts[number] = part.count
        if len(drawn.shown) <= most:
            return drawn
        together = -(-len(drawn.shown) // most)
        merged = Drawn()
        for begin in range(0, len(drawn.shown), together):
            merged.shown.append(Shown([run for each in drawn.shown[begin : begin + together] for run in each.runs]))
        merged.of_run = {position: at // together for position, at in drawn.of_run.items()}
        return merged

    def _title(self, shown: Shown) -> str:
        titles = [self.trace.title(run) for run in shown.runs]
        title = titles[0] if shown.loop >= 0 else "; ".join(counted(titles))
        return title if len(title) <= 160 else title[:157] + "..."

    def _producers(self) -> dict[int, tuple[int, int]]:
        """The run and the place among its results of each version."""
        return {
            version: (position, k)
            for position, run in enumerate(self.trace.runs)
            for k, version in enumerate(run.writes)
        }

    def event(self) -> str:
        """DOT: a box for each run, with its time and place, and what it waited for."""
        drawn = self.collapse()
        lines = ["digraph event {", '  node [shape=box style=filled fontname="sans-serif" fontsize=10];']
        for at, shown in enumerate(drawn.shown):
            lines.append(f"  r{at} [label={quoted(self._event_label(shown))} fillcolor={quoted(_color(shown))}];")
        lines += self._clusters(drawn, lambda at: [f"r{at}"])
        lines += [f"  r{a} -> r{b}{_style(a, b)};" for a, b in self._edges(drawn)]
        return "\n".join([*lines, "}", ""])

    def _event_label(self, shown: Shown) -> str:
        runs = shown.runs
        total = sum(run.seconds for run in runs)
        facts = [self._title(shown)]
        first = runs[0]
        if len(runs) == 1:
            facts.append(
                f"{duration(first.begin)} + {duration(first.seconds)} on {first.where or 'nothing: it failed'}"
            )
        else:
            facts.append(f"{len(runs)} runs, {duration(total)}, {duration(total / len(runs))} each, on {first.where}")
        moved = [(sum(run.bytes_to_device for run in runs), "to"), (sum(run.bytes_from_device for run in runs), "from")]
        facts += [f"{size(nbytes)} {way} the device" for nbytes, way in moved if nbytes]
        if first.kind == "plan" and len({run.plan for run in runs}) == 1:
            steps = self.trace.plans[first.plan].steps
            facts += [step if len(step) < 60 else step[:57] + "..." for step in steps[:6]]
            facts += [f"and {len(steps) - 6} more steps"] if len(steps) > 6 else []
        return "\n".join(facts)

    def _edges(self, drawn: Drawn) -> list[tuple[int, int]]:
        producers, found = self._producers(), {}
        for position, run in enumerate(self.trace.runs):
            for version in run.reads:
                made = producers.get(version)
                if made is not None and made[0] < position:
                    pair = drawn.of_run[made[0]], drawn.of_run[position]
                    if pair[0] != pair[1] or drawn.shown[pair[0]].loop >= 0:
                        found[pair] = None
        return list(found)

    def _clusters(self, drawn: Drawn, names: Any) -> list[str]:
        lines = []
        for number, count in drawn.counts.items():
            inside = [name for at, shown in enumerate(drawn.shown) if shown.loop == number for name in names(at)]
            title = quoted(f"{count} times")
            lines.append(f"  subgraph cluster_loop{number} {{ label={title}; style=dashed; {'; '.join(inside)}; }}")
        return lines

    def dataflow(self) -> str:
        """DOT: operations, in the kernels that they became, and the versions that flow between them."""
        drawn = self.collapse()
        for detail in ("nodes", "kernels", "runs"):
            boxes = sum(self._boxes(shown, detail) for shown in drawn.shown)
            if boxes <= MOST_BOXES or detail == "runs":
                break
        return _Dataflow(self, drawn, detail).dot()

    def _boxes(self, shown: Shown, detail: str) -> int:
        first = shown.runs[0]
        if detail == "runs" or first.kind != "plan" or len({run.plan for run in shown.runs}) > 1:
            return 1
        plan = self.trace.plans[first.plan]
        return len(plan.nodes) if detail == "nodes" else max(1, len(plan.groups))

    def save(self, path: str | os.PathLike[str], kind: str = "dataflow") -> None:
        """Writes one of the graphs: by the ending of `path` as .dot, .svg or .html. Beside .svg come the DOT, and an HTML page with
        the parts that do not fit the picture.

        Errors: ValueError for another ending or kind; RuntimeError where Graphviz is missing, which says how to install it.
        """
        if kind not in ("dataflow", "event"):
            raise ValueError(f"Graph.save: kind={kind!r}; there are 'dataflow' and 'event'")
        save(self, os.fspath(path), kind)

    def _repr_html_(self) -> str:
        return svg_for_page(self.dataflow())

    def __repr__(self) -> str:
        runs = self.trace.runs
        return f"<graph of {len(runs)} runs, {duration(sum(run.seconds for run in runs))}>"


def _color(shown: Shown) -> str:
    return _COLORS.get(shown.runs[0].where, _DEVICE)


def _style(a: int, b: int) -> str:
    return " [style=dashed constraint=false]" if b <= a else ""


class _Dataflow:
    """Writes the graph of operations."""

    def __init__(self, graph: Graph, drawn: Drawn, detail: str) -> None:
        self.graph, self.drawn, self.detail = graph, drawn, detail
        self.lines = ["digraph dataflow {", '  node [shape=box style=filled fontname="sans-serif" fontsize=10];']
        self.edges: dict[tuple[str, str, bool], dict[str, None]] = {}
        self.names: dict[int, list[str]] = {}

    def is_open(self, shown: Shown) -> bool:
        """Whether its operations are drawn, not only the run."""
        first = shown.runs[0]
        return self.detail != "runs" and first.kind == "plan" and len({run.plan for run in shown.runs}) == 1

    def box(self, at: int, node: int) -> str:
        """The box in which a node of a shown run is."""
        shown = self.drawn.shown[at]
        if not self.is_open(shown):
            return f"r{at}"
        plan = self.graph.trace.plans[shown.runs[0].plan]
        if self.detail == "nodes":
            return f"r{at}_{node}"
        return f"r{at}_k{plan.nodes[node].group}"

    def dot(self) -> str:
        for at, shown in enumerate(self.drawn.shown):
            self.open(at, shown) if self.is_open(shown) else self.closed(at, shown)
        self.between()
        self.lines += self.graph._clusters(self.drawn, lambda at: self.names.get(at, [f"r{at}"]))
        for (a, b, back), views in self.edges.items():
            said = "\n".join(view for view in list(views)[:4] if view)
            style = [f"label={quoted(said)} fontsize=8"] if said else []
            style += ["style=dashed constraint=false"] if back else []
            self.lines.append(f"  {a} -> {b}{f' [{chr(32).join(style)}]' if style else ''};")
        return "\n".join([*self.lines, "}", ""])

    def closed(self, at: int, shown: Shown) -> None:
        title = self.graph._title(shown)
        label = "\n".join(filter(None, [title, location(shown.runs[0].place)]))
        self.lines.append(f"  r{at} [label={quoted(label)} fillcolor={quoted(_color(shown))}];")
        self.names[at] = [f"r{at}"]

    def open(self, at: int, shown: Shown) -> None:
        plan = self.graph.trace.plans[shown.runs[0].plan]
        self.names[at] = []
        groups = {**plan.groups, -1: [k for k, node in enumerate(plan.nodes) if node.group < 0]}
        for number, members in groups.items():
            if not members:
                continue
            boxes = []
            if self.detail == "nodes":
                for k in members:
                    node = plan.nodes[k]
                    label = "\n".join(filter(None, [node.name, node.type, location(node.place)]))
                    boxes.append((self.box(at, k), label))
            else:
                names = ", ".join(counted([plan.nodes[k].name for k in members]))
                boxes.append((self.box(at, members[0]), f"{names}\n{plan.nodes[members[-1]].type}"))
            color = quoted(_color(shown))
            inside = [f"{name} [label={quoted(label)} fillcolor={color}]" for name, label in boxes]
            self.names[at] += [name for name, _ in boxes]
            if number >= 0 and self.detail == "nodes":
                # Graphviz nests clusters only where they are written nested: a loop's kernels are framed by colour there.
                if shown.loop >= 0:
                    self.lines += [f"  {each};" for each in inside]
                else:
                    title = quoted(f"kernel {number}")
                    self.lines.append(f"  subgraph cluster_r{at}_{number} {{ label={title}; {'; '.join(inside)}; }}")
            else:
                self.lines += [f"  {each};" for each in inside]
        for k, node in enumerate(plan.nodes):
            for is_array, number, view in node.sources():
                if not is_array and number < len(plan.nodes):
                    self.connect(self.box(at, number), self.box(at, k), view)

    def connect(self, a: str, b: str, view: str = "", back: bool = False) -> None:
        if a == b and not back:
            return
        self.edges.setdefault((a, b, back), {})[view] = None

    def between(self) -> None:
        """Edges from the runs that make versions to those that read them."""
        producers, trace = self.graph._producers(), self.graph.trace
        for position, run in enumerate(trace.runs):
            at = self.drawn.of_run[position]
            readers: dict[int, list[tuple[int, str]]] = {}
            if run.kind == "plan" and self.is_open(self.drawn.shown[at]):
                for k, node in enumerate(trace.plans[run.plan].nodes):
                    for is_array, number, view in node.sources():
                        if is_array:
                            readers.setdefault(number, []).append((k, view))
            for number, version in enumerate(run.reads):
                made = producers.get(version)
                if made is None or made[0] >= position:
                    continue
                source = self.drawn.of_run[made[0]]
                a = self.box(source, made[1]) if trace.runs[made[0]].kind == "plan" else f"r{source}"
                is_back = source == at and made[0] != position or source > at
                for k, view in readers.get(number, [(0, "")]):
                    self.connect(a, self.box(at, k), view, is_back)
