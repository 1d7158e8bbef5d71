"""The backend of NetworkX beside NetworkX, igraph and NetworKit: conversion, seven algorithms, weighted betweenness.

Run by `make bench-networks`, like bench/networks_small.py; prints Markdown tables. `--quick` leaves out NetworkX's own slow runs."""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import os
import random
import statistics
import time

os.environ.setdefault("OMP_NUM_THREADS", "2")

import networkx as nx
import numpy as np
from tessera._core import networks
from tessera.networkx import graphs
from tessera.networkx.backend import backend

NODES, EDGES = 65_536, 478_000


def rmat(seed: int = 5) -> list[tuple[int, int]]:
    """Distinct undirected edges of an R-MAT graph (a = 0.57, b = c = 0.19)."""
    r = np.random.default_rng(seed)
    drawn = EDGES * 6 // 5
    u, v = np.zeros(drawn, int), np.zeros(drawn, int)
    for _ in range(16):
        p = r.random(drawn)
        u = 2 * u + (p >= 0.76)
        v = 2 * v + (((p >= 0.57) & (p < 0.76)) | (p >= 0.95))
    low, high = np.minimum(u, v)[u != v], np.maximum(u, v)[u != v]
    keys = np.unique(low * NODES + high)
    r.shuffle(keys)
    keys = keys[:EDGES]
    return list(zip((keys // NODES).tolist(), (keys % NODES).tolist()))


def milliseconds(work, rounds: int = 5) -> float:
    """The median."""
    times = []
    for _ in range(rounds):
        gc.collect()
        begin = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times)


def side_by_side(works: list, rounds: int = 5) -> list[float]:
    """Medians of rounds in which each runs once, so that what else the machine does hits all alike."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, spent in zip(works, times):
            begin = time.perf_counter()
            work()
            spent.append(1e3 * (time.perf_counter() - begin))
    return [statistics.median(each) for each in times]


def conversion(graph: nx.Graph) -> None:
    named = nx.relabel_nodes(graph, {k: f"node {k}" for k in graph})
    print("| conversion | ms |\n|---|---|")
    for name, each, attributes in [
        ("whole numbers, structure", graph, None),
        ("whole numbers, one attribute", graph, {"weight": 1}),
        ("texts, structure", named, None),
        ("texts, one attribute", named, {"weight": 1}),
    ]:
        print(
            f"| {name} | {milliseconds(lambda each=each, attributes=attributes: graphs._convert(each, attributes)):.0f} |"
        )
    print(
        f"| `to_scipy_sparse_array` of NetworkX | {milliseconds(lambda: nx.to_scipy_sparse_array(graph), 3):.0f} |\n",
        flush=True,
    )


def columns(edges: list[tuple[int, int]]) -> None:
    """Graphs of the backend from edge lists, frames and matrices, beside NetworkX's, and back."""
    import pandas as pd

    frame = pd.DataFrame(edges, columns=["source", "target"]).assign(weight=1.5)
    matrix = nx.to_scipy_sparse_array(nx.from_edgelist(edges, backend="tessera"))
    kept = nx.from_pandas_edgelist(frame, edge_attr="weight", backend="tessera")
    calls = [
        ("from_edgelist", lambda **b: nx.from_edgelist(edges, **b)),
        ("from_pandas_edgelist, one attribute", lambda **b: nx.from_pandas_edgelist(frame, edge_attr="weight", **b)),
        ("from_scipy_sparse_array", lambda **b: nx.from_scipy_sparse_array(matrix, **b)),
    ]
    print("| graph from and to | backend, ms | NetworkX, ms |\n|---|---|---|")
    for name, call in calls:
        ours = milliseconds(lambda call=call: call(backend="tessera"), 3)
        print(f"| {name} | {ours:.0f} | {milliseconds(call, 1):.0f} |", flush=True)
    theirs = nx.from_pandas_edgelist(frame, edge_attr="weight")
    ours = milliseconds(lambda: nx.to_pandas_edgelist(kept), 3)
    print(f"| to_pandas_edgelist | {ours:.0f} | {milliseconds(lambda: nx.to_pandas_edgelist(theirs), 1):.0f} |")
    rows = milliseconds(lambda: kept._edges.copy().network({"weight": 1}), 3)
    print(f"| columns to rows of neighbours, one attribute | {rows:.0f} | |")
    print(f"| columns to dictionaries | {milliseconds(lambda: kept.copy()._adj, 3):.0f} | |\n", flush=True)


def peers(edges: list[tuple[int, int]], sources: list[int], start: int) -> dict[str, tuple]:
    """igraph's and NetworKit's calls, by algorithm."""
    import igraph
    import networkit as nk

    nk.setNumberOfThreads(2)
    ig = igraph.Graph(NODES, edges)
    ng = nk.Graph(NODES)
    for u, v in edges:
        ng.addEdge(u, v)
    ng.indexEdges()
    ng.sortEdges()

    def brandes() -> None:
        # NetworKit samples by itself: exact betweenness of the same number of sources has no public function.
        nk.centrality.EstimateBetweenness(ng, len(sources)).run()

    def triangles() -> None:
        nk.centrality.LocalClusteringCoefficient(ng).run()

    return {
        "pagerank": (lambda: ig.pagerank(), lambda: nk.centrality.PageRank(ng, 0.85, 1e-6).run()),
        "BFS lengths": (lambda: ig.distances(start), lambda: nk.distance.BFS(ng, start, False).run()),
        "components": (lambda: ig.connected_components(), lambda: nk.components.ConnectedComponents(ng).run()),
        "core numbers": (lambda: ig.coreness(), lambda: nk.centrality.CoreDecomposition(ng).run()),
        "triangles": (lambda: ig.transitivity_local_undirected(), triangles),
        "betweenness, 20 sources": (lambda: ig.betweenness(sources=sources), brandes),
        "Louvain": (lambda: ig.community_multilevel(), lambda: nk.community.PLM(ng).run()),
    }


def algorithms(graph: nx.Graph, edges: list[tuple[int, int]], quick: bool) -> None:
    start = edges[0][0]
    sources = random.Random(1).sample(range(NODES), 20)
    calls = {
        "pagerank": ("pagerank", (), {}),
        "BFS lengths": ("single_source_shortest_path_length", (start,), {}),
        "components": ("connected_components", (), {}),
        "core numbers": ("core_number", (), {}),
        "triangles": ("triangles", (), {}),
        "betweenness, 20 sources": ("betweenness_centrality", (), {"k": 20, "seed": 1}),
        "Louvain": ("louvain_communities", (), {"seed": 1}),
    }
    others = peers(edges, sources, start)
    converted = graphs.from_networkx(graph, {"weight": 1})
    print(
        "| algorithm | tessera, result included | algorithm alone | igraph | NetworKit | cold call | NetworkX | ratio cold |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for label, (name, args, keywords) in calls.items():
        function = getattr(nx, name) if hasattr(nx, name) else getattr(nx.community, name)

        def ours(name=name, args=args, keywords=keywords):
            found = getattr(backend, name)(converted, *args, **keywords)
            return found if isinstance(found, dict | list) else list(found)

        spent = []

        def counted(ours=ours, spent=spent):
            before = networks.algorithm_seconds()
            ours()
            spent.append(1e3 * (networks.algorithm_seconds() - before))

        def whole(function=function, args=args, keywords=keywords, where="tessera"):
            graph.__networkx_cache__.clear()
            found = function(graph, *args, backend=where, **keywords)
            return found if isinstance(found, dict | list) else list(found)

        total, igraph_time, networkit_time = side_by_side([counted, *others[label]])
        cold = milliseconds(whole, 3)
        slow = float("nan") if quick else milliseconds(lambda whole=whole: whole(where="networkx"), 1)
        print(
            f"| {label} | {total:.1f} | {statistics.median(spent):.1f} | {igraph_time:.1f} | {networkit_time:.1f} "
            f"| {cold:.0f} | {slow:.0f} | {slow / cold:.1f} |",
            flush=True,
        )
    if not quick:
        ours = nx.community.louvain_communities(graph, seed=1, backend="tessera")
        print(f"\nModularity of Louvain: {nx.community.modularity(graph, ours):.4f}.")


def weighted_betweenness(quick: bool) -> None:
    side = 316
    r = random.Random(3)
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(side, side))
    for _, _, data in grid.edges(data=True):
        data["weight"] = r.randrange(1, 20)
    ours = milliseconds(lambda: nx.betweenness_centrality(grid, k=200, seed=1, weight="weight", backend="tessera"), 3)
    theirs = 10 * milliseconds(
        lambda: nx.betweenness_centrality(grid, k=20, seed=1, weight="weight", backend="networkx"), 1
    )
    print(
        f"\nWeighted betweenness, 200 sources, {len(grid)} nodes: {ours:.0f} ms; NetworkX {theirs:.0f} ms (ten times that of 20 sources), {theirs / ours:.1f}x."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    nx.config.warnings_to_ignore.add("cache")
    versions = {name: importlib.metadata.version(name) for name in ("networkx", "igraph", "networkit")}
    print(f"R-MAT, {NODES} nodes, {EDGES} edges; {versions}; medians, ms\n")
    edges = rmat()
    graph = nx.Graph()
    graph.add_nodes_from(range(NODES))
    graph.add_edges_from(edges)
    conversion(graph)
    columns(edges)
    algorithms(graph, edges, options.quick)
    weighted_betweenness(options.quick)


if __name__ == "__main__":
    main()
