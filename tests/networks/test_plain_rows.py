"""Rows of Python's own texts and numbers are read on all threads, others one by one: both give the same."""

import networkx as nx
import numpy as np
import pytest


class Name(str):
    """A text by a class of its own, which runs its code where it is compared."""

    def __eq__(self, other):
        return str.__eq__(self, other)

    def __hash__(self):
        return str.__hash__(self)


def label_of(kind, k):
    """A new object each time."""
    return {
        "counts": lambda: k,
        "integers": lambda: 7 * k - 10_000,
        "large integers": lambda: k + 2**80,
        "texts": lambda: f"node {k}",
        "wide texts": lambda: f"\N{SNOWMAN} {k}",
        "texts and integers": lambda: str(k) if k % 3 else k,
        "floats": lambda: k + 0.5,
        "classes": lambda: Name(f"node {k}"),
        "NumPy's": lambda: np.int64(k),
        "one float": lambda: float(k) if k == 1500 else k,
    }[kind]()


def same_matrix(graph, **keywords):
    ours = nx.to_scipy_sparse_array(graph, backend="tessera", **keywords)
    theirs = nx.to_scipy_sparse_array(graph, backend="networkx", **keywords)
    assert ours.dtype == theirs.dtype and (ours != theirs).nnz == 0


@pytest.mark.parametrize("kind", ["counts", "integers", "large integers", "texts", "wide texts", "texts and integers", "floats",
                                  "classes", "NumPy's", "one float"])  # fmt: skip
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_labels_of_every_kind_are_numbered(kind, directed):
    drawn = nx.gnm_random_graph(2000, 30_000, seed=3, directed=directed)
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(label_of(kind, k) for k in drawn)
    graph.add_edges_from((label_of(kind, u), label_of(kind, v)) for u, v in drawn.edges)
    graph.add_edge(label_of(kind, 5), label_of(kind, 5))
    same_matrix(graph)


VALUES = {
    "whole": lambda k: k % 7,
    "floats": lambda k: k / 3,
    "both": lambda k: k if k % 2 else k / 2,
    "one": lambda k: 2.5 if k == 29_000 else None,
    "some": lambda k: k if 9_000 < k < 12_000 else None,
    "truths": lambda k: k % 2 == 0,
    "negative": lambda k: -k,
    "NumPy's": lambda k: np.float64(k),
    "a late class": lambda k: np.float32(2) if k == 29_500 else 1,
    "none": lambda k: None,
}


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("others", [0, 1, 20])
def test_values_of_every_kind_are_read(kind, others):
    graph = nx.gnm_random_graph(2000, 30_000, seed=4)
    for k, (_, _, data) in enumerate(graph.edges(data=True)):
        data.update((f"other {i}", "x") for i in range(others))
        if (value := VALUES[kind](k)) is not None:
            data["".join(["we", "ight"])] = value
    if kind == "a late class":  # which is no number of Python's
        with pytest.raises(NotImplementedError):
            nx.single_source_bellman_ford_path_length(graph, 0, backend="tessera")
        return
    if kind != "truths":
        same_matrix(graph)
    same_paths(graph)


def same_paths(graph):
    try:
        theirs = nx.single_source_bellman_ford_path_length(graph, 0, backend="networkx")
    except nx.NetworkXUnbounded:
        with pytest.raises(nx.NetworkXUnbounded):
            nx.single_source_bellman_ford_path_length(graph, 0, backend="tessera")
        return
    assert nx.single_source_bellman_ford_path_length(graph, 0, backend="tessera") == theirs


def test_a_column_of_one_default_is_filled_when_it_is_needed():
    graph = nx.gnm_random_graph(500, 3000, seed=5)
    assert nx.pagerank(graph, backend="tessera") == pytest.approx(nx.pagerank(graph, backend="networkx"))
    lengths = nx.single_source_dijkstra_path_length(graph, 0, backend="tessera")
    assert lengths == nx.single_source_dijkstra_path_length(graph, 0, backend="networkx")
    same_matrix(graph)


@pytest.mark.parametrize(
    "kind", ["counts", "integers", "large integers", "texts", "texts and integers", "classes", "one float"]
)
@pytest.mark.parametrize("edges", [0, 900, 2500, 9000])
def test_components_of_dictionaries_are_those_of_conversions(kind, edges):
    drawn = nx.gnm_random_graph(2000, edges, seed=6)
    graph = nx.Graph()
    graph.add_nodes_from(label_of(kind, k) for k in drawn)
    graph.add_edges_from((label_of(kind, u), label_of(kind, v)) for u, v in drawn.edges)
    for _ in range(2):  # the second time it is converted
        for function in (nx.connected_components, nx.number_connected_components, nx.is_connected):
            theirs = function(graph, backend="networkx")
            ours = function(graph, backend="tessera")
            assert ours == theirs or list(ours) == list(theirs)
    graph.add_edge(label_of(kind, 0), label_of(kind, 1999))
    graph.add_edge("new", label_of(kind, 7))
    theirs = list(nx.connected_components(graph, backend="networkx"))
    assert list(nx.connected_components(graph, backend="tessera")) == theirs
    assert nx.number_connected_components(nx.MultiGraph(graph), backend="tessera") == len(theirs)


def test_components_of_a_graph_without_nodes():
    assert list(nx.connected_components(nx.Graph(), backend="tessera")) == []
    assert nx.number_connected_components(nx.Graph(), backend="tessera") == 0
    with pytest.raises(nx.NetworkXPointlessConcept):
        nx.is_connected(nx.Graph(), backend="tessera")
