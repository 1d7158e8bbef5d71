"""Graphs from edge lists, frames and matrices, and back, without NetworkX's dictionaries."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy

from tessera._core import networks
from tessera.networkx import sources
from tessera.networkx.graphs import fresh, network_of


def _or_networkx(filled: bool, function: Any, graph: Any, *arguments: Any, **named: Any) -> Any:
    """The graph, filled by NetworkX's own function if it is not yet: that also knows which error is to be raised."""
    return graph if filled else function.orig_func(*arguments, create_using=graph, **named)


def from_edgelist(edgelist, create_using=None):
    graph = fresh(create_using)
    graph.add_edges_from(edgelist)
    return graph


def from_pandas_edgelist(df, source="source", target="target", edge_attr=None, create_using=None, edge_key=None):
    graph = fresh(create_using)
    filled = edge_key is None and sources.frame(graph, df, source, target, edge_attr)
    return _or_networkx(filled, nx.from_pandas_edgelist, graph, df, source, target, edge_attr, edge_key=edge_key)


def from_scipy_sparse_array(A, parallel_edges=False, create_using=None, edge_attribute="weight"):
    graph = fresh(create_using)
    filled = hasattr(A, "tocoo") and sources.sparse(graph, A, parallel_edges, edge_attribute)
    return _or_networkx(filled, nx.from_scipy_sparse_array, graph, A, parallel_edges, edge_attribute=edge_attribute)


def from_numpy_array(A, parallel_edges=False, create_using=None, edge_attr="weight", *, nodelist=None):
    graph = fresh(create_using)
    filled = sources.array(graph, A, parallel_edges, edge_attr, nodelist)
    return _or_networkx(filled, nx.from_numpy_array, graph, A, parallel_edges, edge_attr=edge_attr, nodelist=nodelist)


def to_pandas_edgelist(G, source="source", target="target", nodelist=None, dtype=None, edge_key=None):
    edges = G.__dict__.get("_edges")
    if edges is None or nodelist is not None or (edge_key is not None and G.is_multigraph()):
        return nx.to_pandas_edgelist.orig_func(G, source, target, nodelist, dtype, edge_key)
    import pandas

    columns = edges.list_columns()
    found = {}
    for name, ends in zip((source, target), columns):
        found[name] = numpy.frombuffer(ends, numpy.int64).copy() if isinstance(ends, bytes) and ends else list(ends)
    for name, what in ((source, "Source"), (target, "Target")):
        if any(name == each for each, _, _ in columns[2]):
            raise nx.NetworkXError(f"{what} name {name!r} is an edge attr name")
    for name, kind, data in columns[2]:
        form = numpy.float64 if kind == "f" else numpy.int64
        found[name] = numpy.frombuffer(data, form).copy() if isinstance(data, bytes) else data
    return pandas.DataFrame(found, dtype=dtype)


def to_numpy_array(G, nodelist=None, dtype=None, order=None, multigraph_weight=sum, weight="weight", nonedge=0.0):
    network = network_of(G, weight)
    chosen = network.labels if nodelist is None else nodelist
    if nodelist is not None:
        nodes = set(nodelist)
        if missing := nodes - set(network.labels):
            raise nx.NetworkXError(f"Nodes {missing} in nodelist is not in G")
        if len(nodes) < len(nodelist):
            raise nx.NetworkXError("nodelist contains duplicates.")
    result = numpy.full((len(chosen), len(chosen)), fill_value=nonedge, dtype=dtype, order=order)
    if result.dtype.names:
        raise NotImplementedError("dtype= has fields")
    if len(chosen) == 0 or network.edges == 0:
        return result
    offsets, targets, data, floats = networks.rows(network, weight)
    columns, values = numpy.frombuffer(targets, numpy.int32), numpy.frombuffer(data)
    if not floats and not (network.multigraph and weight is None):
        values = values.astype(numpy.int64)
    rows = numpy.repeat(numpy.arange(len(network)), numpy.diff(numpy.frombuffer(offsets, numpy.int64)))
    if nodelist is not None:
        place = numpy.full(len(network), -1)
        place[[network.index_of(node) for node in nodelist]] = numpy.arange(len(nodelist))
        rows, columns = place[rows], place[columns]
        kept = (rows >= 0) & (columns >= 0)
        if not kept.any():
            return result
        rows, columns, values = rows[kept], columns[kept], values[kept]
    result[rows, columns] = values
    return result
