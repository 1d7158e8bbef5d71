"""Communities."""

from __future__ import annotations

import networkx as nx

from tessera._core import networks
from tessera.networkx.functions._arguments import refused_at_the_call
from tessera.networkx.graphs import network_of


def louvain_communities(G, weight="weight", resolution=1, threshold=0.0000001, max_level=None, seed=None):
    if max_level is not None and max_level <= 0:
        raise ValueError("max_level argument must be a positive integer or None")
    network = network_of(G, weight)
    if network.edges == 0:
        return [{label} for label in network.labels]
    levels = -1 if max_level is None else max_level
    return networks.louvain(
        network, weight, resolution, threshold, nx.utils.create_py_random_state(seed), levels, False
    )[0]


@refused_at_the_call
def louvain_partitions(G, weight="weight", resolution=1, threshold=0.0000001, seed=None):
    network = network_of(G, weight)
    if network.edges == 0:
        yield [{label} for label in network.labels]
        return
    yield from networks.louvain(network, weight, resolution, threshold, nx.utils.create_py_random_state(seed), -1, True)


@refused_at_the_call
def leiden_partitions(G, weight="weight", resolution=1, seed=None):
    yield from _leiden(G, weight, resolution, seed, -1)


def leiden_communities(G, weight="weight", resolution=1, max_level=None, seed=None):
    if max_level is not None and max_level <= 0:
        raise ValueError("max_level argument must be a positive integer or None")
    return _leiden(G, weight, resolution, seed, -1 if max_level is None else max_level)[-1]


def _leiden(G, weight, resolution, seed, levels) -> list:
    network = network_of(G, weight)
    if network.edges == 0:
        return [[{label} for label in network.labels]]
    return networks.leiden(network, weight, resolution, nx.utils.create_py_random_state(seed), levels)


def label_propagation_communities(G):
    network = network_of(G)
    return dict(enumerate(networks.label_propagation(network, network.degrees()))).values()


@refused_at_the_call
def asyn_lpa_communities(G, weight=None, seed=None):
    yield from networks.asynchronous_labels(network_of(G, weight), weight, nx.utils.create_py_random_state(seed), False)


@refused_at_the_call
def fast_label_propagation_communities(G, *, weight=None, seed=None):
    yield from networks.asynchronous_labels(network_of(G, weight), weight, nx.utils.create_py_random_state(seed), True)


def modularity(G, communities, weight="weight", resolution=1):
    network = network_of(G, weight)
    communities = list(communities)
    place = [-1] * len(network)
    members = 0
    for number, community in enumerate(communities):
        for node in set(community):
            index = network.index_of(node)
            if index >= 0:
                place[index] = number
        members += len(community)
    if members != len(network) or -1 in place:
        from networkx.algorithms.community.quality import NotAPartition

        raise NotAPartition(G, communities)
    return networks.modularity(network, weight, place, len(communities), resolution)
