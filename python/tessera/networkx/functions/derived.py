"""Functions that return graphs: cores, trusses, neighbourhoods, closures, reductions, projections; and spanning edges.

The results are graphs of NetworkX's own classes, with copies of the attributes that NetworkX's results have."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from copy import deepcopy
from itertools import pairwise
from typing import Any

import networkx as nx

from tessera._core import networks
from tessera.networkx.functions import paths, structure
from tessera.networkx.functions._arguments import number
from tessera.networkx.graphs import blank, edges_of, network_of, nodes_of, part, reversible_network_of

# Classes whose objects need no copy.
_NEVER_CHANGED = frozenset((int, float, bool, str, bytes, complex, type(None)))


def _core(G: Any, k: Any, core_number: Any, below: int = 0) -> tuple[dict, Any]:
    core = structure.core_number(G) if core_number is None else core_number
    return core, max(core.values()) - below if k is None else k


def k_core(G, k=None, core_number=None):
    core, k = _core(G, k, core_number)
    return part(G, {node for node, value in core.items() if value >= k})


def k_shell(G, k=None, core_number=None):
    core, k = _core(G, k, core_number)
    return part(G, {node for node, value in core.items() if value == k})


def k_crust(G, k=None, core_number=None):
    core, k = _core(G, k, core_number, 1)
    return part(G, {node for node, value in core.items() if value <= k})


def k_corona(G, k, core_number=None):
    core, k = _core(G, k, core_number)
    rows = edges_of(G)
    return part(
        G,
        {node for node, value in core.items() if value == k and k == sum(core[other] >= k for other in rows[node])},
    )


def k_truss(G, k):
    network = network_of(G)
    if network.loops:
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    edges, lone = networks.outside_truss(network, k)
    result = part(G, set(network.labels).difference(lone))
    result.remove_edges_from(edges)
    return result


def ego_graph(G, n, radius=1, center=True, undirected=False, distance=None):
    if distance is not None:
        near = paths.single_source_dijkstra_path_length(G, n, radius, distance)
    else:
        near = paths.single_source_shortest_path_length(G, n, radius)
    result = part(G, near.keys())
    if not center:
        result.remove_node(n)
    return result


def reverse(G, copy=True):
    network = network_of(G)
    if not network.directed:
        raise nx.NetworkXError("Cannot reverse an undirected graph.")
    result = part(G, set(network.labels))
    result._succ, result._pred = result._pred, result._succ
    result.graph = deepcopy(result.graph)
    edges = (data for row in result._succ.values() for data in row.values())
    if result.is_multigraph():
        edges = (data for keys in edges for data in keys.values())
    for data in itertools.chain(result._node.values(), edges):
        for name, value in data.items():
            if type(value) not in _NEVER_CHANGED:
                data[name] = deepcopy(value)
    return result


def _with_arcs(result: Any, labels: list, arcs: Any, attribute: str | None = None) -> Any:
    into = result._pred if result.is_directed() else None
    networks.add_arcs(result._adj, into, labels, arcs, result.is_multigraph(), attribute)
    return result


def complement(G):
    network = network_of(G)
    result = blank(G)
    result.add_nodes_from(network.labels)
    return _with_arcs(result, network.labels, networks.complement(network))


def transitive_closure(G, reflexive=False):
    network = network_of(G)
    if reflexive not in {None, True, False}:
        raise nx.NetworkXError("Incorrect value for the parameter `reflexive`")
    itself = {None: "never", True: "always", False: "arcs"}[reflexive]
    return _with_arcs(part(G, set(network.labels)), network.labels, networks.closure(network, itself))


def transitive_reduction(G):
    network = network_of(G)
    if not networks.acyclic(network):
        raise nx.NetworkXError("Directed Acyclic Graph required for transitive_reduction")
    result = nx.DiGraph()
    result.add_nodes_from(network.labels)
    return _with_arcs(result, network.labels, networks.reduction(network))


def condensation(G, scc=None):
    network = network_of(G)
    result = nx.DiGraph()
    result.graph["mapping"] = mapping = {}
    if len(network) == 0:
        return result
    found = list(networks.components(network, strong=True) if scc is None else scc)
    for place, component in enumerate(found):
        result.add_node(place, members=component)
        mapping.update(dict.fromkeys(component, place))
    places = list(range(len(found)))
    return _with_arcs(
        result, places, networks.between_groups(network, [mapping[label] for label in network.labels], len(found))
    )


def _projected(B: Any, nodes: Iterable, result: Any) -> tuple[Any, list, list[int]]:
    network = network_of(B)
    nodes = list(nodes)
    attributes = nodes_of(B)
    result.graph.update(B.graph)
    result.add_nodes_from((node, attributes[node]) for node in nodes)
    chosen = list(result._node)
    return network, chosen, [number(network, node, f"Node {node} is not in the graph.") for node in chosen]


def projected_graph(B, nodes, multigraph=False):
    result = nx.DiGraph() if network_of(B).directed else nx.Graph()
    network, chosen, numbers = _projected(B, nodes, result)
    arcs, others = networks.projection(network, numbers, 0)
    result.add_nodes_from(others)
    return _with_arcs(result, chosen + others, arcs)


def weighted_projected_graph(B, nodes, ratio=False):
    nodes = list(nodes)
    top = len(network_of(B)) - len(nodes)
    if top < 1:
        raise nx.NetworkXAlgorithmError(
            f"the size of the nodes to project onto ({len(nodes)}) is >= the graph size ({len(network_of(B))}).\n"
            "They are either not a valid bipartite partition or contain duplicates"
        )
    result = nx.Graph()
    network, chosen, numbers = _projected(B, nodes, result)
    arcs, others = networks.projection(network, numbers, top if ratio else 0)
    result.add_nodes_from(others)
    return _with_arcs(result, chosen + others, arcs, "weight")


def minimum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    return _spanning(G, weight, data, False)


def maximum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    return _spanning(G, weight, data, True)


def _spanning(G: Any, weight: Any, data: Any, heaviest: bool) -> Iterator:
    pairs = networks.spanning_edges(network_of(G, weight), weight, heaviest)
    if not data:
        return iter(pairs)
    rows = edges_of(G)
    return ((u, v, rows[u][v]) for u, v in pairs)


def _spanning_tree(G: Any, weight: Any, heaviest: bool) -> Any:
    edges = list(_spanning(G, weight, True, heaviest))
    result = blank(G)
    result.graph.update(G.graph)
    result.add_nodes_from(nodes_of(G).items())
    result.add_edges_from(edges)
    return result


def minimum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    return _spanning_tree(G, weight, False)


def maximum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    return _spanning_tree(G, weight, True)


def dag_longest_path(G, weight="weight", default_weight=1, topo_order=None):
    network = network_of(G, weight)
    reversible_network_of(G)
    found = networks.longest_path(network, weight)
    if found is None:
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")
    return found


def dag_longest_path_length(G, weight="weight", default_weight=1):
    rows = edges_of(G)
    return sum(rows[u][v].get(weight, default_weight) for u, v in pairwise(dag_longest_path(G, weight)))
