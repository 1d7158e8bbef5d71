"""Graphs of every kind, and the calls that are compared on them."""

import random

import networkx as nx
from hypothesis import strategies as st

KINDS = {"graph": nx.Graph, "digraph": nx.DiGraph, "multigraph": nx.MultiGraph, "multidigraph": nx.MultiDiGraph}
LABELS = {
    "numbers": lambda k: k,
    "texts": lambda k: f"node {k}",
    "pairs": lambda k: (k % 3, k),
    "mixed": lambda k: [k, str(k), (k,), float(k) + 0.5, frozenset([k])][k % 5],
    "shifted": lambda k: k - 7,
    "shuffled": lambda k: k * 37 % 101,
}
WEIGHTS = {
    "none": lambda r: None,
    "whole": lambda r: r.randrange(1, 9),
    "floats": lambda r: r.choice([0.25, 0.5, 1.5, 2.0, 3.75]),
    "zeros": lambda r: r.choice([0, 1, 2]),
    "mixed": lambda r: r.choice([1, 2.5, None]),
}


def make(kind, nodes, edges, labels="numbers", weights="none", seed=0, loops=True):
    r = random.Random(seed)
    graph = KINDS[kind]()
    names = [LABELS[labels](k) for k in range(nodes)]
    r.shuffle(names) if labels == "shuffled" else None
    graph.add_nodes_from(names)
    for _ in range(edges if nodes else 0):
        u, v = r.choice(names), r.choice(names)
        if u == v and not loops:
            continue
        weight = WEIGHTS[weights](r)
        graph.add_edge(u, v, **({} if weight is None else {"weight": weight}))
    return graph


graphs = st.builds(
    make,
    st.sampled_from(sorted(KINDS)),
    st.integers(0, 14),
    st.integers(0, 30),
    st.sampled_from(sorted(LABELS)),
    st.sampled_from(sorted(WEIGHTS)),
    st.integers(0, 10**6),
    st.booleans(),
)


def first(graph):
    return next(iter(graph), 0)


def last(graph):
    return list(graph)[-1] if len(graph) else 1


# Function and arguments; a function of the graph for those that depend on it.
CALLS = {
    "bfs_edges": lambda g: [(first(g),), (first(g), True), (first(g), False, 2)],
    "bfs_predecessors": lambda g: [(first(g),)],
    "bfs_successors": lambda g: [(first(g),), (first(g), 1)],
    "bfs_layers": lambda g: [(first(g),), ([first(g), last(g)],)],
    "descendants_at_distance": lambda g: [(first(g), 2), (first(g), 0), ("missing", 1)],
    "descendants": lambda g: [(first(g),), ("missing",)],
    "ancestors": lambda g: [(last(g),)],
    "dfs_edges": lambda g: [(), (first(g),), (first(g), 2)],
    "dfs_preorder_nodes": lambda g: [(), (first(g),), (first(g), 1)],
    "dfs_postorder_nodes": lambda g: [(), (first(g),), (first(g), 3)],
    "dfs_predecessors": lambda g: [(), (first(g),)],
    "dfs_successors": lambda g: [(), (first(g),)],
    "is_directed_acyclic_graph": lambda g: [()],
    "topological_sort": lambda g: [()],
    "topological_generations": lambda g: [()],
    "single_source_shortest_path_length": lambda g: [(first(g),), (first(g), 2), (first(g), 1.5), ("missing",)],
    "single_target_shortest_path_length": lambda g: [(first(g),), (first(g), 1)],
    "single_source_shortest_path": lambda g: [(first(g),), (first(g), 2)],
    "single_target_shortest_path": lambda g: [(first(g),)],
    "all_pairs_shortest_path_length": lambda g: [(), (2,)],
    "all_pairs_shortest_path": lambda g: [()],
    "has_path": lambda g: [(first(g), last(g)), (first(g), "missing")],
    "shortest_path_length": lambda g: [(first(g),), (None, last(g)), (first(g), last(g)), (first(g), None, "weight")],
    "single_source_dijkstra_path_length": lambda g: [(first(g),), (first(g), 3), (first(g), None, None)],
    "single_source_dijkstra": lambda g: [(first(g),), (first(g), last(g)), (first(g), "missing")],
    "multi_source_dijkstra_path_length": lambda g: [([first(g), last(g)],), ([],)],
    "dijkstra_path_length": lambda g: [(first(g), last(g)), (first(g), first(g))],
    "dijkstra_predecessor_and_distance": lambda g: [(first(g),), (first(g), 3)],
    "all_pairs_dijkstra_path_length": lambda g: [()],
    "single_source_bellman_ford_path_length": lambda g: [(first(g),), ("missing",)],
    "single_source_bellman_ford": lambda g: [(first(g),), (first(g), last(g))],
    "negative_edge_cycle": lambda g: [()],
    "average_shortest_path_length": lambda g: [(), ("weight",)],
    "eccentricity": lambda g: [(), (first(g),)],
    "diameter": lambda g: [(), (None, True)],
    "radius": lambda g: [(), (None, False, "weight")],
    "periphery": lambda g: [(), (None, True)],
    "center": lambda g: [(), (None, False, "weight")],
    "closeness_centrality": lambda g: [(), (first(g),), (None, "weight"), (None, None, False)],
    "harmonic_centrality": lambda g: [(), ([first(g)],), (None, "weight")],
    "connected_components": lambda g: [()],
    "number_connected_components": lambda g: [()],
    "is_connected": lambda g: [()],
    "node_connected_component": lambda g: [(first(g),), ("missing",)],
    "weakly_connected_components": lambda g: [()],
    "number_weakly_connected_components": lambda g: [()],
    "is_weakly_connected": lambda g: [()],
    "strongly_connected_components": lambda g: [()],
    "number_strongly_connected_components": lambda g: [()],
    "is_strongly_connected": lambda g: [()],
    "attracting_components": lambda g: [()],
    "biconnected_components": lambda g: [()],
    "biconnected_component_edges": lambda g: [()],
    "is_biconnected": lambda g: [()],
    "articulation_points": lambda g: [()],
    "bridges": lambda g: [()],
    "has_bridges": lambda g: [()],
    "is_tree": lambda g: [()],
    "is_forest": lambda g: [()],
    "is_arborescence": lambda g: [()],
    "is_branching": lambda g: [()],
    "is_bipartite": lambda g: [()],
    "isolates": lambda g: [()],
    "number_of_isolates": lambda g: [()],
    "pagerank": lambda g: [(), (0.5, {first(g): 1.0}), (0.85, None, 2)],
    "katz_centrality": lambda g: [(0.01,)],
    "eigenvector_centrality": lambda g: [(1000,), (1000, 1e-6, None, "weight")],
    "betweenness_centrality": lambda g: [(), (None, False), (None, True, "weight"), (None, True, None, True)],
    "edge_betweenness_centrality": lambda g: [(), (None, True, "weight")],
    "degree_centrality": lambda g: [()],
    "in_degree_centrality": lambda g: [()],
    "out_degree_centrality": lambda g: [()],
    "core_number": lambda g: [()],
    "triangles": lambda g: [(), (first(g),), ([first(g), last(g)],)],
    "clustering": lambda g: [(), (None, "weight"), (first(g),)],
    "average_clustering": lambda g: [()],
    "transitivity": lambda g: [()],
    "square_clustering": lambda g: [()],
    "overall_reciprocity": lambda g: [()],
    "jaccard_coefficient": lambda g: [([(first(g), last(g))],)],
    "adamic_adar_index": lambda g: [([(first(g), last(g))],)],
    "resource_allocation_index": lambda g: [([(first(g), last(g))],)],
    "preferential_attachment": lambda g: [([(first(g), last(g))],)],
    "label_propagation_communities": lambda g: [()],
    "greedy_color": lambda g: [(), ("largest_first",), ("smallest_last",), ("largest_first", True)],
    "k_core": lambda g: [(), (1,), (2,), (9,)],
    "k_shell": lambda g: [(), (1,)],
    "k_crust": lambda g: [(), (1,)],
    "k_corona": lambda g: [(1,), (2,)],
    "k_truss": lambda g: [(2,), (3,), (4,)],
    "ego_graph": lambda g: [(first(g),), (first(g), 2, False), (first(g), 3, True, False, "weight"), ("missing",)],
    "reverse": lambda g: [()],
    "complement": lambda g: [()],
    "transitive_closure": lambda g: [(), (None,), (True,)],
    "transitive_reduction": lambda g: [()],
    "condensation": lambda g: [()],
    "projected_graph": lambda g: [(list(g)[::2],), ([*list(g)[:3], *list(g)[:1]],)],
    "weighted_projected_graph": lambda g: [(list(g)[::2],), (list(g)[::3], True), (list(g),)],
    "minimum_spanning_edges": lambda g: [(), ("kruskal", "weight", True, False), ("kruskal", None), ("prim",)],
    "maximum_spanning_edges": lambda g: [()],
    "minimum_spanning_tree": lambda g: [()],
    "maximum_spanning_tree": lambda g: [()],
    "dag_longest_path": lambda g: [(), (None,)],
    "dag_longest_path_length": lambda g: [()],
    "betweenness_centrality_subset": lambda g: [
        ([first(g)], [last(g)]),
        (list(g)[:3], list(g)[2:], True),
        (list(g)[:3], list(g)[1:], True, "weight"),
    ],
    "load_centrality": lambda g: [(), (first(g),), (None, None, False)],
    "google_matrix": lambda g: [()],
}
# Where any valid answer will do, or the order of sets decides.
UNORDERED = {
    "bfs_layers",
    "harmonic_centrality",
    "k_core",
    "k_shell",
    "k_crust",
    "k_corona",
    "ego_graph",
    "projected_graph",
    "weighted_projected_graph",
}
