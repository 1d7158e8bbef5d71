"""Calls on small graphs with the backend by priority, beside a backend that does nothing: what asking it costs.

Run by `make bench-networks` and alone; prints a Markdown table and the slowest calls. Each call is timed cold, with the kept
conversion dropped before it, and warm; NetworkX and the backend take turns, the least time of several rounds counts.
"""

from __future__ import annotations

import argparse
import gc
import math
import statistics
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import networkx as nx

DIRECTED = {
    "ancestors", "attracting_components", "dag_longest_path_length", "in_degree_centrality", "is_strongly_connected",
    "is_weakly_connected", "number_strongly_connected_components", "out_degree_centrality", "overall_reciprocity",
    "strongly_connected_components", "topological_generations", "topological_sort", "weakly_connected_components",
    "is_directed_acyclic_graph", "transitive_closure", "transitive_reduction", "condensation",
}  # fmt: skip
ACYCLIC = {
    "topological_generations", "topological_sort", "dag_longest_path_length", "transitive_reduction",
}  # fmt: skip
FROM_ONE = {
    "ancestors", "bfs_edges", "bfs_layers", "bfs_predecessors", "bfs_successors", "bfs_tree", "descendants", "dfs_edges",
    "dfs_preorder_nodes", "dfs_predecessors", "dfs_successors", "dfs_tree", "node_connected_component",
    "single_source_bellman_ford_path_length", "single_source_dijkstra_path_length", "single_source_shortest_path",
    "single_source_shortest_path_length", "single_target_shortest_path_length",
}  # fmt: skip
PAIR = {"dijkstra_path", "dijkstra_path_length", "has_path", "shortest_path", "shortest_path_length", "bidirectional_shortest_path"}  # fmt: skip
OTHERS = {
    "all_pairs_shortest_path_length", "articulation_points", "average_clustering", "average_shortest_path_length",
    "betweenness_centrality", "biconnected_components", "bridges", "center", "closeness_centrality", "clustering",
    "connected_components", "core_number", "degree_centrality", "diameter", "eccentricity", "edge_betweenness_centrality",
    "eigenvector_centrality", "harmonic_centrality", "hits", "is_bipartite", "is_connected", "is_forest", "is_tree",
    "isolates", "jaccard_coefficient", "katz_centrality", "k_core", "label_propagation_communities", "louvain_communities",
    "minimum_spanning_edges", "number_connected_components", "pagerank", "periphery", "radius", "square_clustering",
    "to_scipy_sparse_array", "transitivity", "triangles",
}  # fmt: skip
KEYWORDS = {"katz_centrality": {"alpha": 0.01}, "eigenvector_centrality": {"max_iter": 1000}, "louvain_communities": {"seed": 1}}  # fmt: skip


# Microseconds from which one call of each kind is enough.
SLOW = 20_000.0


class Nothing:
    """A backend without functions."""


def register() -> None:
    """Makes `nothing` a backend that can be first in priority."""
    nx.utils.backends.backends["nothing"] = SimpleNamespace(load=Nothing)
    nx.utils.backends.backend_info["nothing"] = {}
    nx.config.backends = nx.utils.Config(nothing=nx.utils.Config(), **nx.config.backends)


def graphs(nodes: int) -> tuple[nx.Graph, nx.DiGraph, nx.DiGraph]:
    """A connected graph, a directed and an acyclic one; of 34 nodes the club of Zachary, of 1,461 as sparse as netscience."""
    if nodes == 34:
        graph = nx.Graph(nx.karate_club_graph().edges())
    else:
        graph = nx.compose(nx.path_graph(nodes), nx.gnm_random_graph(nodes, nodes * 7 // 8, seed=1))
    directed = nx.gnm_random_graph(nodes, 2 * nodes, seed=2, directed=True)
    acyclic = nx.DiGraph((min(u, v), max(u, v)) for u, v in directed.edges)
    acyclic.add_nodes_from(directed)
    return graph, directed, acyclic


def consume(value: object) -> None:
    if isinstance(value, Iterator):
        for _ in value:
            pass


def calls(nodes: int) -> Iterator[tuple[str, nx.Graph, Callable]]:
    """Name, graph and the call."""
    nx.config.backend_priority.generators = []  # the graphs are NetworkX's
    graph, directed, acyclic = graphs(nodes)
    for name in sorted(DIRECTED | FROM_ONE | PAIR | OTHERS):
        function = getattr(nx, name, None) or getattr(nx.community, name)
        on = acyclic if name in ACYCLIC else directed if name in DIRECTED else graph
        args = (0,) if name in FROM_ONE else (0, nodes - 1) if name in PAIR else ()
        keywords = KEYWORDS.get(name, {})
        yield (
            name,
            on,
            lambda function=function, on=on, args=args, keywords=keywords: consume(function(on, *args, **keywords)),
        )


def least(call: Callable, graph: nx.Graph, cold: bool, seconds: float) -> float:
    """The least time of one call, in microseconds."""
    cache, best, spent, rounds = graph.__networkx_cache__, math.inf, 0.0, 0
    while spent < seconds or rounds < 1 + (best < 1e-6 * SLOW):
        if cold:
            cache.clear()
        begin = time.perf_counter()
        call()
        took = time.perf_counter() - begin
        best, spent, rounds = min(best, took), spent + took, rounds + 1
    return 1e6 * best


def compare(nodes: int, seconds: float, rounds: int) -> list[tuple[str, float, float, float]]:
    """Name, NetworkX's microseconds, and how many times as quick the backend is, cold and warm."""
    rows = []
    for name, graph, call in calls(nodes):
        times = {"nothing": math.inf, "cold": math.inf, "warm": math.inf}
        for turn in range(rounds):
            if turn and min(times.values()) > SLOW:
                break  # long calls are disturbed less
            for way in times:
                nx.config.backend_priority.algos = ["nothing" if way == "nothing" else "tessera"]
                nx.config.backend_priority.generators = nx.config.backend_priority.algos
                call()
                times[way] = min(times[way], least(call, graph, way != "warm", seconds))
        rows.append((name, times["nothing"], times["nothing"] / times["cold"], times["nothing"] / times["warm"]))
    return rows


def small_graphs(seconds: float = 0.004, rounds: int = 6, slowest: int = 12) -> None:
    """Prints the table."""
    register()
    nx.config.warnings_to_ignore.add("cache")
    gc.disable()
    print(
        "| nodes | functions | mean | median | least | below 0.9 | warm: mean | least | below 0.9 |\n|---|---|---|---|---|---|---|---|---|"
    )
    poor = []
    for nodes in (10, 34, 1461):
        rows = compare(nodes, seconds, rounds)
        line = [str(nodes), str(len(rows))]
        for place, middle in ((2, True), (3, False)):
            ratios = [row[place] for row in rows]
            line.append(f"{statistics.mean(ratios):.2f}")
            line += [f"{statistics.median(ratios):.2f}"] if middle else []
            line += [f"{min(ratios):.2f}", str(sum(ratio < 0.9 for ratio in ratios))]
        print("| " + " | ".join(line) + " |", flush=True)
        poor += [(min(row[2:]), nodes, row) for row in rows]
    print(flush=True)
    for _, nodes, (name, spent, cold, warm) in sorted(poor)[:slowest]:
        print(f"{name}, {nodes} nodes: NetworkX {spent:.1f} µs, cold {cold:.2f}, warm {warm:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.004, help="for each call and round")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--slowest", type=int, default=12)
    options = parser.parse_args()
    small_graphs(options.seconds, options.rounds, options.slowest)
