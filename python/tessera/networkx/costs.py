"""Whether the native form pays: NetworkX's time against conversion, dispatch and result, from measured constants."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

# Graphs of fewer nodes stay in NetworkX, unless that calls SciPy, which takes as long for the smallest graphs.
FEWEST = 12
SCIPY = 1500.0
# What the dispatch to a backend and one call cost, in microseconds.
OVERHEAD = 90.0
# Conversion of one node and one arc, in microseconds.
CONVERSION = 0.06
# NetworkX's microseconds for one node or arc of a graph of n nodes and m arcs: what is multiplied by it.
WORK = {
    "search": (0.12, "size"),
    # A loop over rows with little between: in the caches it is quick.
    "quick search": (0.05, "size in caches"),
    "weighted search": (0.5, "size"),
    "iteration": (2.0, "size"),
    "iteration in SciPy": (2.0, "size"),
    "communities": (15.0, "size"),
    # NetworkX has no form of its own.
    "no other": (1e9, "size"),
    "pairs of neighbours": (1.5, "size"),
    "pairs of nodes": (1.0, "pairs"),
    "all pairs": (0.12, "searches"),
    "all weighted pairs": (0.5, "searches"),
    # These look at a few nodes or count degrees: conversion alone costs more.
    "local": (0.005, "size"),
    "copy": (0.005, "size"),
    "degrees": (0.02, "size"),
}


FEW = "the graph has too few nodes to repay the call"
SMALL = "the work is likely to take NetworkX less time than the call"
CONVERTED = "the work is likely to take NetworkX less time than the conversion and the call"


class Work(NamedTuple):
    """NetworkX's time for a function: microseconds for each step, what a step is, and what each call takes besides."""

    scale: float
    by: str
    fixed: float
    fewest: int  # of fewer nodes, no graph repays the call, however dense


# Beyond this size graphs are not in the processor's caches, and each step takes longer by this factor.
IN_CACHES = 10_000
BEYOND = 4


def _steps(by: str, nodes: int, size: float) -> float:
    if by == "size in caches":
        return size if size < IN_CACHES else BEYOND * size
    return size if by == "size" else nodes * (size if by == "searches" else nodes)


def _work(name: str) -> Work:
    scale, by = WORK[name]
    if "SciPy" in name:
        return Work(scale, by, SCIPY, 0)
    nodes = FEWEST
    while nodes < 60:  # conversions that are kept already are asked for below
        dense = nodes + nodes * nodes
        if scale * _steps(by, nodes, dense) > OVERHEAD + (CONVERSION * dense if scale > CONVERSION else 0):
            break
        nodes += 1
    return Work(scale, by, 0.0, nodes)


WORKS = {name: _work(name) for name in WORK}


def hesitation(work: Work, graph: Any, few: bool) -> str | None:
    """Why NetworkX is likely to be quicker, or None; `few` says that the call is for some nodes.

    Every call asks, of small graphs, too: a few lengths are looked at, and no text is made."""
    rows = graph._adj
    nodes = len(rows)
    size: float = nodes + sum(map(len, islice(rows.values(), 8))) * nodes / 8
    time = work.fixed + work.scale * (size if few else _steps(work.by, nodes, size))
    if time < OVERHEAD:
        return SMALL
    if time > OVERHEAD + CONVERSION * size:
        return None
    cache = getattr(graph, "__networkx_cache__", None)
    return None if cache and "tessera" in cache.get("backends", ()) else CONVERTED
