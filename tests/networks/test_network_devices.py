"""Algorithms that a device has a form of: the host's answers, in the host's order and bits."""

import os
import random
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

import tessera
from tessera import routines

B = {"backend": "tessera"}


def graph(kind, seed, nodes=3000, edges=18_000, weights=None):
    """A graph that is large enough to be taken to a device: with hubs, loops, and nodes that nothing leads to."""
    r = random.Random(seed)
    g = kind()
    g.add_nodes_from(range(nodes))
    for _ in range(edges):
        u, v = r.randrange(nodes - 100), int(r.random() ** 3 * (nodes - 100))
        g.add_edge(u, v, **({} if weights is None else {"weight": weights(r)}))
    return g


def whole(r):
    return r.randrange(1, 9)


def real(r):
    return r.choice([0.1, 0.25, 1.7, 3.3])


def with_zeros(r):
    return r.randrange(3)


CALLS = {
    "pagerank": lambda g: nx.pagerank(g, **B),
    "personal pagerank": lambda g: nx.pagerank(g, personalization={0: 1, 5: 2.5}, **B),
    "eigenvector": lambda g: nx.eigenvector_centrality(g, max_iter=1000, **B),
    "weighted eigenvector": lambda g: nx.eigenvector_centrality(g, max_iter=1000, weight="weight", **B),
    "katz": lambda g: nx.katz_centrality(g, alpha=0.001, **B),
    "lengths by steps": lambda g: nx.single_source_shortest_path_length(g, 7, **B),
    "lengths of few steps": lambda g: nx.single_source_shortest_path_length(g, 7, cutoff=2, **B),
    "paths by steps": lambda g: nx.single_source_shortest_path(g, 7, **B),
    "edges of a search": lambda g: list(nx.bfs_edges(g, 7, **B)),
    "layers": lambda g: list(nx.bfs_layers(g, [7, 3, 7], **B)),
    "lengths by weight": lambda g: nx.single_source_dijkstra_path_length(g, 7, **B),
    "paths by weight": lambda g: nx.single_source_dijkstra(g, 7, **B),
}


def on(device, call):
    with tessera.device(device):
        tessera.reset_counters()
        found = call()
        return found, tessera.counters()


KINDS = pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph], ids=["graph", "digraph"])
WEIGHTS = {"none": None, "whole": whole, "real": real, "zeros": with_zeros}
WEIGHTED = ("pagerank", "weighted eigenvector", "lengths by weight", "paths by weight")


@KINDS
@pytest.mark.parametrize(
    "name, weights", [(name, kind) for name in CALLS for kind in (WEIGHTS if name in WEIGHTED else ["none"])]
)
def test_a_device_gives_the_hosts_answer(name, kind, weights):
    g = graph(kind, 3, weights=WEIGHTS[weights])
    here, _ = on("cpu", lambda: CALLS[name](g))
    there, counters = on("simulated", lambda: CALLS[name](g))
    assert counters["device_launches"] > 0 and not counters.get("device_fallbacks")
    assert repr(there) == repr(here)  # the order of dictionaries, too


@KINDS
@pytest.mark.parametrize("seed", range(3))
def test_components_on_a_device_are_the_hosts(kind, seed):
    g = graph(kind, seed, edges=6_000, nodes=8_000)
    g.add_edges_from((k, k + 1) for k in range(7_900, 7_999))
    g.add_edges_from((k, (7919 * k) % 3_001) for k in range(0, 3_000, 9))
    name = nx.weakly_connected_components if g.is_directed() else nx.connected_components
    here, _ = on("cpu", lambda: list(name(g, **B)))
    there, counters = on("simulated", lambda: list(name(g, **B)))
    assert counters["device_launches"] > 0 and not counters.get("device_fallbacks")
    assert there == here


def test_chains_and_stars_are_connected_on_a_device():
    for g in (nx.path_graph(20_000), nx.star_graph(20_000)):
        there, counters = on("simulated", lambda g=g: nx.number_connected_components(g, **B))
        assert there == 1 and counters["device_launches"] > 0


def test_searches_that_are_too_deep_for_a_device_run_on_the_host():
    chain = nx.path_graph(20_000, create_using=nx.DiGraph)
    found, counters = on("simulated", lambda: nx.single_source_shortest_path_length(chain, 0, **B))
    assert found[19_999] == 19_999 and counters["device_fallbacks"] == 1


@KINDS
def test_core_numbers_on_a_device_are_the_hosts(kind):
    g = graph(kind, 5)
    g.remove_edges_from(list(nx.selfloop_edges(g)))
    here, _ = on("cpu", lambda: nx.core_number(g, **B))
    there, counters = on("simulated", lambda: nx.core_number(g, **B))
    assert counters["device_launches"] > 0 and there == here


@pytest.mark.parametrize("call", [nx.triangles, nx.clustering, nx.transitivity])
def test_triangles_on_a_device_are_the_hosts(call):
    g = graph(nx.Graph, 6)
    here, _ = on("cpu", lambda: call(g, **B))
    there, counters = on("simulated", lambda: call(g, **B))
    assert counters["device_launches"] > 0 and repr(there) == repr(here)


def test_rows_of_a_graph_stay_on_the_device():
    g = graph(nx.Graph, 8)
    with tessera.device("simulated"):
        nx.core_number(nx.Graph(e for e in g.edges if e[0] != e[1]), **B)
        nx.single_source_shortest_path_length(g, 7, **B)
        tessera.reset_counters()
        nx.single_source_shortest_path_length(g, 8, **B)
        assert tessera.counters()["bytes_to_device"] < 1000


def test_a_graph_that_changed_is_taken_to_the_device_again():
    g = graph(nx.Graph, 9)
    with tessera.device("simulated"):
        before = nx.single_source_shortest_path_length(g, 0, **B)
        g.add_edge(0, 2_950)
        after = nx.single_source_shortest_path_length(g, 0, **B)
    assert 2_950 not in before and after[2_950] == 1


SAME = """
import networkx as nx, hashlib, tessera, os
g = nx.gnm_random_graph(3000, 20000, seed=5)
for k, (u, v, a) in enumerate(g.edges(data=True)): a["weight"] = 0.1 + k % 13
B = {"backend": "tessera"}
nx.config.warnings_to_ignore.add("cache")
with tessera.device(os.environ["WHERE"]):
    found = [nx.pagerank(g, **B), nx.eigenvector_centrality(g, **B), nx.katz_centrality(g, 0.01, weight="weight", **B),
             nx.triangles(g, **B), nx.core_number(g, **B), nx.single_source_dijkstra_path_length(g, 0, **B)]
print(hashlib.sha256(repr(found).encode()).hexdigest())
"""


def test_neither_threads_nor_devices_show_in_results():
    def digest(threads, where):
        env = {**os.environ, "TESSERA_CPUS": str(threads), "WHERE": where}
        done = subprocess.run([sys.executable, "-c", SAME], capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert len({digest(t, w) for t, w in [(1, "cpu"), (3, "cpu"), (7, "cpu"), (1, "simulated"), (4, "simulated")]}) == 1


# ---- the operations of the table by themselves


def rows(nodes=3000, arcs=20_000, seed=1, both_ways=False):
    """Offsets, targets in increasing order, and where each arc begins."""
    r = np.random.default_rng(seed)
    u, v = r.integers(0, nodes, arcs), (r.integers(0, nodes, arcs) * r.random(arcs)).astype(int)
    if both_ways:
        u, v = np.concatenate([u, v]), np.concatenate([v, u])
    keys = np.unique(u * nodes + v)
    origins = keys // nodes
    offsets = np.concatenate([[0], np.cumsum(np.bincount(origins, minlength=nodes))])
    return offsets, (keys % nodes).astype(np.int32), origins


@pytest.mark.parametrize("device", ["cpu", "simulated"])
def test_operations_on_rows_of_neighbours(device):
    import tessera.numpy as tnp

    offsets, targets, origins = rows()
    r = np.random.default_rng(2)
    values, weights = r.random(3000), r.random(len(targets))
    whole = r.integers(0, 99, 3000)
    nodes = r.integers(0, 3000, 2000)
    with tessera.device(device):
        given = tnp.asarray(offsets), tnp.asarray(targets)
        sums = routines.neighbour_sum(*given, tnp.asarray(values), tnp.asarray(weights))
        least = routines.neighbour_minimum(*given, tnp.asarray(whole), tnp.asarray(whole), weighted=False)
        places, arcs = routines.advance(*given, tnp.asarray(nodes))
        both = routines.common_neighbours(*given, tnp.asarray(nodes), tnp.asarray(nodes[::-1].copy()))
        found_offsets, order = routines.rows_of_edges(tnp.asarray(targets.astype(np.int64)), 3000)
    expected = np.zeros(3000)
    np.add.at(expected, origins, values[targets] * weights)
    np.testing.assert_allclose(np.asarray(sums), expected)
    lowest = np.full(3000, np.iinfo(np.int64).max)
    np.minimum.at(lowest, origins, whole[targets])
    assert np.array_equal(least, lowest)
    degrees = np.diff(offsets)[nodes]
    assert np.array_equal(places, np.repeat(np.arange(2000), degrees))
    assert np.array_equal(origins[np.asarray(arcs)], np.repeat(nodes, degrees))
    row = [set(targets[offsets[v] : offsets[v + 1]].tolist()) for v in range(3000)]
    assert np.asarray(both).tolist() == [len(row[u] & row[v]) for u, v in zip(nodes, nodes[::-1])]
    assert np.array_equal(order, np.argsort(targets, kind="stable"))
    assert np.array_equal(np.diff(np.asarray(found_offsets)), np.bincount(targets, minlength=3000))


@pytest.mark.parametrize("device", ["cpu", "simulated"])
@pytest.mark.parametrize("spoil", ["target", "negative target", "offset", "last offset"])
def test_what_is_no_row_of_neighbours_is_refused(device, spoil):
    import tessera.numpy as tnp

    offsets, targets, _ = rows()
    if "target" in spoil:
        targets[77] = -1 if spoil == "negative target" else 3000
    else:
        offsets[-1 if spoil == "last offset" else 1500] += 5000
    values = tnp.ones(3000)
    with tessera.device(device), pytest.raises(ValueError, match="no rows of neighbours"):
        routines.neighbour_sum(tnp.asarray(offsets), tnp.asarray(targets), values, values, weighted=False)


@pytest.mark.parametrize("device", ["cpu", "simulated"])
def test_nodes_that_are_not_there_are_refused(device):
    import tessera.numpy as tnp

    offsets, targets, _ = rows()
    given = tnp.asarray(offsets), tnp.asarray(targets)
    with tessera.device(device):
        with pytest.raises(IndexError, match="node 3000"):
            routines.advance(*given, tnp.asarray([1, 3000]))
        with pytest.raises(IndexError, match="source -1"):
            routines.breadth_first(*given, tnp.asarray([-1]))


@pytest.mark.parametrize("device", ["cpu", "simulated"])
def test_lengths_with_negative_weights_and_negative_cycles(device):
    import tessera.numpy as tnp

    offsets, targets, origins = rows(seed=4)
    # Potentials: every cycle keeps its length, arcs may be negative.
    potential = np.random.default_rng(5).integers(0, 20, 3000)
    weights = 1 + potential[origins] - potential[targets]
    given = tnp.asarray(offsets), tnp.asarray(targets)
    with tessera.device(device):
        lengths, falls = routines.shortest_lengths(*given, tnp.asarray(weights), tnp.asarray([3]))
        steps = routines.breadth_first(*given, tnp.asarray([3]))
        found = dict(zip(np.asarray(steps[0]).tolist(), np.asarray(steps[2]).tolist()))
        assert falls[0] == 0
        lengths = np.asarray(lengths)
        for node, distance in found.items():
            assert lengths[node] == distance + potential[3] - potential[node]
        weights[:] = -1
        assert routines.shortest_lengths(*given, tnp.asarray(weights), tnp.asarray([3]))[1][0] == 1
