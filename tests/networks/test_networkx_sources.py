"""Graphs from edge lists, frames and matrices: what NetworkX makes of them, without its dictionaries until they are asked for."""

import gc
import weakref

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import tessera.pandas
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tessera.networkx.backend import backend

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
B = {"backend": "tessera"}
# 1, 1.0 and True are one node; so are equal strings that are different objects.
LABELS = st.one_of(st.integers(-2, 6), st.booleans(), st.sampled_from([0.5, 1.0, 2.0, "a", "b", (1, 2), 2**70, 10**6]))
OTHERS = st.sampled_from([0, 1, 2, 7, "a", "b", (1, 2), 0.5])
VALUES = st.one_of(st.integers(-3, 3), st.floats(allow_nan=False), st.booleans(), st.just("text"), st.just(2**70))
PAIRS = st.tuples(LABELS, LABELS)
TRIPLES = st.tuples(LABELS, LABELS, st.dictionaries(st.sampled_from("xyz"), VALUES, max_size=3))


def form(graph):
    """All that a graph has, in order."""

    def data(row):
        return {key: list(each.items()) if isinstance(each, dict) else each for key, each in row.items()}

    rows = [[(u, [(v, data(row)) for v, row in rows.items()]) for u, rows in graph._adj.items()]]
    if graph.is_directed():
        rows.append([(u, list(row)) for u, row in graph._pred.items()])
    return list(graph._node.items()), rows, graph.graph


def same(found, expected, columns=True):
    assert type(found) is not type(expected) and found.__networkx_backend__ == "tessera"
    if columns is None:  # either
        columns = found._edges is not None
    assert (found._edges is not None) == columns
    assert len(found) == len(expected) and list(found) == list(expected)
    assert [type(label) for label in found] == [type(label) for label in expected]
    assert found.number_of_edges() == expected.number_of_edges()
    plain = backend.convert_to_nx(found)
    assert (found._edges is not None) == columns and type(plain) is type(expected)
    assert form(plain) == form(found) == form(expected)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(edges=st.lists(st.one_of(PAIRS, TRIPLES), max_size=20))
def test_edge_lists_of_any_labels(kind, edges):
    expected = nx.from_edgelist(edges, create_using=kind)
    found = nx.from_edgelist(iter(edges), create_using=kind, **B)
    same(found, expected, None)
    graph = kind(edges, **B)
    same(graph, expected, None)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(
    edges=st.lists(
        st.tuples(OTHERS, OTHERS, st.builds(lambda w, f: {"w": w, "f": f}, st.integers(-3, 5), st.floats(0, 9)))
    )
)
def test_columns_answer_as_the_dictionaries_do(kind, edges):
    expected = nx.from_edgelist(edges, create_using=kind)
    found = nx.from_edgelist(edges, create_using=kind, **B)
    assert found._edges is not None
    for name in ("w", "f", "missing"):
        ours, theirs = (
            nx.to_numpy_array(found, weight=name),
            nx.to_numpy_array(expected, weight=name, backend="networkx"),
        )
        assert np.allclose(ours, theirs) and ours.dtype == theirs.dtype
    table = nx.to_pandas_edgelist(found)
    pd.testing.assert_frame_equal(table, nx.to_pandas_edgelist(expected)[list(table.columns)])
    if len(found):
        source = next(iter(found))
        lengths = nx.single_source_dijkstra_path_length(found, source, weight="f")
        assert lengths == nx.single_source_dijkstra_path_length(expected, source, weight="f", backend="networkx")
        assert nx.ancestors(found, source) == nx.ancestors(expected, source, backend="networkx")
    assert found._edges is not None


def test_edges_that_columns_cannot_hold_become_dictionaries():
    for edges in (
        [(0, 1), (1, 2, {"x": 1}), [2, 3]],
        [(0, 1, {"x": 1, "y": 2}), (1, 2, {"y": 1, "x": 2})],
        [(0, 1, {str(k): k}) for k in range(50)],
        [(0, 1, {3: 1})],
    ):
        same(nx.from_edgelist(edges, **B), nx.from_edgelist(edges), columns=False)
    for edges in ([(0, None)], [(0, [])], [(0,)], [5], [(0, 1, 2)]):
        with pytest.raises(Exception) as theirs:
            nx.from_edgelist(edges)
        with pytest.raises(theirs.type) as ours:
            nx.from_edgelist(edges, **B)
        assert str(ours.value) == str(theirs.value)


def test_a_generator_that_reads_the_graph_sees_its_edges():
    def edges(graph):
        yield 0, 1
        yield len(graph), 7
        yield graph.degree(0), 8
        yield 9, 10

    for kind in KINDS:
        ours, theirs = kind(**B), kind()
        ours.add_edges_from(edges(ours))
        theirs.add_edges_from(edges(theirs))
        same(ours, theirs, columns=False)


def test_edges_before_an_error_are_kept():
    def edges():
        yield 0, 1
        raise OSError

    for kind in KINDS:
        graph = kind(**B)
        with pytest.raises(OSError):
            graph.add_edges_from(edges())
        assert list(graph.edges()) == [(0, 1)]


def test_changes_of_columns_are_noticed():
    graph = nx.Graph(**B)
    graph.add_nodes_from(range(4))
    assert nx.number_connected_components(graph) == 4
    graph.add_edges_from([(0, 1), (2, 3)], weight=2)
    assert nx.number_connected_components(graph) == 2
    graph.add_edge(1, 2, weight=5)
    assert nx.dijkstra_path_length(graph, 0, 3) == 9 and graph._edges is not None
    graph.remove_edge(1, 2)
    assert nx.number_connected_components(graph) == 2 and graph._edges is None
    graph.add_edges_from([(1, 2)])
    assert nx.dijkstra_path_length(graph, 0, 3) == 5
    copied = nx.from_edgelist([(0, 1)], **B)
    other = copied.copy()
    other.add_edge(1, 2)
    assert (len(copied), len(other)) == (2, 3) and copied._edges is not None and other._edges is not None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("frames", [pd, tessera.pandas])
def test_frames(kind, frames):
    table = {
        "source": [3, 0, 3, 3, 0],
        "target": [0, 1, 0, 3, 3],
        "w": [1, 2, 3, 4, 5],
        "x": list("abcde"),
        "y": [0.5] * 5,
    }
    for types in (
        {},
        {"source": "float64", "target": "float64"},
        {"w": "bool"},
        {"source": "int32", "target": "uint8"},
    ):
        frame = frames.DataFrame(table).astype(types)
        for attributes in (None, True, "w", ["y", "x"]):
            expected = nx.from_pandas_edgelist(
                pd.DataFrame(table).astype(types), edge_attr=attributes, create_using=kind
            )
            same(nx.from_pandas_edgelist(frame, edge_attr=attributes, create_using=kind, **B), expected)
        same(kind(frame.iloc[:4], **B), kind(pd.DataFrame(table).astype(types).iloc[:4]))
    with pytest.raises(nx.NetworkXError, match="Invalid edge_attr argument: missing"):
        nx.from_pandas_edgelist(frame, edge_attr="missing", create_using=kind, **B)
    keyed = nx.from_pandas_edgelist(pd.DataFrame(table), edge_key="x", create_using=kind)
    same(nx.from_pandas_edgelist(pd.DataFrame(table), edge_key="x", create_using=kind, **B), keyed, None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [int, float, bool, np.int8, np.float32, np.uint64, complex])
def test_matrices(kind, dtype):
    dense = np.array([[0, 2, 0, 1], [2, 1, 0, 0], [0, 3, 0, 0], [1, 0, 0, 2]]).astype(dtype)
    for parallel in (False, True):
        for layout in ("csr", "csc", "coo", "lil", "dok"):
            matrix = sparse.csr_array(dense).asformat(layout)
            expected = nx.from_scipy_sparse_array(matrix, parallel, kind)
            same(nx.from_scipy_sparse_array(matrix, parallel, kind, **B), expected)
        for name in ("weight", "x", None):
            expected = nx.from_numpy_array(dense, parallel, kind, edge_attr=name)
            found = nx.from_numpy_array(dense, parallel, kind, edge_attr=name, **B)
            same(found, expected, None)
    same(nx.from_numpy_array(dense, create_using=kind, nodelist="abcd", **B),
         nx.from_numpy_array(dense, create_using=kind, nodelist="abcd"), None)  # fmt: skip
    same(kind(dense, **B), kind(dense), None)
    same(kind(sparse.csr_array(dense), **B), kind(sparse.csr_array(dense)))
    with pytest.raises(nx.NetworkXError, match="not square"):
        nx.from_numpy_array(dense[:2], create_using=kind, **B)


def test_graphs_of_networkx_are_not_filled():
    with pytest.raises(NotImplementedError):
        nx.from_edgelist([(0, 1)], create_using=nx.DiGraph(), **B)
    ours = nx.DiGraph([(5, 6)], **B)
    assert nx.from_edgelist([(0, 1)], create_using=ours, **B) is ours and list(ours) == [0, 1]


def test_labels_that_refer_to_their_graph_are_freed():
    class Label:
        pass

    def circle(graph):
        label = Label()
        label.graph = graph
        graph.add_edge(label, 0)
        assert nx.number_connected_components(graph, **B) == 1
        return weakref.ref(label)

    references = [circle(nx.Graph()), circle(nx.Graph(**B)), circle(nx.MultiGraph())]
    gc.collect()
    assert [reference() for reference in references] == [None] * 3


def test_functions_without_a_native_form_run_for_graphs_of_the_backend():
    graph = nx.from_edgelist([(0, 1), (1, 2)], **B)
    nx.set_edge_attributes(graph, 3, "weight")
    assert nx.dijkstra_path_length(graph, 0, 2) == 6
    assert nx.dijkstra_path_length(graph, 0, 2, weight=lambda u, v, data: 1) == 2
    assert set(nx.relabel_nodes(graph, {0: "a"})) == {1, 2, "a"}
    assert nx.is_planar(graph) and len(nx.spring_layout(graph, seed=1)) == 3
    nx.set_edge_attributes(graph, "text", "weight")
    with pytest.raises(TypeError):
        nx.dijkstra_path_length(graph, 0, 2)


def test_generators_and_readers_fill_columns(tmp_path):
    (tmp_path / "edges").write_text("0 1 2\n1 2 3\n")
    for make in (
        lambda **b: nx.path_graph(5, **b),
        lambda **b: nx.path_graph("abc", create_using=nx.DiGraph, **b),
        lambda **b: nx.gnm_random_graph(20, 40, seed=3, **b),
        lambda **b: nx.gnm_random_graph(20, 40, seed=3, directed=True, **b),
        lambda **b: nx.barabasi_albert_graph(20, 3, seed=3, **b),
        lambda **b: nx.gn_graph(10, seed=1, **b),
        lambda **b: nx.configuration_model([3, 3, 2, 2], seed=1, **b),
        lambda **b: nx.read_weighted_edgelist(tmp_path / "edges", nodetype=int, **b),
        lambda **b: nx.grid_2d_graph(3, 4, **b),
        lambda **b: nx.complete_graph(5, **b),
        lambda **b: nx.empty_graph(5, **b),
    ):
        same(make(**B), make(), None)
    assert nx.path_graph(10**5, **B)._edges is not None
    assert nx.read_weighted_edgelist(tmp_path / "edges", **B)._edges is not None
    assert nx.gnm_random_graph(20, 40, **B).number_of_edges() == 40
    with pytest.raises(TypeError):
        nx.path_graph(**B)
