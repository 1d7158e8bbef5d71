"""What a Debian system rests on: the graph of which package depends on which, of all packages that apt knows or of those installed.

PageRank and betweenness find what most depends on, strong components the circles, Louvain the communities, and the layers of the
condensation what can be installed before what. The calls are NetworkX's; each runs natively and then in NetworkX.

    python examples/packages.py --sources 40
"""

import argparse
import re
import shutil
import subprocess
import time
from pathlib import Path

import _report
import networkx as nx
import numpy


def load_records(installed):
    """One dictionary of fields a package."""
    if not installed and shutil.which("apt-cache"):
        text = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout
    if installed or not shutil.which("apt-cache") or text.count("\nPackage:") < 1000:
        text = Path("/var/lib/dpkg/status").read_text(encoding="utf-8")
    for record in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in record.splitlines() if ": " in line and line[0] != " ")
        if "Package" in fields:
            yield fields


def names(field):
    """The alternatives of each dependency in a field such as `a (>= 1), b | c`."""
    for dependency in filter(str.strip, field.split(",")):
        yield [re.split(r"[\s(:\[]", each.strip(), maxsplit=1)[0] for each in dependency.split("|")]


def dependencies(records):
    """A graph with an arc to each package that another needs: the first alternative that there is, or that provides it."""
    packages = {fields["Package"]: fields for fields in records}
    providers = {}
    for name, fields in packages.items():
        for provided in names(fields.get("Provides", "")):
            providers.setdefault(provided[0], name)
    graph = nx.DiGraph()
    graph.add_nodes_from(packages)
    for name, fields in packages.items():
        for kind in ("Pre-Depends", "Depends"):
            for alternatives in names(fields.get(kind, "")):
                found = [each if each in packages else providers.get(each) for each in alternatives]
                chosen = next((each for each in found if each), None)
                if chosen and chosen != name:
                    graph.add_edge(name, chosen)
    return graph


def beside(label, function, graph, same, **arguments):
    """The native result; prints how long both took and fails where they differ."""
    results, seconds = [], []
    for backend in ("tessera", "networkx"):
        graph.__networkx_cache__.clear()
        begin = time.perf_counter()
        found = function(graph, backend=backend, **arguments)
        results.append(found if isinstance(found, dict) else list(found))
        seconds.append(time.perf_counter() - begin)
    if not same(*results):
        raise SystemExit(f"{label}: tessera and NetworkX differ")
    print(
        f"{label}: tessera {seconds[0]:.3f} s with conversion, NetworkX {seconds[1]:.3f} s, {seconds[1] / seconds[0]:.1f}x"
    )
    return results[0]


def close(left, right):
    return left.keys() == right.keys() and numpy.allclose(
        list(left.values()), [right[key] for key in left], rtol=1e-4, atol=1e-12
    )


def equal(left, right):
    return left == right


def as_good(graph):
    """Whether the first partition's modularity is at least 0.99 of the second's."""

    def same(ours, theirs):
        reached, other = (nx.community.modularity(graph, each, backend="tessera") for each in (ours, theirs))
        print(f"communities: modularity {reached:.4f}, NetworkX {other:.4f}")
        return reached >= 0.99 * other

    return same


def draw(graph, ranks, between, layers, communities, count):
    fig = _report.figure(12, 8)
    left, right = fig.subplots(1, 2)
    top = sorted(ranks, key=ranks.get, reverse=True)[:count]
    left.barh(top[::-1], [ranks[name] for name in top[::-1]])
    left.set(title="what all depends on", xlabel="PageRank")
    places = {name: layer for layer, each in enumerate(layers) for name in each}
    colours = {
        name: number for number, part in enumerate(sorted(communities, key=len, reverse=True)[:9]) for name in part
    }
    shown = [name for name in graph if graph.in_degree(name)]
    right.scatter(
        [places[name] for name in shown],
        [graph.in_degree(name) for name in shown],
        c=[colours.get(name, 9) for name in shown],
        s=[3 + 3e3 * between[name] ** 0.5 for name in shown],
        cmap="tab10",
        alpha=0.6,
        lw=0,
    )
    for name in top[:12]:
        right.annotate(name, (places[name], graph.in_degree(name)), fontsize=7)
    right.set(
        title="layers: what can be installed before what", xlabel="layer", ylabel="packages that need it", yscale="log"
    )
    _report.save(fig, "packages.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sources", type=int, default=20, help="nodes that betweenness is computed from")
    parser.add_argument("--installed", action="store_true", help="only the packages that are installed")
    args, _ = parser.parse_known_args()
    nx.config.warnings_to_ignore.add("cache")
    graph = dependencies(load_records(args.installed))
    print(f"{len(graph)} packages, {graph.size()} dependencies")
    ranks = beside("PageRank", nx.pagerank, graph, close)
    sources = min(args.sources, len(graph))
    between = beside(f"betweenness, {sources} sources", nx.betweenness_centrality, graph, close, k=sources, seed=1)
    circles = [part for part in beside("circles", nx.strongly_connected_components, graph, equal) if len(part) > 1]
    circles.sort(key=len, reverse=True)
    print(f"{len(circles)} circles, the largest: {', '.join(sorted(circles[0])[:8]) if circles else 'none'}")
    undirected = graph.to_undirected()
    beside("core numbers", nx.core_number, undirected, equal)
    communities = beside("communities", nx.community.louvain_communities, undirected, as_good(undirected), seed=1)
    whole = nx.condensation(graph, backend="tessera")
    needed_first = nx.reverse(whole, backend="tessera")
    layers = [
        [name for part in layer for name in whole.nodes[part]["members"]]
        for layer in beside("layers", nx.topological_generations, needed_first, equal)
    ]
    print(f"{len(layers)} layers, {len(communities)} communities")
    draw(graph, ranks, between, layers, communities, 25)


if __name__ == "__main__":
    main()
