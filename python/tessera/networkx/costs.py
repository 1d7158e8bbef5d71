"""Whether the native form pays: NetworkX's time against conversion, dispatch and result, from measured constants."""

from __future__ import annotations

from itertools import islice
from typing import Any

# What the dispatch to a backend and one call cost, in microseconds.
OVERHEAD = 60.0
# Conversion of one node and one arc, in microseconds.
CONVERSION = 0.06
# NetworkX's microseconds for one node or arc of a graph of n nodes and m arcs: what is multiplied by it.
WORK = {
    "search": (0.25, "size"),
    "weighted search": (0.8, "size"),
    "iteration": (3.0, "size"),
    "communities": (15.0, "size"),
    "pairs of neighbours": (2.0, "size"),
    "pairs of nodes": (1.0, "pairs"),
    "all pairs": (0.25, "searches"),
    "all weighted pairs": (0.8, "searches"),
    # These look at a few nodes or count degrees: conversion alone costs more.
    "local": (0.005, "size"),
    "degrees": (0.02, "size"),
}


def _arcs(graph: Any, nodes: int) -> float:
    """About how many neighbours there are, by a sample of nodes."""
    sample = min(nodes, 32)
    if sample == 0:
        return 0.0
    return sum(map(len, islice(graph._adj.values(), sample))) * nodes / sample


def hesitation(work: str, graph: Any, few: bool) -> str | None:
    """Why NetworkX is likely to be quicker, or None; `few` says that the call begins at few nodes."""
    nodes = len(graph._node)
    scale, by = WORK[work]
    if nodes < 12:
        return f"{nodes} nodes are too few"
    size = nodes + _arcs(graph, nodes)
    steps = size * nodes if by == "searches" and not few else nodes * nodes if by == "pairs" and not few else size
    cache = getattr(graph, "__networkx_cache__", None)
    converted = bool(cache) and "tessera" in cache.get("backends", ())
    needed = OVERHEAD + (0.0 if converted else CONVERSION * size)
    if scale * steps > needed:
        return None
    return f"about {scale * steps:.0f} us in NetworkX are fewer than {needed:.0f} us for the call" + (
        "" if converted else " with its conversion"
    )
