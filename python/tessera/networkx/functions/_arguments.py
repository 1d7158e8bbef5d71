"""What the functions share: numbers of nodes, limits, and lists of values in the order of nodes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import networkx as nx


def refused_at_the_call(function: Callable) -> Callable:
    """The generator function, whose first item is computed at the call: what is not implemented is known then, while NetworkX can
    still answer instead. All else that it raises waits for the iteration."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Iterator:
        items = function(*arguments, **named)
        try:
            first = next(items, items)
        except NotImplementedError:
            raise
        except Exception as error:
            return _raising(error)
        return iter(()) if first is items else _followed(first, items)

    return call


def _raising(error: Exception) -> Iterator:
    raise error
    yield


def _followed(first: Any, rest: Iterator) -> Iterator:
    yield first
    yield from rest


def number(network: Any, label: Any, message: str, error: type[Exception] = nx.NodeNotFound) -> int:
    """The number of a node; raises `error` with this message where it is not in the graph."""
    found = network.index_of(label)
    if found < 0:
        raise error(message)
    return found


def neighbours_number(network: Any, label: Any) -> int:
    """The number of a node whose neighbours are asked for, as `G.neighbors` would."""
    kind = "digraph" if network.directed else "graph"
    hash(label)
    return number(network, label, f"The node {label} is not in the {kind}.", nx.NetworkXError)


def key_number(network: Any, label: Any) -> int:
    """The number of a node that NetworkX looks up in a dictionary: KeyError where it is not there."""
    found = network.index_of(label)
    if found < 0:
        raise KeyError(label)
    return found


def steps(limit: float | None) -> int | None:
    """How many levels a search with this cutoff or depth limit goes down; None for all."""
    if limit is None or limit == math.inf:
        return None
    return max(0, math.ceil(limit))


def values(network: Any, mapping: Mapping[Any, float], missing: float = 0) -> list[float]:
    """One float a node."""
    return [float(mapping.get(label, missing)) for label in network.labels]


def chosen(network: Any, nodes: Iterable) -> list[Any]:
    """The nodes of the graph among these, as `G.nbunch_iter` has them."""
    found = []
    try:
        for node in nodes:
            if network.index_of(node) >= 0:
                found.append(node)
            else:
                hash(node)
    except TypeError as problem:
        message = problem.args[0]
        if "object is not iterable" in message:
            raise nx.NetworkXError(f"Node {nodes} is not in the graph.") from problem
        if "hashable" in message:
            raise nx.NetworkXError(f"Node {node} in sequence nbunch is not a valid node.") from problem
        if "iter" in message:
            raise nx.NetworkXError("nbunch is not a node or a sequence of nodes.") from problem
        raise
    return found


def is_node(network: Any, value: Any) -> bool:
    """`value in G`."""
    return network.index_of(value) >= 0
