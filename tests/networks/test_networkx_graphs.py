"""Graphs whose conversion is kept: copied, pickled, changed below a view, and left to NetworkX where a generator refuses them."""

import copy
import math
import pickle

import networkx as nx
import pytest


def test_graphs_are_pickled_and_copied_after_a_call():
    own = nx.Graph(backend="tessera")
    own.add_edges_from([(0, 1), (1, 2)])
    for graph in (nx.path_graph(3), own):
        expected = nx.pagerank(graph, backend="tessera")
        for other in (pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph)):
            assert list(other.edges) == list(graph.edges) and nx.pagerank(other, backend="tessera") == expected


def test_a_view_shows_what_became_of_its_graph():
    graph = nx.path_graph(4)
    for view in (graph.subgraph([0, 1, 2]), graph.edge_subgraph([(0, 1), (1, 2)])):
        assert nx.is_connected(view, backend="tessera")
    view = graph.subgraph([0, 1, 2])
    assert nx.is_connected(view, backend="tessera")
    graph.remove_edge(0, 1)
    assert not nx.is_connected(view, backend="tessera")


def test_networkx_answers_what_a_generator_refuses():
    graph = nx.gnm_random_graph(60, 200, seed=1)
    nx.set_edge_attributes(graph, 1, "weight")
    graph.edges[next(iter(graph.edges))]["weight"] = 2**60
    with nx.config(backend_priority=["tessera"]):
        assert len(list(nx.all_pairs_dijkstra_path_length(graph))) == 60
        assert list(nx.community.louvain_partitions(graph, seed=1))
        assert list(nx.community.asyn_lpa_communities(graph, "weight", seed=1))
    arcs = nx.DiGraph()
    arcs.add_weighted_edges_from([(0, 1, -2), (0, 2, 3), (1, 2, 3)])
    with nx.config(backend_priority=["tessera"]):
        assert nx.shortest_path_length(arcs, target=2, weight="weight", method="bellman-ford") == {2: 0, 0: 1, 1: 3}


def test_a_search_without_limit_goes_to_the_end():
    graph = nx.path_graph(6)
    assert len(list(nx.dfs_edges(graph, 0, depth_limit=math.inf, backend="tessera"))) == 5


def test_a_reversed_copy_has_values_of_its_own():
    graph = nx.DiGraph([(0, 1)], note=[1])
    graph.nodes[0]["x"], graph.edges[0, 1]["x"] = [1], [1]
    back = nx.reverse(graph, backend="tessera")
    for values in (back.graph["note"], back.nodes[0]["x"], back.edges[1, 0]["x"]):
        values.append(2)
    assert graph.graph["note"] == graph.nodes[0]["x"] == graph.edges[0, 1]["x"] == [1]


def test_arcs_of_infinite_weight_lead_nowhere_in_bellman_ford():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, math.inf), (1, 2, 1.0), (0, 3, 2.0)])
    assert nx.single_source_bellman_ford_path_length(graph, 0, backend="tessera") == {0: 0, 3: 2.0}
    with pytest.raises(nx.NetworkXNoPath):
        nx.bellman_ford_path(graph, 0, 1, backend="tessera")


def test_weights_that_doubles_cannot_add_or_divide_by_are_networkxs():
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 2**53), (1, 2, 1), (0, 3, 2**53), (3, 2, 2)])
    with pytest.raises(NotImplementedError):
        nx.betweenness_centrality(graph, weight="weight", backend="tessera")
    nx.set_edge_attributes(graph, 0, "weight")
    with pytest.raises(NotImplementedError):
        nx.clustering(graph, weight="weight", backend="tessera")


def outcome(call):
    """What a call gives, or its error."""
    try:
        found = call()
        return list(found) if hasattr(found, "__next__") else found
    except Exception as error:
        return type(error), str(error)


def test_odd_arguments_get_networkxs_answer():
    graph = nx.gnm_random_graph(40, 120, seed=1)
    calls = [
        lambda: nx.k_truss(graph, 3.5).edges,
        lambda: nx.single_source_shortest_path_length(graph, 0, cutoff=math.nan),
        lambda: nx.single_source_shortest_path_length(graph, 0, cutoff=math.inf),
        lambda: nx.single_source_dijkstra_path_length(graph, 0, cutoff=math.nan),
        lambda: nx.single_source_shortest_path_length(graph, 0, cutoff="2"),
        lambda: list(nx.bfs_edges(graph, 0, depth_limit=math.nan)),
        lambda: nx.has_path(graph, 1, None),
        lambda: nx.has_path(graph, None, 1),
        lambda: nx.shortest_path(graph, [0], 1),
        lambda: nx.descendants(graph, {}),
        lambda: list(nx.bfs_edges(graph, [])),
        lambda: nx.ego_graph(graph, []),
        lambda: nx.pagerank(graph, max_iter=20.5),
        lambda: nx.pagerank(graph, alpha="0.85"),
        lambda: nx.betweenness_centrality(graph, k=2.5, seed=1),
        lambda: nx.betweenness_centrality(graph, k=99, seed=1),
        lambda: nx.community.louvain_communities(graph, resolution="1", seed=1),
        lambda: nx.k_core(graph, 2.5).edges,
    ]
    for place, call in enumerate(calls):
        expected = outcome(call)
        with nx.config(backend_priority=["tessera"]), nx.config.backends.tessera(always=True):
            assert outcome(call) == expected, place


def test_types_of_matrices_are_networkxs():
    for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
        empty, truths, loops = kind(), kind(), kind()
        empty.add_nodes_from("abc")
        truths.add_weighted_edges_from([("a", "b", True), ("b", "c", False)])
        loops.add_weighted_edges_from([("a", "b", True), ("c", "c", True)])
        for graph in (empty, truths, loops):
            for nodes in (None, ["a", "c"], ["c", "b", "a"], ["a", "b"]):
                for weight in ("weight", None, "missing"):
                    ours = nx.to_scipy_sparse_array(graph, nodes, weight=weight, backend="tessera")
                    theirs = nx.to_scipy_sparse_array(graph, nodes, weight=weight)
                    assert ours.dtype == theirs.dtype and (ours.toarray() == theirs.toarray()).all(), (kind, nodes)
    graph = nx.MultiGraph([(0, 1, {"weight": 2**53}), (0, 1, {"weight": 1})])
    with pytest.raises(NotImplementedError):
        nx.to_scipy_sparse_array(graph, backend="tessera")
