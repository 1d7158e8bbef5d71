"""Long calls end at Ctrl-C and where memory is refused, and leave the graph as it was."""

import os
import subprocess
import sys

import pytest

INTERRUPTED = """
import networkx as nx, os, signal, threading, time
nx.config.warnings_to_ignore.add("cache")
graph = nx.gnm_random_graph(20000, 100000, seed=1)
nx.number_connected_components(graph, backend="tessera")
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where this was started
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
begin = time.perf_counter()
try:
    nx.{name}(graph, backend="tessera")
except KeyboardInterrupt:
    assert time.perf_counter() - begin < 30
    assert nx.number_connected_components(graph, backend="tessera") == nx.number_connected_components(graph)
    print("interrupted")
"""

ENDLESS = """
import itertools, networkx as nx, os, signal, threading
graph = nx.Graph(backend="tessera")
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where this was started
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    graph.add_edges_from(zip(itertools.repeat(1), itertools.repeat(2)))
except KeyboardInterrupt:
    assert graph.number_of_edges() == 1 and list(graph) == [1, 2]
    print("interrupted")
"""

REFUSED_COLUMNS = """
import networkx as nx, resource
graph = nx.Graph(backend="tessera")
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (48 << 20), resource.RLIM_INFINITY))
try:
    graph.add_edges_from((k, k + 1, {"w": k}) for k in range(10**8))
except MemoryError:
    print("refused")
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert nx.dijkstra_path_length(graph, 0, 4, weight="w") == 6 and len(graph) in (graph.size() + 1, graph.size() + 2)
"""

REFUSED = """
import networkx as nx, resource
nx.config.warnings_to_ignore.add("cache")
graph = nx.path_graph(30000)
if {begun}:
    nx.triangles(graph, backend="tessera")
assert nx.number_connected_components(graph, backend="tessera") == 1
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + ({room} << 20), resource.RLIM_INFINITY))
try:
    nx.complement(graph, backend="tessera")
except MemoryError:
    print("refused")
assert nx.number_connected_components(graph, backend="tessera") == 1
"""


def run(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ), timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["betweenness_centrality", "load_centrality", "closeness_centrality"])
def test_ctrl_c_ends_a_long_call(name):
    assert run(INTERRUPTED.format(name=name)) == "interrupted"


@pytest.mark.parametrize("begun", [False, True], ids=["new threads", "threads that worked before"])
@pytest.mark.parametrize("room", [16, 32, 64, 200])
def test_refused_memory_is_an_error_of_memory(room, begun):
    assert run(REFUSED.format(room=room, begun=begun)) == "refused"


def test_ctrl_c_ends_edges_without_end():
    assert run(ENDLESS) == "interrupted"


def test_refused_memory_leaves_edges_whole():
    assert run(REFUSED_COLUMNS) == "refused"
