"""The plug-in: what NetworkX asks of it, conversions that are kept, refusals and the report."""

import gc
import os
import subprocess
import sys
import weakref

import networkx as nx
import pytest
from tessera.networkx import report
from tessera.networkx.backend import NetworkXFallbackError, backend
from tessera.networkx.table import FUNCTIONS

from tessera import set_fallback_mode


def run(code, **env):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **env})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_networkx_does_not_load_the_engine():
    assert run("import networkx, sys; print('tessera._core' in sys.modules)").strip() == "False"


def test_every_function_of_the_table_is_networkx_s_and_is_there():
    for name in FUNCTIONS:
        assert name in nx.utils.backends._registered_algorithms, name
        assert callable(getattr(backend, name))
    assert len(FUNCTIONS) >= 80


def test_docstrings_name_the_backend():
    assert "tessera : Native graph algorithms" in nx.pagerank.__doc__
    assert "weight is a function of Python" in nx.dijkstra_path.__doc__


def test_a_call_that_cannot_run_says_why():
    graph = nx.path_graph(5)
    assert "function of Python" in backend.can_run("dijkstra_path", (graph, 0, 3, lambda u, v, d: 1), {})
    assert "multigraphs" in backend.can_run("katz_centrality", (nx.MultiGraph(),), {})
    assert "neighbors= " in backend.can_run("generic_bfs_edges", (graph, 0), {"neighbors": graph.neighbors})
    assert "directed" in backend.can_run("square_clustering", (nx.DiGraph(),), {})
    assert backend.can_run("square_clustering", (graph,), {}) is True
    assert backend.can_run("bfs_edges", (graph, 0), {"reverse": True, "sort_neighbors": None}) is True
    assert backend.can_run("pagerank", (graph,), {}) is True


def test_small_graphs_stay_in_networkx():
    assert "too few" in backend.should_run("core_number", (nx.path_graph(5),), {})
    assert "than the call" in backend.should_run("is_connected", (nx.path_graph(30),), {})
    assert backend.should_run("diameter", (nx.path_graph(12),), {}) is True
    assert "than the call" in backend.should_run("shortest_path", (nx.path_graph(200), 0, 9), {})
    assert "than the call" in backend.should_run("closeness_centrality", (nx.path_graph(40),), {"u": 3})
    assert backend.should_run("closeness_centrality", (nx.path_graph(40),), {}) is True
    assert backend.should_run("pagerank", (nx.path_graph(5),), {}) is True  # NetworkX calls SciPy
    assert backend.should_run("pagerank", (nx.gnm_random_graph(500, 3000, seed=1),), {}) is True
    assert "conversion" in backend.should_run("degree_centrality", (nx.gnm_random_graph(500, 3000, seed=1),), {})


def test_a_conversion_is_kept_until_the_graph_changes():
    graph = nx.path_graph(4)
    assert nx.number_connected_components(graph, backend="tessera") == 1
    assert "tessera" in graph.__networkx_cache__["backends"]
    graph.add_edge(7, 8)
    assert not graph.__networkx_cache__
    assert nx.number_connected_components(graph, backend="tessera") == 2
    graph.remove_edge(1, 2)
    assert nx.number_connected_components(graph, backend="tessera") == 3
    nx.set_edge_attributes(graph, 5, "weight")
    assert nx.dijkstra_path_length(graph, 0, 1, backend="tessera") == 5


def test_a_converted_graph_is_freed_with_its_last_reference():
    graph = nx.path_graph(50)
    nx.number_connected_components(graph, backend="tessera")
    reference = weakref.ref(graph)
    gc.disable()
    try:
        del graph
        assert reference() is None
    finally:
        gc.enable()


def test_each_attribute_is_converted_when_it_is_asked_for():
    graph = nx.Graph([(0, 1, {"weight": 3, "time": 0.5}), (1, 2, {"time": 0.25})])
    assert nx.dijkstra_path_length(graph, 0, 2, backend="tessera") == 4
    assert nx.dijkstra_path_length(graph, 0, 2, weight="time", backend="tessera") == 0.75
    assert nx.dijkstra_path_length(graph, 0, 2, weight="missing", backend="tessera") == 2


def test_views_are_converted():
    graph = nx.path_graph(6)
    part = graph.subgraph([0, 1, 4, 5])
    assert list(nx.connected_components(part, backend="tessera")) == [{0, 1}, {4, 5}]
    backwards = nx.DiGraph([(0, 1), (1, 2)]).reverse(copy=False)
    assert nx.descendants(backwards, 2, backend="tessera") == {0, 1}


def test_graphs_of_the_backend_are_graphs_of_networkx():
    graph = nx.Graph(backend="tessera")
    graph.add_edge("a", "b", weight=2)
    graph.add_edge("b", "c")
    assert isinstance(graph, nx.Graph) and graph.__networkx_backend__ == "tessera"
    assert nx.dijkstra_path_length(graph, "a", "c") == 3
    graph.remove_node("b")
    assert nx.number_connected_components(graph) == 2
    assert sorted(nx.Graph(graph).nodes) == ["a", "c"]


def test_a_converted_graph_becomes_networkx_s_again():
    graph = nx.MultiDiGraph(name="sample")
    graph.add_node(3, colour="red")
    graph.add_edge(3, 4, key="k", weight=1.5)
    converted = backend.convert_from_nx(graph, preserve_edge_attrs=True)
    assert nx.utils.graphs_equal(backend.convert_to_nx(converted), graph)
    assert nx.utils.graphs_equal(converted, graph) and converted.edges[3, 4, "k"] == {"weight": 1.5}
    converted.add_edge(4, 5)
    assert 5 not in graph and nx.descendants(converted, 3) == {4, 5}


def test_fallbacks_can_be_forbidden():
    graph = nx.gnm_random_graph(30, 60, seed=1)
    before = set_fallback_mode("error")
    try:
        with nx.config.backend_priority(algos=["tessera"]):
            assert len(nx.pagerank(graph)) == 30
            with pytest.raises(NetworkXFallbackError, match="function of Python"):
                nx.dijkstra_path(graph, 0, 1, weight=lambda u, v, d: 1)
            with pytest.raises(NetworkXFallbackError, match="no native form"):
                nx.is_chordal(graph)
        nx.is_chordal(graph)
    finally:
        set_fallback_mode(before)


def test_the_report_has_calls_times_and_reasons(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import networkx as nx\n"
        "graph = nx.gnm_random_graph(2000, 9000, seed=1)\n"
        "nx.pagerank(graph); nx.pagerank(graph); nx.is_planar(graph)\n"
        "list(nx.connected_components(graph))\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "tessera", "run", "--networkx", "--coverage", str(program)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line for line in done.stderr.splitlines() if line.startswith(("pagerank", "is_planar"))}
    assert lines["pagerank"].split()[1] == "2" and lines["pagerank"].endswith("native")
    assert "there is no native form of it" in lines["is_planar"]
    assert "Warning" not in done.stderr


def test_nothing_is_recorded_unless_asked():
    assert not report.recording() and report.records() == {}
