"""Centralities that are not sums of distances."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx

from tessera._core import networks
from tessera.networkx.functions._arguments import key_number, values
from tessera.networkx.graphs import network_of


def pagerank(
    G, alpha=0.85, personalization=None, max_iter=100, tol=1.0e-6, nstart=None, weight="weight", dangling=None
):
    network = network_of(G, weight)
    if len(network) == 0:
        return {}

    def shares(mapping: dict | None) -> list[float] | None:
        if mapping is None:
            return None
        found = values(network, mapping)
        total = math.fsum(found)
        return [value / total if total else math.nan for value in found]

    if personalization is not None and sum(values(network, personalization)) == 0:
        raise ZeroDivisionError
    found = networks.page_rank(
        network, weight, alpha, tol, max_iter, shares(nstart), shares(personalization), shares(dangling)
    )
    if found is None:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return found


def eigenvector_centrality(G, max_iter=100, tol=1.0e-6, nstart=None, weight=None):
    network = network_of(G, weight)
    if len(network) == 0:
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    start = [1.0] * len(network) if nstart is None else [float(nstart[label]) for label in network.labels]
    if all(value == 0 for value in start):
        raise nx.NetworkXError("initial vector cannot have all zero values")
    total = sum(start)
    found = networks.eigenvector(network, weight, max_iter, tol, [value / total for value in start])
    if found is None:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return found


def katz_centrality(G, alpha=0.1, beta=1.0, max_iter=1000, tol=1.0e-6, nstart=None, normalized=True, weight=None):
    network = network_of(G, weight)
    n = len(network)
    if n == 0:
        return {}
    start = [0.0] * n if nstart is None else [float(nstart[label]) for label in network.labels]
    try:
        added = [float(beta)] * n
    except (TypeError, ValueError, AttributeError) as problem:
        if set(beta) != set(network.labels):
            raise nx.NetworkXError("beta dictionary must have a value for every node") from problem
        added = values(network, beta)
    found = networks.katz(network, weight, alpha, added, max_iter, tol, start, bool(normalized))
    if found is None:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return found


def _sampled(network: Any, k: int | None, seed: Any) -> list[int] | None:
    """The numbers of the nodes that NetworkX would draw with this seed; None for all."""
    if k is None:
        return None
    return nx.utils.create_py_random_state(seed).sample(range(len(network)), k)


def _scales(n: int, k: int | None, normalized: bool, directed: bool, endpoints: bool) -> tuple[float, float]:
    """What shares are multiplied by, at all nodes and at sources."""
    others = n if endpoints else n - 1
    if others < 2:
        return 1.0, 1.0
    from_all = others if k is None else k
    correction = 1 if directed else 2
    if normalized:
        scale = 1 / (from_all * (others - 1))
    else:
        scale = others / (from_all * correction)
    if k is None or endpoints:
        return scale, scale
    if k <= 1:
        return scale, math.nan
    return scale, 1 / ((k - 1) * (others - 1)) if normalized else others / ((k - 1) * correction)


def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    network = network_of(G, weight)
    n = len(network)
    k = None if k == n else k
    sources = _sampled(network, k, seed)
    scales = _scales(n, k, normalized, network.directed, endpoints)
    return networks.betweenness(network, weight, sources, bool(endpoints), *scales)


def betweenness_centrality_subset(G, sources, targets, normalized=False, weight=None):
    network = network_of(G, weight)
    starts = [key_number(network, source) for source in sources]
    ends = [place for place in map(network.index_of, targets) if place >= 0]
    scale, _ = _scales(len(network), None, normalized, network.directed, False)
    return networks.subset_betweenness(network, weight, starts, ends, scale)


def newman_betweenness_centrality(G, v=None, cutoff=None, normalized=True, weight=None):
    network = network_of(G)
    n = len(network)
    found = networks.load(network, 1 / ((n - 1) * (n - 2)) if normalized and n > 2 else 1.0)
    return found if v is None else found.get(v, 0.0)


def edge_betweenness_centrality(G, k=None, normalized=True, weight=None, seed=None):
    network = network_of(G, weight)
    sources = _sampled(network, k, seed)
    scale, _ = _scales(len(network), k, normalized, network.directed, True)
    return networks.edge_betweenness(network, weight, sources, scale)


def _degree_shares(network: Any, degrees: list[int]) -> dict:
    n = len(network)
    if n <= 1:
        return dict.fromkeys(network.labels, 1)
    scale = 1.0 / (n - 1.0)
    return {label: degree * scale for label, degree in zip(network.labels, degrees)}


def degree_centrality(G):
    network = network_of(G)
    degrees = network.degrees()
    if network.directed:
        degrees = [out + into for out, into in zip(degrees, network.degrees(incoming=True))]
    return _degree_shares(network, degrees)


def in_degree_centrality(G):
    network = network_of(G)
    return _degree_shares(network, network.degrees(incoming=True))


def out_degree_centrality(G):
    network = network_of(G)
    return _degree_shares(network, network.degrees())
