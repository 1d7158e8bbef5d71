"""Graphs that are changed between the items of a generator, which NetworkX notices while it walks them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx

from tessera._core import networks

_MARK = "tessera unchanged"


class Changes:
    """Notices changes of the graph that a converted one was made from: NetworkX empties its cache at each."""

    def __init__(self, converted: Any) -> None:
        origin = converted.__dict__.get("_origin")
        self.graph = converted if origin is None else origin.original()
        self._cache = getattr(self.graph, "__networkx_cache__", None)
        if self._cache is not None:
            self._cache[_MARK] = True

    def any(self) -> bool:
        return self._cache is not None and _MARK not in self._cache


def generations_of_changed(network: Any, graph: Any, done: Iterable[list], generation: list) -> Iterator[list]:
    """What NetworkX finds from this generation on in a graph that changed after the generations before were found."""
    rows = networks.neighbour_sets(network)
    waiting = dict.fromkeys(network.labels, 0)
    for row in rows.values():
        for child in row:
            waiting[child] += 1
    for nodes in done:
        for node in nodes:
            del waiting[node]
            for child in rows[node]:
                waiting[child] -= 1
    for node in generation:
        del waiting[node]
    while generation:
        following = []
        for node in generation:
            if node not in graph:
                raise RuntimeError("Graph changed during iteration")
            for child in graph.neighbors(node):
                if child not in waiting:
                    raise RuntimeError("Graph changed during iteration")
                waiting[child] -= 1
                if waiting[child] == 0:
                    following.append(child)
                    del waiting[child]
        yield generation
        generation = following
    if waiting:
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")
