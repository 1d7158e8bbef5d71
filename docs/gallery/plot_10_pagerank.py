"""
PageRank
========

Ranks of the pages of a small web that is made on the spot, by NetworkX with its backend ``tessera`` and without. The graph is converted once, in C++,
and the conversion is kept with the graph; the iteration runs over rows of neighbours instead of dictionaries.
"""

import time

import matplotlib.pyplot as plt
import networkx as nx
import numpy

nx.config.warnings_to_ignore.add("cache")  # the graph does not change between the calls
random = numpy.random.default_rng(5)
NODES, LINKS = 20_000, 160_000
# Links lead to low numbers more often than to high ones.
origins, targets = random.integers(0, NODES, LINKS), (NODES * random.random(LINKS) ** 3).astype(int)
web = nx.DiGraph(zip(origins.tolist(), targets.tolist(), strict=True))


def timed(**options):
    """Seconds and the ranks."""
    start = time.perf_counter()
    ranks = nx.pagerank(web, **options)
    return time.perf_counter() - start, ranks


first, ranks = timed(backend="tessera")
again, _ = timed(backend="tessera")
theirs, expected = timed(backend="networkx")
numpy.testing.assert_allclose([ranks[k] for k in web], [expected[k] for k in web], rtol=1e-5, atol=1e-9)
print(f"{web.number_of_nodes()} pages, {web.number_of_edges()} links")
print(f"tessera {first:.3f} s with the conversion, {again:.3f} s after it; NetworkX {theirs:.3f} s")

# %%

figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
axes.loglog(range(1, len(ranks) + 1), sorted(ranks.values(), reverse=True), lw=1)
axes.set(xlabel="place", ylabel="rank", title="few pages have most of the rank")
plt.show()
