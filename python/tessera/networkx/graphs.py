"""Graphs of the backend from NetworkX's and back, and their rows of neighbours."""

from __future__ import annotations

from functools import cache
from typing import Any

import networkx as nx

from tessera._core import networks
from tessera.networkx.classes import CLASSES, KEY, Converted, DiGraph, Graph, MultiDiGraph, MultiGraph, Origin, fill

__all__ = ["DiGraph", "Graph", "MultiDiGraph", "MultiGraph"]


def _dictionaries(adjacency: Any) -> dict:
    """Dictionaries of dictionaries, copied out of views where a graph has those."""
    if isinstance(adjacency, dict) and all(isinstance(row, dict) for row in adjacency.values()):
        return adjacency
    return {node: dict(row) for node, row in adjacency.items()}


def _convert(graph: nx.Graph, attributes: dict | None) -> Any:
    directed, multigraph = graph.is_directed(), graph.is_multigraph()
    adjacency = graph._adj if type(graph._adj) is dict else _dictionaries(graph._adj)
    try:
        return networks.convert(adjacency, directed, multigraph, attributes)
    except NotImplementedError:
        if all(isinstance(row, dict) for row in adjacency.values()):
            raise
        return networks.convert(_dictionaries(adjacency), directed, multigraph, attributes)


# What the algorithms of NetworkX ask of a graph, and the conversion answers from its dictionaries.
_ANSWERS = (
    "__contains__ __getitem__ __iter__ __len__ adj adjacency degree edges get_edge_data has_edge has_node in_degree in_edges "
    "is_directed is_multigraph nbunch_iter neighbors nodes number_of_edges number_of_nodes order out_degree out_edges pred "
    "predecessors size succ successors"
).split()


@cache
def _overridden(kind: type) -> str:
    """What a class answers in its own way, or nothing."""
    for name in _ANSWERS:
        for base in kind.__mro__:
            if name in base.__dict__:
                if not base.__module__.startswith(("networkx.classes.", "tessera.networkx.")):
                    return f"{kind.__name__}.{name} is not NetworkX's own"
                break
    return ""


# Functions that look through the dictionaries of an undirected graph once, and need no conversion for that.
WALKING = frozenset(("connected_components", "is_connected", "number_connected_components"))


def from_networkx(graph: nx.Graph, attributes: dict | None, name: str = "") -> nx.Graph:
    """A graph of the backend with these edge attributes, a dictionary from names to defaults, as columns. Without them if the function
    of this name is WALKING."""
    if reason := _overridden(type(graph)):
        raise NotImplementedError(reason)
    if hasattr(graph, "_graph"):  # a view: NetworkX does not clear its cache when the graph below changes
        graph.__networkx_cache__ = None
    result = object.__new__(CLASSES[graph.is_directed(), graph.is_multigraph()])
    result.__dict__["graph"] = graph.graph
    result.__dict__["_origin"] = Origin(graph if type(graph._adj) is dict else graph.copy())
    walks = name in WALKING and type(graph) is nx.Graph and type(graph._adj) is dict
    result.__dict__["__networkx_cache__"] = {} if walks else {KEY: _convert(graph, attributes)}
    return result


def unconverted(graph: nx.Graph) -> dict | None:
    """The dictionaries of a graph that was not converted for a function that is WALKING, the first time."""
    cache = graph.__networkx_cache__
    if cache or cache is None or graph._origin is None:
        return None
    cache["was walked"] = True
    return graph._origin._adj


def fresh(create_using: Any) -> nx.Graph:
    """A graph of the backend without nodes, for `create_using`: a class of NetworkX or the backend, or a graph of the backend."""
    if isinstance(create_using, Converted):
        create_using.clear()
        if create_using._edges is None:
            create_using._begin(create_using.graph)
        return create_using
    return class_for(nx.Graph if create_using is None else create_using)()


def class_for(kind: Any) -> type:
    """The backend's class for one of NetworkX's."""
    if isinstance(kind, type) and issubclass(kind, Converted):
        return kind
    for found in CLASSES.values():
        if kind is found._plain:
            return found
    raise NotImplementedError("create_using= is not a class of NetworkX")


def adopted(graph: Any) -> Any:
    """A graph that nobody else holds as one of the backend, with its dictionaries."""
    if isinstance(graph, Converted) or not isinstance(graph, nx.Graph):
        return graph
    result = class_for(type(graph))()
    result.graph, result._node, result._adj = graph.graph, graph._node, graph._adj
    if graph.is_directed():
        result._pred = graph._pred
    return result


def blank(graph: nx.Graph) -> nx.Graph:
    """A graph without nodes of the class that NetworkX's functions would give their results of this one."""
    kind = type(graph) if graph._origin is None else graph._origin.kind
    if not kind.__module__.startswith(("networkx.classes.", "tessera.networkx.")):
        raise NotImplementedError(f"the result would be a graph of the class {kind.__name__}")
    return kind()


def nodes_of(graph: nx.Graph) -> dict:
    """The attributes of each node, as they are in the graph of which this is the converted form."""
    return (graph._origin or graph)._node


def edges_of(graph: nx.Graph) -> dict:
    """The same of edges, by node and neighbour."""
    return (graph._origin or graph)._adj


def part(graph: nx.Graph, keep: Any) -> nx.Graph:
    """A copy of the graph with these nodes alone, as `graph.subgraph(keep).copy()`; `keep` is a set."""
    result = blank(graph)
    result.graph.update(graph.graph)
    for node, data in nodes_of(graph).items():
        if node in keep:
            result.add_node(node)
            result._node[node].update(data)
    rows, adjacency = edges_of(graph), result._adj
    into = result._pred if graph.is_directed() else adjacency
    multigraph, directed = graph.is_multigraph(), graph.is_directed()
    for node, row in adjacency.items():
        for other, data in rows[node].items():
            if other not in keep or (not directed and other in row):
                continue
            copy = {key: dict(each) for key, each in data.items()} if multigraph else dict(data)
            row[other] = into[other][node] = copy
    return result


def to_networkx(graph: nx.Graph) -> nx.Graph:
    """A graph of NetworkX's own class with copies of the dictionaries."""
    result = graph._plain()
    edges = graph.__dict__.get("_edges")
    if edges is None:
        fill(result, graph._origin or graph)
        return result
    result.graph.update(graph.graph)
    result._node, result._adj, predecessors = edges.dictionaries(False)
    if predecessors is not None:
        result._pred = predecessors
    return result


def network_of(graph: nx.Graph, *attributes: Any) -> Any:
    """The converted form with these edge attributes (None is none), converted now where it is not there yet."""
    names = [name for name in attributes if name is not None]
    cache = graph.__networkx_cache__
    network = cache.get(KEY) if cache is not None else None
    if network is None or any(network.column_kind(name) is None for name in names):
        attributes = dict.fromkeys(names, 1) if names else None
        edges = graph.__dict__.get("_edges")
        network = _convert(graph._origin or graph, attributes) if edges is None else edges.network(attributes)
        if cache is not None:
            cache[KEY] = network
    return network


def reversible_network_of(graph: nx.Graph) -> Any:
    """The same with the predecessors in the order of NetworkX's dictionaries, for searches against the arcs."""
    network = network_of(graph)
    if network.has_predecessors:
        return network
    edges = graph.__dict__.get("_edges")
    if edges is not None:
        edges.read_predecessors(network)
    else:
        network.read_predecessors(_dictionaries((graph._origin or graph)._pred))
    return network
