"""Whether a call can run natively, in words where it cannot."""

from __future__ import annotations

import inspect
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


def is_pair(args: tuple, kwargs: dict[str, Any]) -> bool:
    """Whether a call `(G, source, target, weight, ...)` is for one path without weights."""
    given = dict(zip(("source", "target", "weight"), args[1:4])) | kwargs
    return given.get("source") is not None and given.get("target") is not None and given.get("weight") is None


def _unhashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return True
    return False


def _no_number(value: Any) -> bool:
    return not isinstance(value, int | float) or value != value


def _no_whole_number(value: Any) -> bool:
    return not isinstance(value, int)


# By name of a parameter, what NetworkX answers to in ways of its own.
_ODD: dict[str, tuple[Callable[[Any], bool], str]] = dict.fromkeys(
    ("cutoff", "depth_limit", "alpha", "tol", "resolution", "threshold", "radius"), (_no_number, "is no number")
)
_ODD |= dict.fromkeys(("max_iter", "max_level"), (_no_whole_number, "is no whole number"))
_ODD |= dict.fromkeys(("source", "target", "n"), (_unhashable, "cannot be hashed"))
_COUNTS = frozenset(("k_truss", "betweenness_centrality", "edge_betweenness_centrality"))


def odd_arguments(function: Callable) -> list[tuple[str, int, Callable[[Any], bool], str]]:
    """Parameters of a native function, their places, and which arguments NetworkX is to answer to, and why."""
    found = []
    for position, parameter in enumerate(inspect.signature(function).parameters):
        if parameter == "k" and function.__name__ in _COUNTS:
            found.append((parameter, position, _no_whole_number, "is no whole number"))
        elif parameter in _ODD:
            found.append((parameter, position, *_ODD[parameter]))
    return found


def refusals(function: Function, classes: tuple[type, ...]) -> tuple:
    """For answers without Python: which of these classes are not refused, or None for all, and for each argument that may be
    refused its name and place, whether functions alone are (None: a condition of another kind), and the reason."""
    plain = {"callable": True, "given": False}
    arguments = ((each.parameter, each.position, plain.get(each.when), each.reason) for each in function.refusals)
    return (_accepted(function, classes) if function.kinds else None, *arguments)


def _accepted(function: Function, classes: tuple[type, ...]) -> frozenset:
    return frozenset(
        each
        for each in classes
        if _kind_refusal(function, issubclass(each, nx.MultiGraph), issubclass(each, nx.DiGraph)) is None
    )


def _kind_refusal(function: Function, multigraph: bool, directed: bool) -> str | None:
    for kind in function.kinds.split():
        if kind == "multigraph" and multigraph:
            return "multigraphs have no native form of it"
        if kind != "multigraph" and directed == (kind == "directed"):
            return f"{kind} graphs have no native form of it"
    return None


def refusal(function: Function, args: tuple, kwargs: dict[str, Any]) -> str | None:
    """Why this call runs in NetworkX, or None."""
    for parameter, position, when, reason in function.refusals:
        value = args[position] if len(args) > position else kwargs.get(parameter)
        if value is not None and CONDITIONS[when](value):
            return reason
    if function.kinds:
        graph = args[0] if args else kwargs["G"] if "G" in kwargs else kwargs["B"]
        return _kind_refusal(function, graph.is_multigraph(), graph.is_directed())
    return None
