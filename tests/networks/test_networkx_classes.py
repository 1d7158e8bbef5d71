"""NetworkX's own tests of its classes, with the backend's: columns that become dictionaries when somebody asks for them."""

import copy
import pickle
import random

import networkx as nx
import pytest
from networkx.classes.tests import test_digraph, test_graph, test_multidigraph, test_multigraph
from tessera.networkx import DiGraph, Graph, MultiDiGraph, MultiGraph


class TestGraph(test_graph.TestGraph):
    def setup_method(self):
        super().setup_method()
        _become(self, Graph)


class TestDiGraph(test_digraph.TestDiGraph):
    def setup_method(self):
        super().setup_method()
        _become(self, DiGraph)


class TestMultiGraph(test_multigraph.TestMultiGraph):
    def setup_method(self):
        super().setup_method()
        _become(self, MultiGraph)


class TestMultiDiGraph(test_multidigraph.TestMultiDiGraph):
    def setup_method(self):
        super().setup_method()
        _become(self, MultiDiGraph)


class TestEdgeSubgraph(test_graph.TestEdgeSubgraph):
    def setup_method(self):
        super().setup_method()
        self.G = Graph(self.G)
        self.H = self.G.edge_subgraph([(0, 1), (3, 4)])


def _become(test, kind):
    """The graphs of the test's set-up as graphs of another class."""
    test.Graph = kind
    for name, value in vars(test).items():
        if isinstance(value, nx.Graph):
            graph = kind()
            for form in ("_node", "_adj", "_pred"):
                if form != "_pred" or value.is_directed():
                    setattr(graph, form, getattr(value, form))
            setattr(test, name, graph)


@pytest.mark.parametrize("kind", [Graph, DiGraph, MultiGraph, MultiDiGraph])
def test_a_graph_stays_columns_until_it_is_read(kind):
    graph = kind([(0, 1), (1, 2), (1, 2)], name="sample")
    graph.add_nodes_from("ab")
    assert len(graph) == 5 and list(graph) == [0, 1, 2, "a", "b"] and 2.0 in graph and [] not in graph
    assert graph.name == "sample" and graph.size() == graph.number_of_edges() == 2 + graph.is_multigraph()
    assert nx.number_of_nodes(graph) == 5
    columns = graph.copy()
    assert nx.single_source_shortest_path_length(columns, 0) == {0: 0, 1: 1, 2: 2}
    if not graph.is_multigraph():
        assert columns._edges is not None
    assert nx.utils.graphs_equal(graph, columns) and graph._edges is None


NAMES = [0, 1, 2, 3, "a", (1, 2), frozenset([1]), 2**65, -1, 100_000, 7.5]
READS = [
    len,
    list,
    str,
    lambda graph: setattr(graph, "name", "some"),
    lambda graph: setattr(graph, "graph", {"x": 1}),
    lambda graph: graph.size("w"),
    lambda graph: (1 in graph, [] in graph, graph.has_edge(0, 1), graph.number_of_edges(0, 1), graph.order()),
    lambda graph: list(graph.edges(data=True)),
    lambda graph: dict(graph.degree),
    lambda graph: graph[0],
    lambda graph: list(graph.nbunch_iter([0, 1, "none"])),
    lambda graph: form(pickle.loads(pickle.dumps(graph))),
    lambda graph: form(copy.deepcopy(graph)),
    lambda graph: form(graph.copy()),
    lambda graph: form(nx.MultiDiGraph(graph)),
    lambda graph: form(graph.to_undirected()),
    lambda graph: form(nx.relabel_nodes(graph, {0: "zero"})),
    lambda graph: nx.to_numpy_array(graph, weight="w").tolist(),
    nx.number_of_selfloops,
]


def form(graph):
    """All that a graph has, in order."""
    before = [(u, list(row)) for u, row in graph._pred.items()] if graph.is_directed() else []
    return list(graph._node.items()), [(u, list(row.items())) for u, row in graph._adj.items()], before, graph.graph


def operation(draw):
    """A method with its arguments, or something that reads the graph."""

    def edges(*data):
        return [(draw.choice(NAMES), draw.choice(NAMES), *data) for _ in range(draw.randrange(5))]

    return draw.choice(
        [
            ("add_edges_from", (edges(),), {}),
            ("add_edges_from", (edges({"w": draw.choice([1, 2.5, True])}),), {}),
            ("add_edges_from", (edges(),), {"w": draw.randrange(4)}),
            ("add_edges_from", ([(0, 1), (2,)],), {}),
            ("add_weighted_edges_from", (edges(draw.random()),), {"weight": "w"}),
            ("add_nodes_from", ([draw.choice(NAMES), "b"],), draw.choice([{}, {"c": 1}])),
            ("add_nodes_from", ([("x", {"q": 1}), 7],), {}),
            ("add_edge", (draw.choice(NAMES), draw.choice(NAMES)), draw.choice([{}, {"w": 2}, {"z": 1, "w": 3}])),
            ("add_edge", (None, 1), {}),
            ("add_node", (draw.choice([*NAMES, None, []]),), {}),
            ("remove_node", (draw.choice(NAMES),), {}),
            ("remove_edge", (draw.choice(NAMES), draw.choice(NAMES)), {}),
            ("clear", (), {}),
            ("read", draw.choice(READS), {}),
            ("read", draw.choice(READS), {}),
        ]
    )


def answers(graph, operations):
    found = []
    for name, arguments, named in operations:
        try:
            found.append(arguments(graph) if name == "read" else getattr(graph, name)(*arguments, **named))
        except Exception as error:
            found.append((type(error), str(error)))
    return repr([*found, form(graph)])


@pytest.mark.parametrize("kind", [Graph, DiGraph, MultiGraph, MultiDiGraph])
def test_whatever_is_called_does_what_it_does_in_networkx(kind):
    for seed in range(400):
        draw = random.Random(seed)
        operations = [operation(draw) for _ in range(draw.randrange(1, 8))]
        assert answers(kind(), operations) == answers(kind._plain(), operations), operations
