"""Fills graphs that are columns from edge lists, frames and matrices, in NetworkX's order, without dictionaries.

Each function is given a graph without nodes or edges, and says whether it could fill it; if not, the graph is as it was."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy


def fill(graph: Any, data: Any) -> bool:
    """From what the constructor of a graph is given; false where NetworkX's way must be gone."""
    if isinstance(data, numpy.ndarray):
        return array(graph, data, False, "weight", None)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return data.shape[0] != data.shape[1] and frame(graph, data, "source", "target", True)
    return hasattr(data, "tocoo") and sparse(graph, data, False, "weight")


def numbers(column: Any) -> tuple[str, Any] | None:
    """The kind of an array of numbers and its values in 64 bits; None where it has others than whole numbers, floats and truths."""
    kind = column.dtype.kind
    if kind not in "iufb" or column.dtype.itemsize > 8 or column.ndim != 1:
        return None
    if kind == "u" and column.dtype.itemsize == 8 and len(column) and column.max() >= 2**63:
        return None
    wide = numpy.ascontiguousarray(column, numpy.float64 if kind == "f" else numpy.int64)
    return ("i" if kind == "u" else kind), wide


def _values(column: Any) -> tuple[str, Any]:
    """The same of a column of a frame; of other values, a list of what iterating gives."""
    found = numbers(column.to_numpy()) if isinstance(column.dtype, numpy.dtype) else None
    return ("O", list(column)) if found is None else found


def frame(graph: Any, data: Any, source: Any, target: Any, edge_attr: Any) -> bool:
    """From columns of a frame of pandas or of tessera.pandas."""
    if not data.columns.is_unique:
        return False
    if edge_attr is True:
        names = [name for name in data.columns if name not in (source, target)]
    elif isinstance(edge_attr, list | tuple):
        names = list(edge_attr)
    else:
        names = [] if edge_attr is None else [edge_attr]
    wanted = {name: True for name in (source, target, *names)}
    if (edge_attr is not None and not names) or not all(name in data.columns for name in wanted):
        return False
    columns = [_values(data[name]) for name in (source, target, *names)]
    ends = [data if kind in "iO" else None for kind, data in columns[:2]]
    if ends[0] is None or ends[1] is None or len({kind for kind, _ in columns[:2]}) > 1:
        ends = [list(data[name]) for name in (source, target)]
    return graph._edges.add_columns(*ends, [(name, kind, values) for name, (kind, values) in zip(names, columns[2:])])


def _matrix(graph: Any, labels: Iterable, rows: Any, columns: Any, attributes: list, parallel: bool) -> bool:
    """From numbered places of a matrix; with `parallel`, the attribute says how many edges a place stands for."""
    if graph.is_multigraph() and parallel:
        name, _, counts = attributes[0]
        counts = numpy.maximum(counts, 0)
        rows, columns = numpy.repeat(rows, counts), numpy.repeat(columns, counts)
        attributes = [(name, "i", numpy.ones(len(rows), numpy.int64))]
    if graph.is_multigraph() and not graph.is_directed():
        upper = rows <= columns
        rows, columns = rows[upper], columns[upper]
        attributes = [(name, kind, numpy.ascontiguousarray(values[upper])) for name, kind, values in attributes]
    graph._edges.add_nodes(iter(labels))
    ends = [numpy.ascontiguousarray(each, numpy.int64) for each in (rows, columns)]
    return graph._edges.add_columns(*ends, attributes)


def sparse(graph: Any, matrix: Any, parallel_edges: bool, edge_attribute: Any) -> bool:
    """From a sparse matrix of SciPy: each stored place is an edge."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.format == "dok":
        return False
    if matrix.format in ("csr", "csc"):
        major = numpy.repeat(numpy.arange(len(matrix.indptr) - 1), numpy.diff(matrix.indptr))
        rows, columns = (major, matrix.indices) if matrix.format == "csr" else (matrix.indices, major)
        data = matrix.data
    else:
        places = matrix.tocoo()
        rows, columns, data = places.row, places.col, places.data
    found = numbers(data)
    if found is None or len(data) != len(rows):
        return False
    kind, values = found
    parallel = parallel_edges and matrix.dtype.kind in "iu"
    return _matrix(graph, range(matrix.shape[0]), rows, columns, [(edge_attribute, kind, values)], parallel)


def array(graph: Any, matrix: Any, parallel_edges: bool, edge_attr: Any, nodelist: Any) -> bool:
    """From a square array of NumPy: places that are not zero are edges."""
    if type(matrix) is not numpy.ndarray or matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        return False
    if nodelist is not None:
        return False
    rows, columns = matrix.nonzero()
    found = numbers(matrix[rows, columns])
    if found is None:
        return False
    kind, values = found
    named = edge_attr not in [False, None]
    parallel = parallel_edges and matrix.dtype.kind in "iu"
    if parallel and not named and graph.is_multigraph():
        return False
    attributes = [(edge_attr, kind, values)] if named else []
    return _matrix(graph, range(matrix.shape[0]), rows, columns, attributes, parallel)
