"""Whether a call can run natively, in words where it cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tessera.networkx.table import Function

CONDITIONS: dict[str, Callable[[Any], bool]] = {
    "callable": callable,
    "given": lambda value: value is not None,
    "true": bool,
    "false": lambda value: not value,
    "not 1": lambda value: value != 1,
    "other algorithm": lambda value: value != "kruskal",
    "other strategy": lambda value: value != "largest_first",
    "other method": lambda value: value not in (None, "unweighted", "dijkstra"),
}


def refusal(function: Function, args: tuple, kwargs: dict[str, Any]) -> str | None:
    """Why this call runs in NetworkX, or None."""
    for parameter, position, when, reason in function.refusals:
        value = args[position] if len(args) > position else kwargs.get(parameter)
        if value is not None and CONDITIONS[when](value):
            return reason
    if function.kinds:
        graph = args[0] if args else kwargs["G"] if "G" in kwargs else kwargs["B"]
        for kind in function.kinds.split():
            if kind == "multigraph" and graph.is_multigraph():
                return "multigraphs have no native form of it"
            if kind != "multigraph" and graph.is_directed() == (kind == "directed"):
                return f"{kind} graphs have no native form of it"
    return None
