"""The functions that run natively, as data: where each is, what it refuses, and how much work it is in NetworkX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Refusal(NamedTuple):
    """An argument with which a function runs in NetworkX, and why."""

    parameter: str
    position: int
    when: str  # a name in rules.CONDITIONS
    reason: str


@dataclass(frozen=True)
class Function:
    name: str
    module: str
    work: str  # a name in costs.WORK
    refusals: tuple[Refusal, ...] = ()
    kinds: str = ""  # kinds of graphs that are refused: "directed", "undirected", "multigraph"
    note: str = ""  # for the docstring


def _callable(position: int, parameter: str = "weight") -> Refusal:
    return Refusal(parameter, position, "callable", f"{parameter} is a function of Python")


def _given(position: int, parameter: str) -> Refusal:
    return Refusal(parameter, position, "given", f"{parameter}= is a function of Python or a precomputed result")


def _sorted(position: int) -> Refusal:
    return _given(position, "sort_neighbors")


_SP = _given(2, "sp")

_TRAVERSAL = (
    Function("generic_bfs_edges", "traversal", "search", (_given(2, "neighbors"),)),
    Function("bfs_edges", "traversal", "search", (_sorted(4),)),
    Function("bfs_tree", "traversal", "search", (_sorted(4),), note="The tree is a graph of NetworkX's own class."),
    Function("bfs_predecessors", "traversal", "search", (_sorted(3),)),
    Function("bfs_successors", "traversal", "search", (_sorted(3),)),
    Function("bfs_layers", "traversal", "search"),
    Function("descendants_at_distance", "traversal", "search"),
    Function("descendants", "traversal", "search"),
    Function("ancestors", "traversal", "search"),
    Function("dfs_edges", "traversal", "search", (_sorted(99),)),
    Function("dfs_tree", "traversal", "search", (_sorted(99),), note="The tree is a graph of NetworkX's own class."),
    Function("dfs_predecessors", "traversal", "search", (_sorted(99),)),
    Function("dfs_successors", "traversal", "search", (_sorted(99),)),
    Function("dfs_preorder_nodes", "traversal", "search", (_sorted(99),)),
    Function("dfs_postorder_nodes", "traversal", "search", (_sorted(99),)),
    Function("has_cycle", "traversal", "search"),
    Function("is_directed_acyclic_graph", "traversal", "search"),
    Function("topological_generations", "traversal", "search"),
    Function("topological_sort", "traversal", "search"),
)

_PATHS = (
    Function("single_source_shortest_path_length", "paths", "quick search"),
    Function("single_target_shortest_path_length", "paths", "quick search"),
    Function("single_source_shortest_path", "paths", "quick search"),
    Function("single_target_shortest_path", "paths", "quick search"),
    Function("all_pairs_shortest_path_length", "paths", "all pairs"),
    Function("all_pairs_shortest_path", "paths", "all pairs"),
    Function("bidirectional_shortest_path", "paths", "local"),
    Function("has_path", "paths", "local"),
    Function("multi_source_dijkstra", "paths", "weighted search", (_callable(4),)),
    Function("multi_source_dijkstra_path", "paths", "weighted search", (_callable(3),)),
    Function("multi_source_dijkstra_path_length", "paths", "weighted search", (_callable(3),)),
    Function("single_source_dijkstra", "paths", "weighted search", (_callable(4),)),
    Function("single_source_dijkstra_path", "paths", "weighted search", (_callable(3),)),
    Function("single_source_dijkstra_path_length", "paths", "weighted search", (_callable(3),)),
    Function("dijkstra_path", "paths", "weighted search", (_callable(3),)),
    Function("dijkstra_path_length", "paths", "weighted search", (_callable(3),)),
    Function("dijkstra_predecessor_and_distance", "paths", "weighted search", (_callable(3),)),
    Function("all_pairs_dijkstra", "paths", "all weighted pairs", (_callable(2),)),
    Function("all_pairs_dijkstra_path", "paths", "all weighted pairs", (_callable(2),)),
    Function("all_pairs_dijkstra_path_length", "paths", "all weighted pairs", (_callable(2),)),
    Function("bidirectional_dijkstra", "paths", "local", (_callable(3),)),
    Function("single_source_bellman_ford", "paths", "weighted search", (_callable(3),)),
    Function("single_source_bellman_ford_path", "paths", "weighted search", (_callable(2),)),
    Function("single_source_bellman_ford_path_length", "paths", "weighted search", (_callable(2),)),
    Function("bellman_ford_path", "paths", "weighted search", (_callable(3),)),
    Function("bellman_ford_path_length", "paths", "weighted search", (_callable(3),)),
    Function("all_pairs_bellman_ford_path", "paths", "all weighted pairs", (_callable(1),)),
    Function("all_pairs_bellman_ford_path_length", "paths", "all weighted pairs", (_callable(1),)),
    Function("negative_edge_cycle", "paths", "weighted search", (_callable(1),)),
    Function("shortest_path", "paths", "search", (_callable(3),)),
    Function("shortest_path_length", "paths", "search", (_callable(3),)),
    Function(
        "average_shortest_path_length",
        "paths",
        "all pairs",
        (
            _callable(1),
            Refusal("method", 2, "other method", "method= is neither 'unweighted' nor 'dijkstra'"),
        ),
    ),
    Function("eccentricity", "paths", "all pairs", (_callable(3), _SP)),
    Function("diameter", "paths", "all pairs", (_callable(3),)),
    Function("radius", "paths", "all pairs", (_callable(3),)),
    Function("periphery", "paths", "all pairs", (_callable(3),)),
    Function("center", "paths", "all pairs", (_callable(3),)),
    Function("harmonic_diameter", "paths", "all pairs", (_callable(99), _given(1, "sp"))),
    Function("closeness_centrality", "paths", "all pairs", (_callable(2, "distance"),)),
    Function("harmonic_centrality", "paths", "all pairs", (_callable(2, "distance"), _given(3, "sources"))),
)

_COMPONENTS = (
    Function("connected_components", "components", "quick search"),
    Function("number_connected_components", "components", "quick search"),
    Function("is_connected", "components", "quick search"),
    Function("node_connected_component", "components", "quick search"),
    Function("weakly_connected_components", "components", "search"),
    Function("number_weakly_connected_components", "components", "search"),
    Function("is_weakly_connected", "components", "search"),
    Function("strongly_connected_components", "components", "weighted search"),
    Function("number_strongly_connected_components", "components", "weighted search"),
    Function("is_strongly_connected", "components", "quick search"),
    Function("attracting_components", "components", "thorough search"),
    Function("number_attracting_components", "components", "thorough search"),
    Function("is_attracting_component", "components", "thorough search"),
    Function("biconnected_components", "components", "weighted search"),
    Function("biconnected_component_edges", "components", "weighted search"),
    Function("is_biconnected", "components", "weighted search"),
    Function("articulation_points", "components", "weighted search"),
    Function("bridges", "components", "thorough search"),
    Function("has_bridges", "components", "thorough search"),
    Function("is_tree", "components", "local"),
    Function("is_forest", "components", "thorough search"),
    Function("is_arborescence", "components", "local"),
    Function("is_branching", "components", "thorough search"),
    Function("is_bipartite", "components", "degrees"),
    Function("color", "components", "degrees", kinds="directed"),
    Function("isolates", "components", "degrees"),
    Function("number_of_isolates", "components", "degrees"),
)

_CENTRALITY = (
    Function("pagerank", "centrality", "iteration in SciPy"),
    Function("eigenvector_centrality", "centrality", "iteration", kinds="multigraph"),
    Function("katz_centrality", "centrality", "iteration", kinds="multigraph"),
    Function("betweenness_centrality", "centrality", "all weighted pairs", (_callable(3),)),
    Function("edge_betweenness_centrality", "centrality", "all weighted pairs", (_callable(3),), kinds="multigraph"),
    Function("betweenness_centrality_subset", "centrality", "all weighted pairs", (_callable(4),), kinds="multigraph"),
    Function(
        "newman_betweenness_centrality",
        "centrality",
        "all weighted pairs",
        (
            Refusal("cutoff", 2, "given", "cutoff= ends searches early"),
            Refusal("weight", 4, "given", "weight= counts paths by length"),
        ),
        note="nx.load_centrality is this function.",
    ),
    Function("degree_centrality", "centrality", "degrees"),
    Function("in_degree_centrality", "centrality", "degrees"),
    Function("out_degree_centrality", "centrality", "degrees"),
)

_STRUCTURE = (
    Function("core_number", "structure", "weighted search"),
    Function("triangles", "structure", "weighted search"),
    Function("clustering", "structure", "pairs of neighbours", kinds="multigraph"),
    Function("average_clustering", "structure", "pairs of neighbours", kinds="multigraph"),
    Function("transitivity", "structure", "pairs of neighbours", kinds="directed multigraph"),
    Function("square_clustering", "structure", "pairs of neighbours", kinds="directed"),
    Function(
        "greedy_color",
        "structure",
        "search",
        (
            Refusal("strategy", 1, "other strategy", "strategy= is not 'largest_first'"),
            Refusal("interchange", 2, "true", "interchange= exchanges colours"),
        ),
        kinds="directed",
    ),
    Function("overall_reciprocity", "structure", "iteration", kinds="undirected multigraph"),
    Function("jaccard_coefficient", "structure", "pairs of nodes"),
    Function("adamic_adar_index", "structure", "pairs of nodes"),
    Function("resource_allocation_index", "structure", "pairs of nodes"),
    Function("preferential_attachment", "structure", "pairs of nodes"),
)

_COMMUNITIES = (
    Function("louvain_communities", "communities", "communities"),
    Function("louvain_partitions", "communities", "communities"),
    Function("leiden_communities", "communities", "no other", kinds="directed"),
    Function("leiden_partitions", "communities", "no other", kinds="directed"),
    Function("label_propagation_communities", "communities", "communities", kinds="directed"),
    Function("asyn_lpa_communities", "communities", "communities", kinds="multigraph"),
    Function("fast_label_propagation_communities", "communities", "iteration", kinds="directed multigraph"),
    Function("modularity", "communities", "iteration"),
)

_MATRICES = (
    Function("to_scipy_sparse_array", "matrices", "iteration"),
    Function("adjacency_matrix", "matrices", "iteration"),
    Function("hits", "matrices", "iteration in SciPy"),
    Function("google_matrix", "matrices", "iteration"),
)

_USING = "create_using= is a graph to be filled, or a class that is not NetworkX's"


def _using(position: int) -> Refusal:
    return Refusal("create_using", position, "other class", _USING)


_MADE = "The result is a graph of the backend, which keeps columns."

_CONVERSIONS = (
    Function("from_edgelist", "conversions", "local", (_using(1),), note=_MADE),
    Function("from_pandas_edgelist", "conversions", "local", (_using(4),), note=_MADE),
    Function("from_scipy_sparse_array", "conversions", "local", (_using(2),), note=_MADE),
    Function("from_numpy_array", "conversions", "local", (_using(2),), note=_MADE),
    Function("to_pandas_edgelist", "conversions", "copy"),
    Function(
        "to_numpy_array",
        "conversions",
        "iteration",
        (
            Refusal("dtype", 2, "with fields", "dtype= has fields"),
            Refusal("multigraph_weight", 4, "not sum", "multigraph_weight= is not sum"),
        ),
    ),
)

_COPY = "The result is a graph of NetworkX's own class."
_KRUSKAL = Refusal("algorithm", 1, "other algorithm", "algorithm= is not 'kruskal'")
_KRUSKAL_TREE = Refusal("algorithm", 2, "other algorithm", "algorithm= is not 'kruskal'")
_DEFAULT = Refusal("default_weight", 2, "not 1", "default_weight= is not 1")

_DERIVED = (
    Function("k_core", "derived", "iteration", kinds="multigraph", note=_COPY),
    Function("k_shell", "derived", "iteration", kinds="multigraph", note=_COPY),
    Function("k_crust", "derived", "iteration", kinds="multigraph", note=_COPY),
    Function("k_corona", "derived", "iteration", kinds="multigraph", note=_COPY),
    Function("k_truss", "derived", "pairs of neighbours", kinds="directed multigraph", note=_COPY),
    Function(
        "ego_graph",
        "derived",
        "local",
        (
            Refusal("undirected", 4, "true", "undirected= makes another graph first"),
            _callable(5, "distance"),
        ),
        note=_COPY,
    ),
    Function("reverse", "derived", "copy", (Refusal("copy", 1, "false", "copy=False makes a view"),), note=_COPY),
    Function("complement", "derived", "pairs of nodes", kinds="multigraph", note=_COPY),
    Function("transitive_closure", "derived", "all pairs", note=_COPY),
    Function("transitive_reduction", "derived", "all pairs", kinds="undirected multigraph", note=_COPY),
    Function("condensation", "derived", "thorough search", kinds="undirected", note=_COPY),
    Function(
        "projected_graph",
        "derived",
        "pairs of neighbours",
        (Refusal("multigraph", 2, "true", "the result would be a multigraph"),),
        kinds="multigraph",
        note=_COPY,
    ),
    Function("weighted_projected_graph", "derived", "pairs of neighbours", kinds="directed multigraph", note=_COPY),
    Function("minimum_spanning_edges", "derived", "iteration", (_KRUSKAL,), kinds="directed multigraph"),
    Function("maximum_spanning_edges", "derived", "iteration", (_KRUSKAL,), kinds="directed multigraph"),
    Function("minimum_spanning_tree", "derived", "iteration", (_KRUSKAL_TREE,), "directed multigraph", _COPY),
    Function("maximum_spanning_tree", "derived", "iteration", (_KRUSKAL_TREE,), "directed multigraph", _COPY),
    Function(
        "dag_longest_path",
        "derived",
        "thorough search",
        (_DEFAULT, _given(3, "topo_order")),
        kinds="undirected multigraph",
    ),
    Function("dag_longest_path_length", "derived", "thorough search", (_DEFAULT,), kinds="undirected multigraph"),
)

FUNCTIONS = {
    function.name: function
    for group in (
        _TRAVERSAL,
        _PATHS,
        _COMPONENTS,
        _CENTRALITY,
        _STRUCTURE,
        _COMMUNITIES,
        _MATRICES,
        _CONVERSIONS,
        _DERIVED,
    )
    for function in group
}
