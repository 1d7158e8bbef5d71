"""Whether a call can run natively, in words where it cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx

from tessera.networkx.table import Function

_CLASSES = frozenset((nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph))


def _other_class(value: Any) -> bool:
    """Whether this is none of the graphs and classes that the backend can fill."""
    if getattr(value, "__networkx_backend__", "") == "tessera":
        return False
    return not (isinstance(value, type) and value in _CLASSES)


CONDITIONS: dict[str, Callable[[Any], bool]] = {
    "callable": callable,
    "given": lambda value: value is not None,
    "true": bool,
    "false": lambda value: not value,
    "not 1": lambda value: value != 1,
    "other algorithm": lambda value: value != "kruskal",
    "other strategy": lambda value: value != "largest_first",
    "other class": _other_class,
    "with fields": lambda value: not isinstance(value, str | type) and getattr(value, "names", None) is not None,
    "not sum": lambda value: value is not sum,
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
