"""Where each line's work ran, and why."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from tessera.graphs.account import account
from tessera.graphs.labels import duration, location, size
from tessera.graphs.trace import Place, Run, Traced, counted


@dataclass
class Line:
    """What one line of the program became."""

    place: Place
    operations: list[str] = field(default_factory=list)
    runs: int = 0
    seconds: float = 0.0  # its share, by operations, of the runs that it was part of
    where: dict[str, int] = field(default_factory=dict)
    host_estimate: float = 0.0
    device_estimate: float = 0.0
    nbytes: int = 0
    weighed: str = ""  # of the last run for which a device was considered
    apart: dict[str, None] = field(default_factory=dict)


_FEW_CALLS = 100


def host_calls_text(counts: list[tuple[str, int, str, int, float]]) -> str:
    """Which lines of compiled functions call functions of the host many times."""
    often = sorted((one for one in counts if one[3] >= _FEW_CALLS), key=lambda one: -one[4])
    return "".join(
        f"{os.path.basename(file)}:{line} calls NumPy on the host ({name}) {calls:,} times: {duration(seconds / calls)} each\n"
        for file, line, name, calls, seconds in often
    )


class Explanation(Traced):
    """A table, line by line; `lines` has it as objects, `str` as text."""

    @property
    def lines(self) -> list[Line]:
        """What the lines became, those that took longest first."""
        found: dict[Place, Line] = {}
        for run in self.trace.runs:
            if run.kind != "plan":
                self._add(found.setdefault(run.place, Line(run.place)), run, [f"{run.kind} {run.name}"], 1.0)
                continue
            nodes = self.trace.plans[run.plan].nodes
            places: dict[Place, list[str]] = {}
            for node in nodes:
                places.setdefault(node.place, []).append(node.name)
            for place, names in places.items():
                self._add(found.setdefault(place, Line(place)), run, names, len(names) / len(nodes))
        for run in {run.plan: run for run in self.trace.runs if run.kind == "plan"}.values():
            plan = self.trace.plans[run.plan]
            for node, other, why in plan.apart:
                at, before = plan.nodes[node], plan.nodes[other]
                line = found[at.place]
                line.apart[
                    f"{at.name} is not in the kernel of {before.name} ({location(before.place) or 'no line'}): {why}"
                ] = None
        return sorted(found.values(), key=lambda line: -line.seconds)

    @staticmethod
    def _add(line: Line, run: Run, names: list[str], share: float) -> None:
        line.runs += 1
        line.operations += names
        line.seconds += share * run.seconds
        line.where[run.where or "failed"] = line.where.get(run.where or "failed", 0) + 1
        line.host_estimate += share * run.host_estimate
        line.device_estimate += share * run.device_estimate
        line.weighed = run.weighed or line.weighed
        line.nbytes += round(share * (run.bytes_to_device + run.bytes_from_device))

    def __str__(self) -> str:
        from tessera import _core

        lines = self.lines
        on_host = host_calls_text(_core.kernels.host_call_counts())
        if not lines:
            return (
                on_host
                or "nothing ran: operations on up to 1,024 elements of settled arrays run at once and are not listed\n"
            )
        texts = []
        for line in lines:
            where = ", ".join(
                f"{name} ({count})" if len(line.where) > 1 else name for name, count in line.where.items()
            )
            texts.append(
                f"{location(line.place) or 'no line'}: {', '.join(counted(line.operations))}\n"
                f"  {duration(line.seconds)} in {line.runs} runs on {where}; {self._why(line, _core)}"
            )
            if line.nbytes:
                texts.append(f"  {size(line.nbytes)} copied between host and device")
            if line.weighed:
                texts.append(f"  weighed last: {line.weighed}")
            texts += [f"  {why}" for why in list(line.apart)[:8]]
            if len(line.apart) > 8:
                texts.append(f"  and {len(line.apart) - 8} more")
        return "\n".join(texts) + "\n" + on_host + self.account_text()

    def account_text(self) -> str:
        """Where all time went: a line for the thread, and one for each device."""
        found = account(self.trace)
        parts = [f"{name} {duration(spent)}" for name, spent in found.rows.items() if spent > 0]
        if not parts:
            return ""
        text = f"account of {duration(found.seconds)}: {', '.join(parts)}; {100 * found.share:.1f} % stand in rows\n"
        for name, busy in found.devices.items():
            text += f"{name}: busy {duration(busy)}, without work {duration(max(0.0, found.seconds - busy))}\n"
        return text

    def _why(self, line: Line, _core: Any) -> str:
        asked = self.device
        on_host = list(line.where) == ["cpu"]
        if not asked.startswith("auto"):
            reason = (
                f"the device is {asked!r}"
                if on_host == (asked == "cpu")
                else f"the device is {asked!r}, which could not"
            )
        elif problem := _core.device_problem() if asked == "auto" else "":
            reason = problem
        else:
            reason = "the cores are done sooner" if on_host else "the device is done sooner"
        host, device = line.host_estimate, line.device_estimate
        return f"{reason} (by the model: cores {duration(host)}, a GPU {duration(device)} without copies)"

    def __repr__(self) -> str:
        return str(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the text."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(str(self))
