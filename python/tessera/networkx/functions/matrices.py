"""Matrices of graphs, and what SciPy computes on them."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy

from tessera._core import networks
from tessera.networkx.graphs import network_of


def _csr(network: Any, weight: Any, dtype: Any) -> Any:
    from scipy import sparse

    offsets, targets, data, floats = networks.rows(network, weight)
    numbers = numpy.frombuffer(data)
    if dtype is None:
        dtype = numbers.dtype if floats else numpy.dtype(int)
    n = len(network)
    rows = sparse.csr_array(
        (
            numbers.astype(dtype),
            numpy.frombuffer(targets, numpy.int32).copy(),
            numpy.frombuffer(offsets, numpy.int64).astype(numpy.int32 if len(numbers) < 2**31 else numpy.int64),
        ),
        shape=(n, n),
    )
    rows.sort_indices()
    return rows


def _typed(found: Any, network: Any, weight: Any) -> Any:
    """The matrix in the type that NetworkX's gets from the list of weights."""
    if found.nnz == 0:
        return found.astype(float)
    if weight is None or network.column_kind(weight) != "booleans":
        return found
    # NetworkX takes loops of undirected graphs once by adding their negatives.
    loops = not network.directed and found.diagonal().any()
    return found.astype(int if loops else bool)


def to_scipy_sparse_array(G, nodelist=None, dtype=None, weight="weight", format="csr"):
    network = network_of(G, weight)
    if len(network) == 0:
        raise nx.NetworkXError("Graph has no nodes or edges")
    found = _csr(network, weight, dtype)
    if nodelist is not None and list(nodelist) != network.labels:
        nodelist = list(nodelist)
        if not nodelist:
            raise nx.NetworkXError("nodelist has no nodes")
        for node in nodelist:
            if network.index_of(node) < 0:
                raise nx.NetworkXError(f"Node {node} in nodelist is not in G")
        if len(set(nodelist)) != len(nodelist):
            raise nx.NetworkXError("nodelist contains duplicates.")
        order = [network.index_of(node) for node in nodelist]
        found = found[order, :][:, order]
    if dtype is None:
        found = _typed(found, network, weight)
    try:
        return found.asformat(format)
    except ValueError as problem:
        raise nx.NetworkXError(f"Unknown sparse matrix format: {format}") from problem


def adjacency_matrix(G, nodelist=None, dtype=None, weight="weight"):
    return to_scipy_sparse_array(G, nodelist=nodelist, dtype=dtype, weight=weight)


def hits(G, max_iter=100, tol=1.0e-8, nstart=None, normalized=True):
    from scipy.sparse import linalg

    network = network_of(G, "weight")
    if len(network) == 0:
        return {}, {}
    A = _csr(network, "weight", float)
    if nstart is not None:
        nstart = numpy.array(list(nstart.values()))
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    try:
        _, _, vt = linalg.svds(A, k=1, v0=nstart, maxiter=max_iter, tol=tol)
    except linalg.ArpackNoConvergence as problem:
        raise nx.PowerIterationFailedConvergence(max_iter) from problem
    a = vt.flatten().real
    h = A @ a
    if normalized:
        h /= h.sum()
        a /= a.sum()
    return dict(zip(network.labels, h.tolist())), dict(zip(network.labels, a.tolist()))


def google_matrix(G, alpha=0.85, personalization=None, nodelist=None, weight="weight", dangling=None):
    network = network_of(G, weight)
    n = len(network)
    labels = network.labels if nodelist is None else list(nodelist)
    if n == 0:
        return numpy.zeros((0, 0))
    A = to_scipy_sparse_array(G, nodelist=labels, dtype=float, weight=weight).toarray()
    p = numpy.repeat(1.0 / n, n)
    if personalization is not None:
        p = numpy.array([personalization.get(label, 0) for label in labels], dtype=float)
        if p.sum() == 0:
            raise ZeroDivisionError
        p /= p.sum()
    passed_on = p
    if dangling is not None:
        passed_on = numpy.array([dangling.get(label, 0) for label in labels], dtype=float)
        passed_on /= passed_on.sum()
    A[numpy.where(A.sum(axis=1) == 0)[0]] = passed_on
    A /= A.sum(axis=1)[:, numpy.newaxis]
    return alpha * A + (1 - alpha) * p
