"""What `tessera plan` knows of a machine: a few constants, kept as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any


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
    """The bytes a second that a place's lanes touch, what a launch takes beside that, the operations a second of matrix products, links
    within a node and between nodes."""

    memory: float = 4.0e12
    launch: float = 2e-6
    operations: float = 5.5e13
    within: Link = Link(2e-6, 5e-7, 390e9)
    between: Link = Link(5e-6, 1e-6, 25e9)


class BadMachine(Exception):
    """A machine file that says nothing usable."""


def read_machine(path: str | None) -> Machine:
    """From a file: {"memory": 4e12, "launch": 2e-6, "operations": 5.5e13, "within": {"latency": .., "overhead": .., "bandwidth": ..},
    "between": {...}}."""
    if path is None:
        return Machine()
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError) as error:
        raise BadMachine(f"{path}: {error}") from None
    names = set(Machine.__dataclass_fields__)
    if not isinstance(found, dict) or set(found) - names:
        raise BadMachine(
            f"{path}: expected an object with memory, launch, operations, within and between{_named(found)}"
        )
    return Machine(
        _number(path, "memory", found.get("memory", Machine.memory)),
        _number(path, "launch", found.get("launch", Machine.launch)),
        _number(path, "operations", found.get("operations", Machine.operations)),
        _link(path, "within", found.get("within"), Machine.within),
        _link(path, "between", found.get("between"), Machine.between),
    )


def write_machine(path: str, machine: Machine) -> None:
    """Raises OSError where the file cannot be written."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump(asdict(machine), file, indent=1)
        file.write("\n")


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
