"""`tessera plan prog.py --places 256 --per-node 8`: what many places would compute and send, and how long that would take."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_LONGEST = 60  # characters of what a line does
_MOST = 20  # lines that are shown


@dataclass(frozen=True)
class Link:
    """Messages by the LogGP model: seconds on the way, seconds at each end, bytes a second."""

    latency: float
    overhead: float
    bandwidth: float

    def three(self) -> tuple[float, float, float]:
        return (self.latency, self.overhead, self.bandwidth)


@dataclass(frozen=True)
class Machine:
    """What is known of a machine: the bytes a second that a place's lanes touch, links within a node and between nodes."""

    memory: float = 4.0e12
    within: Link = Link(2e-6, 5e-7, 390e9)
    between: Link = Link(5e-6, 1e-6, 25e9)


class BadMachine(Exception):
    """A machine file that says nothing usable."""


def read_machine(path: str | None) -> Machine:
    """From a file: {"memory": 4e12, "within": {"latency": .., "overhead": .., "bandwidth": ..}, "between": {...}}."""
    if path is None:
        return Machine()
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError) as error:
        raise BadMachine(f"{path}: {error}") from None
    if not isinstance(found, dict) or set(found) - {"memory", "within", "between"}:
        raise BadMachine(f"{path}: expected an object with memory, within and between{_named(found)}")
    return Machine(
        _number(path, "memory", found.get("memory", Machine.memory)),
        _link(path, "within", found.get("within"), Machine.within),
        _link(path, "between", found.get("between"), Machine.between),
    )


def _named(found: Any) -> str:
    return f", not {sorted(found)}" if isinstance(found, dict) else ""


def _number(path: str, name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
        raise BadMachine(f"{path}: {name} must be a positive number (got {value!r})")
    return float(value)


def _link(path: str, name: str, given: Any, otherwise: Link) -> Link:
    if given is None:
        return otherwise
    parts = ("latency", "overhead", "bandwidth")
    if not isinstance(given, dict) or set(given) - set(parts):
        raise BadMachine(f"{path}: {name} must be an object with latency, overhead and bandwidth (got {given!r})")
    return Link(*(_number(path, f"{name}.{part}", given.get(part, getattr(otherwise, part))) for part in parts))


def plan(options: argparse.Namespace, run_file: Callable[[str], None]) -> int:
    """Runs the program here, by `run_file`, and shows what the places would do; returns its exit code."""
    try:
        machine = read_machine(options.machine)
    except BadMachine as bad:
        print(f"tessera plan: {bad}", file=sys.stderr)
        return 2
    if not os.path.exists(options.program):
        print(f"tessera plan: no such file: {options.program}", file=sys.stderr)
        return 2
    per_node = min(options.per_node, options.places)
    os.environ["TESSERA_DEVICE"] = "cpu"
    from tessera import _core

    _core.begin_forecast(options.places, per_node, machine.memory, machine.within.three(), machine.between.three())
    sys.argv = [options.program, *options.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(options.program))
    run_file(options.program)
    entries = _core.forecast()
    sys.stdout.flush()
    print(table(entries, options.places, per_node))
    return 0


def table(entries: list[dict[str, Any]], places: int, per_node: int) -> str:
    """What was forecast, the longest first."""
    lines = [f"{places} places, {per_node} on a node. Of all runs of a line, by the slowest place:", ""]
    if not entries:
        return lines[0] + "\nno array is cut: none has more elements than 262144 (TESSERA_CUT=always cuts all)"
    lines.append(
        f"{'runs':>6} {'time ms':>9} {'efficiency':>10} {'computed MB':>12} {'messages':>9} {'sent MB':>9} {'between':>8}  line"
    )
    shown = sorted(entries, key=lambda entry: -entry["seconds"])
    for entry in shown[:_MOST]:
        looks = f" and {entry['looks']} looks" if entry["looks"] else ""
        share = entry["bytes_between"] / entry["bytes"] if entry["bytes"] else 0
        lines.append(
            f"{entry['runs']:6d} {1e3 * entry['seconds']:9.3f} {_efficiency([entry]):10.3f} {entry['touched'] / 1e6:12.1f} "
            f"{entry['messages']:9d} {entry['bytes'] / 1e6:9.3f} {100 * share:7.0f}%  {entry['what'][:_LONGEST]}{looks}"
        )
    if len(shown) > _MOST:
        lines.append(f"and {len(shown) - _MOST} more")
    lines += [
        "",
        f"each of {sum(entry['messages'] for entry in entries)} sends has its receive; one place sends and receives at most "
        f"{max(entry['most_messages'] for entry in entries)} messages of {max(entry['most_bytes'] for entry in entries)} bytes in a run",
        f"time {1e3 * sum(entry['seconds'] for entry in entries):.3f} ms, efficiency {_efficiency(entries):.3f}",
    ]
    return "\n".join(lines)


def _efficiency(entries: list[dict[str, Any]]) -> float:
    """Of the time, what all places computing alike would take without a message."""
    seconds = sum(entry["seconds"] for entry in entries)
    return sum(entry["ideal"] for entry in entries) / seconds if seconds else 1.0
