"""Components of every kind, bridges, trees and two-colourings."""

from __future__ import annotations

from typing import Any

import networkx as nx

from tessera._core import networks
from tessera.networkx.functions._arguments import key_number
from tessera.networkx.graphs import network_of, unconverted

_POINTLESS = "Connectivity is undefined for the null graph."


def _weak(G: Any):
    yield from networks.components(network_of(G))


def _strong(G: Any):
    yield from networks.components(network_of(G), strong=True)


def _whole(G: Any, strong: bool = False) -> bool:
    network = network_of(G)
    if len(network) == 0:
        raise nx.NetworkXPointlessConcept(_POINTLESS)
    return networks.first_component(network, strong) == len(network)


def connected_components(G):
    rows = unconverted(G)
    found = None if rows is None else networks.walked_components(rows)
    return _weak(G) if found is None else (component for component in found)


def number_connected_components(G):
    rows = unconverted(G)
    found = None if rows is None else networks.count_walked_components(rows)
    return networks.count_components(network_of(G)) if found is None else found


def is_connected(G):
    rows = unconverted(G)
    found = None if not rows else networks.count_walked_components(rows)
    return _whole(G) if found is None else found == 1


def node_connected_component(G, n):
    network = network_of(G)
    return networks.reached(network, key_number(network, n)) | {n}


def weakly_connected_components(G):
    return _weak(G)


def number_weakly_connected_components(G):
    return networks.count_components(network_of(G))


def is_weakly_connected(G):
    return _whole(G)


def strongly_connected_components(G):
    return _strong(G)


def number_strongly_connected_components(G):
    return networks.count_components(network_of(G), strong=True)


def is_strongly_connected(G):
    return _whole(G, strong=True)


def attracting_components(G):
    yield from networks.attracting(network_of(G))


def number_attracting_components(G):
    return len(networks.attracting(network_of(G)))


def is_attracting_component(G):
    network = network_of(G)
    found = networks.attracting(network)
    return len(found) == 1 and len(found[0]) == len(network)


def biconnected_components(G):
    yield from networks.biconnected(network_of(G), "sets")


def biconnected_component_edges(G):
    yield from networks.biconnected(network_of(G), "edges")


def is_biconnected(G):
    network = network_of(G)
    found = networks.biconnected(network, "sets")
    return len(found) == 1 and len(found[0]) == len(network)


def articulation_points(G):
    yield from networks.biconnected(network_of(G), "articulations")


def _bridges(G: Any, root: Any) -> list:
    network = network_of(G)
    found = networks.biconnected(network, "bridges")
    if root is None:
        return found
    if network.index_of(root) < 0:
        raise nx.NodeNotFound(f"Root node {root} is not in graph")
    near = networks.reached(network, network.index_of(root)) | {root}
    return [edge for edge in found if edge[0] in near]


def bridges(G, root=None):
    yield from _bridges(G, root)


def has_bridges(G, root=None):
    return bool(_bridges(G, root))


def is_tree(G):
    network = network_of(G)
    if len(network) == 0:
        raise nx.exception.NetworkXPointlessConcept("G has no nodes.")
    return len(network) - 1 == network.edges and networks.first_component(network) == len(network)


def is_forest(G):
    network = network_of(G)
    if len(network) == 0:
        raise nx.exception.NetworkXPointlessConcept("G has no nodes.")
    # Each component of k nodes has at least k - 1 edges, so it is the total that counts.
    return len(network) - networks.count_components(network) == network.edges


def is_arborescence(G):
    return is_tree(G) and max(network_of(G).degrees(incoming=True)) <= 1


def is_branching(G):
    return is_forest(G) and max(network_of(G).degrees(incoming=True)) <= 1


def is_bipartite(G):
    network = network_of(G)
    return network.loops == 0 and networks.colours(network) is not None


def color(G):
    found = networks.colours(network_of(G))
    if found is None:
        raise nx.NetworkXError("Graph is not bipartite.")
    return found


def _lone(G: Any) -> list:
    network = network_of(G)
    degrees = network.degrees()
    if network.directed:
        degrees = [out + into for out, into in zip(degrees, network.degrees(incoming=True))]
    return [label for label, degree in zip(network.labels, degrees) if degree == 0]


def isolates(G):
    return iter(_lone(G))


def number_of_isolates(G):
    return len(_lone(G))
