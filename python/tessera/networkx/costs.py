"""Whether the native form pays: NetworkX's time against conversion, dispatch and result, from measured constants."""

from __future__ import annotations

from typing import Any, NamedTuple

from tessera._core import networks

# What the dispatch to a backend and one call cost, in microseconds.
OVERHEAD = 18.0
# Conversion of one node and one arc, in microseconds.
CONVERSION = 0.02
# How NetworkX's time grows; bind/networks/asking.cpp has their meaning.
STEPS = ("size", "size in caches", "searches", "pairs")
# NetworkX's microseconds for one node or arc of a graph of n nodes and m arcs, what is multiplied by it, and what each call takes
# besides, where that is much.
WORK: dict[str, tuple] = {
    "search": (0.075, "size"),
    # A loop over rows with little between: in the caches it is quick.
    "quick search": (0.045, "size in caches"),
    "weighted search": (0.16, "size"),
    "thorough search": (0.5, "size", 8.0),
    "iteration": (1.0, "size"),
    # Takes as long for the smallest graphs.
    "iteration in SciPy": (2.0, "size", 450.0),
    "communities": (2.0, "size"),
    # NetworkX has no form of its own.
    "no other": (1e9, "size"),
    "pairs of neighbours": (0.6, "size"),
    "pairs of nodes": (0.6, "pairs"),
    "all pairs": (0.05, "searches", 15.0),
    "all weighted pairs": (0.16, "searches"),
    # These look at a few nodes or count degrees: conversion alone costs more.
    "local": (0.005, "size"),
    "copy": (0.005, "size"),
    "degrees": (0.02, "size"),
}


FEW = "the graph has too few nodes to repay the call"
SMALL = "the work is likely to take NetworkX less time than the call"
CONVERTED = "the work is likely to take NetworkX less time than the conversion and the call"
REASONS = (FEW, SMALL, CONVERTED, OVERHEAD, CONVERSION)


class Work(NamedTuple):
    """NetworkX's time for a function: microseconds for each step, what a step is, and what each call takes besides."""

    scale: float
    by: int  # a place in STEPS
    fixed: float
    fewest: int  # of fewer nodes, no graph repays the call, however dense


def _work(name: str) -> Work:
    scale, steps, *fixed = WORK[name]
    work = Work(scale, STEPS.index(steps), fixed[0] if fixed else 0.0, 0)
    nodes = 0
    while nodes < 60 and networks.likely_time(work, nodes, nodes + nodes * nodes) < OVERHEAD:
        nodes += 1
    return work._replace(fewest=nodes)


WORKS = {name: _work(name) for name in WORK}


def hesitation(work: Work, graph: Any, few: bool) -> str | None:
    """Why NetworkX is likely to be quicker, or None; `few` says that the call is for some nodes."""
    return networks.hesitation(work, graph, few, REASONS)
