"""Shapes that break recursions and balances, and the same bits on any number of threads."""

import os
import random
import subprocess
import sys

import networkx as nx
import pytest

SAME = """
import networkx as nx, hashlib
g = nx.gnm_random_graph(3000, 20000, seed=5)
d = nx.gnm_random_graph(2000, 9000, seed=6, directed=True)
for k, (u, v, a) in enumerate(g.edges(data=True)): a["weight"] = 0.1 + k % 13
B = {"backend": "tessera"}
nx.config.warnings_to_ignore.add("cache")
found = [nx.pagerank(g, **B), nx.pagerank(d, **B), nx.betweenness_centrality(g, k=40, seed=1, **B),
         nx.betweenness_centrality(g, k=20, seed=1, weight="weight", **B), nx.clustering(g, weight="weight", **B),
         nx.clustering(d, **B), nx.triangles(g, **B), nx.closeness_centrality(d, **B), nx.core_number(g, **B),
         nx.katz_centrality(d, 0.01, **B), nx.square_clustering(g, **B), nx.community.louvain_communities(g, seed=2, **B)]
print(hashlib.sha256(repr(found).encode()).hexdigest())
"""


def test_threads_do_not_show_in_results():
    def digest(threads):
        env = {**os.environ, "TESSERA_CPUS": str(threads)}
        done = subprocess.run([sys.executable, "-c", SAME], capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert len({digest(threads) for threads in (1, 2, 3, 7)}) == 1


@pytest.fixture(scope="module")
def star():
    return nx.star_graph(1_000_000)


@pytest.fixture(scope="module")
def chain():
    return nx.path_graph(1_000_000, create_using=nx.DiGraph)


def test_a_star_of_a_million_leaves(star):
    assert nx.single_source_shortest_path_length(star, 1, backend="tessera")[1_000_000] == 2
    assert sum(nx.triangles(star, backend="tessera").values()) == 0
    assert set(nx.core_number(star, backend="tessera").values()) == {1}
    ranks = nx.pagerank(star, backend="tessera")
    assert ranks[0] > 0.4 and abs(sum(ranks.values()) - 1) < 1e-6
    assert list(nx.articulation_points(star, backend="tessera")) == [0]


def test_a_chain_of_a_million_arcs(chain):
    assert nx.single_source_shortest_path_length(chain, 0, backend="tessera")[999_999] == 999_999
    assert nx.number_strongly_connected_components(chain, backend="tessera") == 1_000_000
    assert list(nx.topological_sort(chain, backend="tessera")) == list(range(1_000_000))
    assert nx.dijkstra_path_length(chain, 0, 999_999, backend="tessera") == 999_999
    assert next(nx.dfs_postorder_nodes(chain, 0, backend="tessera")) == 999_999
    assert nx.bellman_ford_path_length(chain, 0, 999_999, backend="tessera") == 999_999


def test_louvain_finds_planted_communities_where_it_visits_neighbours_of_moved_nodes_alone():
    graph = nx.random_partition_graph([500] * 30, 0.05, 0.0002, seed=3)
    assert graph.number_of_edges() > 100_000
    planted = nx.community.modularity(graph, graph.graph["partition"], backend="tessera")
    found = nx.community.louvain_communities(graph, seed=1, backend="tessera")
    assert len(found) == 30
    assert nx.community.modularity(graph, found, backend="tessera") >= 0.999 * planted


def test_louvain_leaves_a_generator_as_networkx_does():
    graph, generators = nx.gnm_random_graph(300, 900, seed=2), [random.Random(5), random.Random(5)]
    found = [
        nx.community.louvain_communities(graph, seed=generator, backend=backend)
        for generator, backend in zip(generators, ["networkx", "tessera"])
    ]
    assert found[0] == found[1] and generators[0].random() == generators[1].random()
