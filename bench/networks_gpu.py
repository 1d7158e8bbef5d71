"""The forms of graph algorithms for a device on an NVIDIA GPU: the host's answers, and the times of both.

Run alone on a machine with a GPU: python bench/networks_gpu.py [--scales 16 20]; prints a Markdown table. Answers must be equal to the
bit, in order, too. Times are the least of three calls on a graph whose rows are there already, the whole call and the algorithm
alone; `first` is the first call, which copies the rows and compiles."""

from __future__ import annotations

import argparse
import time

import networkx as nx
import numpy as np
from networks import rmat
from tessera._core import networks

import tessera

B = {"backend": "tessera"}
CALLS = {
    "PageRank": lambda g, s: nx.pagerank(g, weight=None, **B),
    "eigenvector centrality, 50 iterations": lambda g, s: nx.eigenvector_centrality(g, max_iter=50, tol=1e-3, **B),
    "Katz centrality": lambda g, s: nx.katz_centrality(g, alpha=1e-4, **B),
    "BFS lengths": lambda g, s: nx.single_source_shortest_path_length(g, s, **B),
    "Dijkstra lengths": lambda g, s: nx.single_source_dijkstra_path_length(g, s, **B),
    "components": lambda g, s: list(nx.connected_components(g, **B)),
    "core numbers": lambda g, s: nx.core_number(g, **B),
    "triangles": lambda g, s: nx.triangles(g, **B),
}


def edges_of(scale: int) -> list[tuple[int, int]]:
    """Distinct undirected edges without loops: 478,000 of 65,536 nodes, else eight times as many as nodes."""
    if scale == 16:
        return rmat()
    r = np.random.default_rng(7)
    u, v = np.zeros(9 << scale, int), np.zeros(9 << scale, int)
    for _ in range(scale):
        p = r.random(u.size)
        u = 2 * u + (p >= 0.76)
        v = 2 * v + (((p >= 0.57) & (p < 0.76)) | (p >= 0.95))
    keys = np.unique((np.minimum(u, v) << scale) + np.maximum(u, v))
    u, v = keys >> scale, keys & ((1 << scale) - 1)
    return list(zip(u[u != v].tolist(), v[u != v].tolist()))


def milliseconds(call) -> tuple[object, float, float, float]:
    """What a call gives; the first call, the least of three more, and of those the algorithm alone."""
    times, alone = [], []
    for _ in range(4):
        before, begin = networks.algorithm_seconds(), time.perf_counter()
        found = call()
        times.append(1e3 * (time.perf_counter() - begin))
        alone.append(1e3 * (networks.algorithm_seconds() - before))
    return found, times[0], min(times[1:]), min(alone[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scales", type=int, nargs="*", default=[16, 20])
    options = parser.parse_args()
    nx.config.warnings_to_ignore.add("cache")
    print(
        "| nodes, edges | algorithm, ms | cores, algorithm | cores | GPU, algorithm | GPU | first | same bits, launches |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for scale in options.scales:
        edges = edges_of(scale)
        graph = nx.Graph(backend="tessera")
        graph.add_nodes_from(range(1 << scale))
        graph.add_edges_from(edges)
        for name, call in CALLS.items():
            try:
                with tessera.device("cpu"):
                    here, _, host, host_alone = milliseconds(lambda: call(graph, edges[0][0]))
                tessera.reset_counters()
                with tessera.device("gpu"):
                    there, first, gpu, gpu_alone = milliseconds(lambda: call(graph, edges[0][0]))
            except Exception as problem:  # noqa: BLE001: the other rows count
                print(f"| {1 << scale:,}, {len(edges):,} | {name} | {type(problem).__name__}: {problem} |", flush=True)
                continue
            counters = tessera.counters()
            same = here == there and (not isinstance(here, dict) or list(here) == list(there))
            fallbacks = f", {counters['device_fallbacks']} fallbacks" if counters.get("device_fallbacks") else ""
            print(
                f"| {1 << scale:,}, {len(edges):,} | {name} | {host_alone:.2f} | {host:.1f} | {gpu_alone:.2f} | {gpu:.1f} "
                f"| {first:.0f} | {'yes' if same else 'NO'}, {counters['device_launches'] // 4}{fallbacks} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
