"""Cores, triangles, clustering, reciprocity and the prediction of links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx

from tessera._core import networks
from tessera.networkx.functions._arguments import chosen, is_node, number
from tessera.networkx.graphs import network_of


def _some(network: Any, found: dict, nodes: Any) -> Any:
    """All values, those of some nodes, or of one."""
    if nodes is None:
        return found
    if is_node(network, nodes):
        return found[nodes]
    return {node: found[node] for node in chosen(network, nodes)}


def core_number(G):
    network = network_of(G)
    if network.loops:
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    return networks.core_numbers(network)


def triangles(G, nodes=None):
    network = network_of(G)
    if nodes is not None and network.multigraph:
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")
    return _some(network, networks.triangles(network), nodes)


def clustering(G, nodes=None, weight=None):
    network = network_of(G, weight)
    return _some(network, networks.clustering(network, weight), nodes)


def average_clustering(G, nodes=None, weight=None, count_zeros=True):
    network = network_of(G, weight)
    found = networks.clustering(network, weight)
    picked: Iterable = found.values() if nodes is None else [found[node] for node in chosen(network, nodes)]
    c = list(picked) if count_zeros else [value for value in picked if abs(value) > 0]
    return sum(c) / len(c)


def transitivity(G):
    closed, pairs = networks.closure(network_of(G))
    return 0 if closed == 0 else closed / pairs


def square_clustering(G, nodes=None):
    network = network_of(G)
    return _some(network, networks.square_clustering(network), nodes)


def greedy_color(G, strategy="largest_first", interchange=False):
    network = network_of(G)
    return networks.greedy_colouring(network, network.degrees())


def overall_reciprocity(G):
    network = network_of(G)
    if network.edges == 0:
        raise nx.NetworkXError("Not defined for empty graphs")
    return networks.reciprocal(network) / network.edges


def _pairs(network: Any, ebunch: Iterable | None) -> tuple[list, list, list]:
    if ebunch is None:
        rows = networks.neighbour_sets(network)
        rest = set(network.labels)
        ebunch = []
        while rest:
            node = rest.pop()
            ebunch.extend((node, other) for other in rest - rows[node])
    pairs = list(ebunch)
    first = [number(network, pair[0], f"Node {pair[0]} not in G.") for pair in pairs]
    second = [number(network, pair[1], f"Node {pair[1]} not in G.") for pair in pairs]
    return pairs, first, second


def _predict(G: Any, kind: str, ebunch: Iterable | None) -> Iterator:
    network = network_of(G)
    pairs, first, second = _pairs(network, ebunch)
    return ((u, v, value) for (u, v), value in zip(pairs, networks.predict(network, kind, first, second)))


def jaccard_coefficient(G, ebunch=None):
    return _predict(G, "jaccard", ebunch)


def adamic_adar_index(G, ebunch=None):
    return _predict(G, "adamic_adar", ebunch)


def resource_allocation_index(G, ebunch=None):
    return _predict(G, "resource_allocation", ebunch)


def preferential_attachment(G, ebunch=None):
    return _predict(G, "preferential_attachment", ebunch)
