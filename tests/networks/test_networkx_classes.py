"""NetworkX's own tests of its classes, with the backend's: columns that become dictionaries when somebody asks for them."""

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
