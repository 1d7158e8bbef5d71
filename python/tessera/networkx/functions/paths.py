"""Shortest paths, and the distances that follow from them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import networkx as nx

from tessera._core import networks
from tessera.networkx.functions._arguments import chosen, is_node, number, refused_at_the_call, steps
from tessera.networkx.graphs import network_of, reversible_network_of

# ---- without weights


def single_source_shortest_path_length(G, source, cutoff=None):
    network = network_of(G)
    start = number(network, source, f"Source {source} is not in G")
    return networks.bfs_lengths(network, [start], steps(cutoff))


def single_target_shortest_path_length(G, target, cutoff=None):
    network = reversible_network_of(G)
    start = number(network, target, f"Target {target} is not in G")
    return networks.bfs_lengths(network, [start], steps(cutoff), network.directed)


def single_source_shortest_path(G, source, cutoff=None):
    network = network_of(G)
    start = number(network, source, f"Source {source} not in G")
    return networks.bfs_paths(network, start, steps(cutoff))


def single_target_shortest_path(G, target, cutoff=None):
    network = reversible_network_of(G)
    start = number(network, target, f"Target {target} not in G")
    return networks.bfs_paths(network, start, steps(cutoff), True)


@refused_at_the_call
def all_pairs_shortest_path_length(G, cutoff=None):
    network = network_of(G)
    for start, label in enumerate(network.labels):
        yield label, networks.bfs_lengths(network, [start], steps(cutoff))


@refused_at_the_call
def all_pairs_shortest_path(G, cutoff=None):
    network = network_of(G)
    for start, label in enumerate(network.labels):
        yield label, networks.bfs_paths(network, start, steps(cutoff))


def bidirectional_shortest_path(G, source, target):
    network = reversible_network_of(G)
    start = number(network, source, f"Source {source} is not in G")
    end = number(network, target, f"Target {target} is not in G")
    found = networks.bfs_path(network, start, end)
    if found is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found


def has_path(G, source, target):
    if source is None or target is None:
        raise NotImplementedError("source= and target= are no nodes")
    try:
        bidirectional_shortest_path(G, source, target)
    except nx.NetworkXNoPath:
        return False
    return True


# ---- Dijkstra


def _sources(network: Any, sources: Any) -> list[int]:
    if not sources:
        raise ValueError("sources must not be empty")
    return [number(network, each, f"Node {each} not found in graph") for each in dict.fromkeys(sources)]


def multi_source_dijkstra(G, sources, target=None, cutoff=None, weight="weight"):
    network = network_of(G, weight)
    starts = _sources(network, sources)
    if target in sources:
        return 0, [target]
    if target is None:
        return networks.dijkstra(network, weight, starts, None, cutoff, paths=True)[:2]
    end = network.index_of(target)
    found = networks.dijkstra_to(network, weight, starts, end, cutoff) if end >= 0 else None
    if found is None:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return found


def multi_source_dijkstra_path(G, sources, cutoff=None, weight="weight"):
    network = network_of(G, weight)
    return networks.dijkstra(network, weight, _sources(network, sources), None, cutoff, lengths=False, paths=True)[1]


def multi_source_dijkstra_path_length(G, sources, cutoff=None, weight="weight"):
    network = network_of(G, weight)
    return networks.dijkstra(network, weight, _sources(network, sources), None, cutoff)[0]


def single_source_dijkstra(G, source, target=None, cutoff=None, weight="weight"):
    return multi_source_dijkstra(G, {source}, target, cutoff, weight)


def single_source_dijkstra_path(G, source, cutoff=None, weight="weight"):
    return multi_source_dijkstra_path(G, {source}, cutoff, weight)


def single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


def dijkstra_path(G, source, target, weight="weight"):
    return multi_source_dijkstra(G, {source}, target, None, weight)[1]


def dijkstra_path_length(G, source, target, weight="weight"):
    network = network_of(G, weight)
    start = number(network, source, f"Node {source} not found in graph")
    if source == target:
        return 0
    end = network.index_of(target)
    found = networks.dijkstra_to(network, weight, [start], end) if end >= 0 else None
    if found is None:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found[0]


def dijkstra_predecessor_and_distance(G, source, cutoff=None, weight="weight"):
    network = network_of(G, weight)
    start = number(network, source, f"Node {source} is not found in the graph")
    lengths, _, before = networks.dijkstra(network, weight, [start], None, cutoff, before=True)
    return before, lengths


@refused_at_the_call
def all_pairs_dijkstra(G, cutoff=None, weight="weight"):
    network = network_of(G, weight)
    for start, label in enumerate(network.labels):
        yield label, networks.dijkstra(network, weight, [start], None, cutoff, paths=True)[:2]


@refused_at_the_call
def all_pairs_dijkstra_path_length(G, cutoff=None, weight="weight"):
    network = network_of(G, weight)
    for start, label in enumerate(network.labels):
        yield label, networks.dijkstra(network, weight, [start], None, cutoff)[0]


@refused_at_the_call
def all_pairs_dijkstra_path(G, cutoff=None, weight="weight"):
    network = network_of(G, weight)
    for start, label in enumerate(network.labels):
        yield label, networks.dijkstra(network, weight, [start], None, cutoff, lengths=False, paths=True)[1]


# ---- Bellman and Ford


def _bellman_ford(G: Any, source: Any, weight: Any, paths: bool) -> tuple:
    network = network_of(G, weight)
    start = number(network, source, f"Source {source} not in G")
    return networks.bellman_ford(network, weight, [start], paths=paths)[:2]


def single_source_bellman_ford(G, source, target=None, weight="weight"):
    network = network_of(G, weight)
    if source == target:
        number(network, source, f"Node {source} is not found in the graph")
        return 0, [source]
    if target is None:
        return _bellman_ford(G, source, weight, True)
    start = number(network, source, f"Source {source} not in G")
    end = network.index_of(target)
    found = networks.bellman_ford_to(network, weight, start, end) if end >= 0 else None
    if found is None:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return found


def single_source_bellman_ford_path(G, source, weight="weight"):
    return _bellman_ford(G, source, weight, True)[1]


def single_source_bellman_ford_path_length(G, source, weight="weight"):
    return _bellman_ford(G, source, weight, False)[0]


def bellman_ford_path(G, source, target, weight="weight"):
    return single_source_bellman_ford(G, source, target, weight)[1]


def bellman_ford_path_length(G, source, target, weight="weight"):
    network = network_of(G, weight)
    if source == target:
        number(network, source, f"Node {source} not found in graph")
        return 0
    start = number(network, source, f"Source {source} not in G")
    end = network.index_of(target)
    found = networks.bellman_ford_to(network, weight, start, end) if end >= 0 else None
    if found is None:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return found[0]


@refused_at_the_call
def all_pairs_bellman_ford_path_length(G, weight="weight"):
    for label in network_of(G, weight).labels:
        yield label, single_source_bellman_ford_path_length(G, label, weight)


@refused_at_the_call
def all_pairs_bellman_ford_path(G, weight="weight"):
    for label in network_of(G, weight).labels:
        yield label, single_source_bellman_ford_path(G, label, weight)


def negative_edge_cycle(G, weight="weight", heuristic=True):
    network = network_of(G, weight)
    return network.edges > 0 and networks.has_negative_cycle(network, weight, heuristic)


# ---- any of these

_METHODS = ("dijkstra", "bellman-ford")


def _of_method(weight: Any, method: str) -> str:
    if method not in _METHODS:
        raise ValueError(f"method not supported: {method}")
    return "unweighted" if weight is None else method


def _refuse_bellman_ford(method: str) -> None:
    if method == "bellman-ford":
        raise NotImplementedError("paths from all nodes to a target by Bellman-Ford")


def shortest_path(G, source=None, target=None, weight=None, method="dijkstra"):
    method = _of_method(weight, method)
    if source is None and target is None:
        if method == "unweighted":
            return all_pairs_shortest_path(G)
        return (all_pairs_dijkstra_path if method == "dijkstra" else all_pairs_bellman_ford_path)(G, weight=weight)
    if source is None:
        if method == "unweighted":
            network = reversible_network_of(G)
            end = number(network, target, f"Source {target} not in G")
            return networks.bfs_paths(network, end, None, True)
        _refuse_bellman_ford(method)
        network = network_of(G, weight)
        end = number(network, target, f"Node {target} not found in graph")
        found = networks.dijkstra(network, weight, [end], None, None, network.directed, lengths=False, paths=True)[1]
        return {node: path[::-1] for node, path in found.items()}
    if target is None:
        if method == "unweighted":
            return single_source_shortest_path(G, source)
        return (single_source_dijkstra_path if method == "dijkstra" else single_source_bellman_ford_path)(
            G, source, weight=weight
        )
    if method == "unweighted":
        return bidirectional_shortest_path(G, source, target)
    if method == "dijkstra":
        return bidirectional_dijkstra(G, source, target, weight)[1]
    return bellman_ford_path(G, source, target, weight)


def shortest_path_length(G, source=None, target=None, weight=None, method="dijkstra"):
    method = _of_method(weight, method)
    if source is None and target is None:
        if method == "unweighted":
            return all_pairs_shortest_path_length(G)
        return (all_pairs_dijkstra_path_length if method == "dijkstra" else all_pairs_bellman_ford_path_length)(
            G, weight=weight
        )
    if source is None:
        if method == "unweighted":
            network = reversible_network_of(G)
            end = number(network, target, f"Source {target} is not in G")
            return networks.bfs_lengths(network, [end], None, network.directed)
        _refuse_bellman_ford(method)
        network = network_of(G, weight)
        end = number(network, target, f"Node {target} not found in graph")
        return networks.dijkstra(network, weight, [end], None, None, network.directed)[0]
    if target is None:
        if method == "unweighted":
            return single_source_shortest_path_length(G, source)
        return (single_source_dijkstra_path_length if method == "dijkstra" else single_source_bellman_ford_path_length)(
            G, source, weight=weight
        )
    if method == "unweighted":
        return len(bidirectional_shortest_path(G, source, target)) - 1
    return (dijkstra_path_length if method == "dijkstra" else bellman_ford_path_length)(G, source, target, weight)


def bidirectional_dijkstra(G, source, target, weight="weight"):
    network = network_of(G, weight)
    start = number(network, source, f"Source {source} is not in G")
    end = number(network, target, f"Target {target} is not in G")
    if source == target:
        return 0, [source]
    found = networks.dijkstra_between(network, weight, start, end)
    if found is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found


# ---- distances of all nodes


def _all(network: Any) -> list[int]:
    return list(range(len(network)))


def average_shortest_path_length(G, weight=None, method=None):
    network = network_of(G, weight)
    n = len(network)
    if n == 0:
        raise nx.NetworkXPointlessConcept("the null graph has no paths, thus there is no average shortest path length")
    if n == 1:
        return 0
    if networks.first_component(network, network.directed) != n:
        kind = "strongly connected" if network.directed else "connected"
        raise nx.NetworkXError(f"Graph is not {kind}.")
    totals = networks.reach(network, None if method == "unweighted" else weight, _all(network))[1]
    return sum(totals) / (n * (n - 1))


def eccentricity(G, v=None, sp=None, weight=None):
    network = network_of(G, weight)
    one = is_node(network, v)
    labels = network.labels if v is None else [v] if one else chosen(network, v)
    numbers = [network.index_of(each) for each in labels]
    counts, _, farthest, _ = networks.reach(network, weight, numbers)
    if any(count != len(network) for count in counts):
        if network.directed:
            raise nx.NetworkXError("Found infinite path length because the digraph is not strongly connected")
        raise nx.NetworkXError("Found infinite path length because the graph is not connected")
    return farthest[0] if one else dict(zip(labels, farthest))


def _extreme(G: Any, e: Any, weight: Any, usebounds: Any, best: Callable) -> tuple[dict, Any]:
    if e is None:
        try:
            e = eccentricity(G, weight=weight)
        except nx.NetworkXError as problem:
            if usebounds is not True or network_of(G).directed or "infinite path length" not in str(problem):
                raise
            raise nx.NetworkXError("Cannot compute metric because graph is not connected.") from problem
    return e, best(e.values())


def diameter(G, e=None, usebounds=False, weight=None):
    return _extreme(G, e, weight, usebounds, max)[1]


def radius(G, e=None, usebounds=False, weight=None):
    return _extreme(G, e, weight, usebounds, min)[1]


def periphery(G, e=None, usebounds=False, weight=None):
    e, most = _extreme(G, e, weight, usebounds, max)
    return [node for node, value in e.items() if value == most]


def center(G, e=None, usebounds=False, weight=None):
    network = network_of(G)
    if len(network) == 0 and e is None and weight is None and usebounds is not True and not network.directed:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    e, least = _extreme(G, e, weight, usebounds, min)
    return [node for node, value in e.items() if value == least]


def harmonic_diameter(G, sp=None, *, weight=None):
    network = network_of(G, weight)
    n = len(network)
    total = sum(networks.reach(network, weight, _all(network))[3])
    if total != 0:
        return n * (n - 1) / total
    return math.inf if n > 1 else math.nan


def closeness_centrality(G, u=None, distance=None, wf_improved=True):
    network = network_of(G, distance)
    if u is None:
        labels: list = network.labels
    else:
        name = "Source {} is not in G" if distance is None else "Node {} not found in graph"
        number(network, u, name.format(u))
        labels = [u]
    counts, totals, _, _ = networks.reach(network, distance, [network.index_of(each) for each in labels], True)
    n = len(network)
    found = {}
    for label, count, total in zip(labels, counts, totals):
        value = 0.0
        if total > 0.0 and n > 1:
            value = (count - 1.0) / total
            if wf_improved:
                value *= (count - 1.0) / (n - 1)
        found[label] = value
    return found if u is None else found[u]


def harmonic_centrality(G, nbunch=None, distance=None, sources=None):
    network = network_of(G, distance)
    labels = network.labels if nbunch is None else _bunch(network, nbunch)
    # Distances to a node are those from it in the graph reversed.
    sums = networks.reach(network, distance, [network.index_of(each) for each in labels], True)[3]
    return {label: value or 0 for label, value in zip(labels, sums)}


def _bunch(network: Any, nodes: Any) -> list:
    return [nodes] if is_node(network, nodes) else list(dict.fromkeys(chosen(network, nodes)))
