"""Searches, and what follows from the order in which they find nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx

from tessera._core import networks
from tessera.networkx.functions._arguments import is_node, neighbours_number, number, steps
from tessera.networkx.functions._changes import Changes, generations_of_changed
from tessera.networkx.graphs import network_of, reversible_network_of


def generic_bfs_edges(G, source, neighbors=None, depth_limit=None):
    yield from bfs_edges(G, source, depth_limit=depth_limit)


def _search(G: Any, source: Any, depth_limit: Any) -> tuple[Any, int, int | None]:
    network = network_of(G)
    return network, neighbours_number(network, source), steps(depth_limit)


def bfs_edges(G, source, reverse=False, depth_limit=None, sort_neighbors=None):
    network = reversible_network_of(G) if reverse else network_of(G)
    start = neighbours_number(network, source)
    yield from networks.bfs_edges(network, start, steps(depth_limit), bool(reverse and network.directed))


def bfs_tree(G, source, reverse=False, depth_limit=None, sort_neighbors=None):
    T = nx.DiGraph()
    T.add_node(source)
    T.add_edges_from(bfs_edges(G, source, reverse, depth_limit))
    return T


def bfs_predecessors(G, source, depth_limit=None, sort_neighbors=None):
    network, start, depth = _search(G, source, depth_limit)
    yield from networks.bfs_edges(network, start, depth, swapped=True)


def bfs_successors(G, source, depth_limit=None, sort_neighbors=None):
    network, start, depth = _search(G, source, depth_limit)
    yield from networks.bfs_successors(network, start, depth) or [(source, [])]


def _layers(G: Any, sources: Any, depth: int | None = None) -> list[list]:
    network = network_of(G)
    sources = [sources] if is_node(network, sources) else list(set(sources))
    numbers = [number(network, each, f"The node {each} is not in the graph.", nx.NetworkXError) for each in sources]
    return networks.bfs_layers(network, numbers, depth)


def bfs_layers(G, sources):
    yield from _layers(G, sources)


def descendants_at_distance(G, source, distance):
    number(network_of(G), source, f"The node {source} is not in the graph.", nx.NetworkXError)
    if not (distance >= 0 and distance == int(distance)):
        return set()
    layers = _layers(G, source, int(distance))
    return set(layers[int(distance)]) if distance < len(layers) else set()


def descendants(G, source):
    network, start, _ = _search(G, source, None)
    return networks.reached(network, start)


def ancestors(G, source):
    network, start, _ = _search(G, source, None)
    return networks.reached(network, start, network.directed)


def _depth_first(G: Any, source: Any, depth_limit: int | None, form: str) -> list:
    network = network_of(G)
    start = None if source is None else neighbours_number(network, source)
    limit = steps(depth_limit)
    depth = len(network) if limit is None else max(1, limit)
    return networks.dfs(network, start, depth, form)


def dfs_edges(G, source=None, depth_limit=None, *, sort_neighbors=None):
    yield from _depth_first(G, source, depth_limit, "edges")


def dfs_tree(G, source=None, depth_limit=None, *, sort_neighbors=None):
    T = nx.DiGraph()
    T.add_nodes_from(network_of(G).labels if source is None else [source])
    T.add_edges_from(_depth_first(G, source, depth_limit, "edges"))
    return T


def dfs_predecessors(G, source=None, depth_limit=None, *, sort_neighbors=None):
    return {child: parent for parent, child in _depth_first(G, source, depth_limit, "edges")}


def dfs_successors(G, source=None, depth_limit=None, *, sort_neighbors=None):
    found: dict[Any, list] = {}
    for parent, child in _depth_first(G, source, depth_limit, "edges"):
        found.setdefault(parent, []).append(child)
    return found


def dfs_preorder_nodes(G, source=None, depth_limit=None, *, sort_neighbors=None) -> Iterator:
    return iter(_depth_first(G, source, depth_limit, "preorder"))


def dfs_postorder_nodes(G, source=None, depth_limit=None, *, sort_neighbors=None) -> Iterator:
    return iter(_depth_first(G, source, depth_limit, "postorder"))


def _acyclic(network: Any) -> bool:
    return networks.acyclic(network)


def has_cycle(G):
    network = network_of(G)
    if not network.directed:
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    return not _acyclic(network)


def is_directed_acyclic_graph(G):
    network = network_of(G)
    return network.directed and _acyclic(network)


def _generations(G: Any) -> Iterator[list]:
    network = network_of(G)
    if not network.directed:
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    changes = Changes(G)
    found, complete = networks.generations(network)
    for place, generation in enumerate(found):
        if changes.any():
            yield from generations_of_changed(network, changes.graph, found[:place], generation)
            return
        yield generation
    if changes.any():
        yield from generations_of_changed(network, changes.graph, found, [])
    elif not complete:
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


def topological_generations(G):
    return _generations(G)


def topological_sort(G):
    for generation in _generations(G):
        yield from generation
