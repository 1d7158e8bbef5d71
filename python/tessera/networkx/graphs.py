"""Graphs of the backend: NetworkX's classes with a converted form beside the dictionaries."""

from __future__ import annotations

import weakref
from functools import cache
from typing import Any

import networkx as nx

from tessera._core import networks

# Where a graph keeps its converted form. NetworkX clears this cache whenever a method changes the graph.
_KEY = "tessera network"


class _Origin:
    """The dictionaries of a graph of NetworkX, without the graph: that keeps its conversion, so a reference would be a circle."""

    def __init__(self, graph: nx.Graph) -> None:
        self._whose, self.kind = weakref.ref(graph), type(graph)
        self.graph, self._node, self._adj = graph.graph, graph._node, graph._adj
        self._pred = graph._pred if graph.is_directed() else None
        self._kind = graph.is_directed(), graph.is_multigraph()

    def __getstate__(self) -> dict:
        return self.__dict__ | {"_whose": self._whose()}

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        whose = self._whose
        self._whose = (lambda: None) if whose is None else weakref.ref(whose)

    def original(self) -> nx.Graph | None:
        """The graph itself, if it is still there."""
        return self._whose()

    def is_directed(self) -> bool:
        return self._kind[0]

    def is_multigraph(self) -> bool:
        return self._kind[1]


def _fill(result: nx.Graph, origin: Any) -> None:
    """Copies nodes, edges and their attributes."""
    result.graph.update(origin.graph)
    result.add_nodes_from((node, dict(data)) for node, data in origin._node.items())
    rows = ((u, v, data) for u, row in origin._adj.items() for v, data in row.items())
    if origin.is_multigraph():
        result.add_edges_from((u, v, key, dict(data)) for u, v, keys in rows for key, data in keys.items())
    else:
        result.add_edges_from((u, v, dict(data)) for u, v, data in rows)


class _Converted:
    """What the four classes add: dictionaries that are copied from the converted graph when somebody asks for them."""

    __networkx_backend__ = "tessera"
    _origin: _Origin | None = None  # whose dictionaries are to be copied

    def __getstate__(self) -> dict:
        """Without the converted form, which is made again when it is needed."""
        kept = {key: value for key, value in (self.__networkx_cache__ or {}).items() if key != _KEY}
        return self.__dict__ | {"__networkx_cache__": kept}

    def _materialise(self) -> None:
        origin, self._origin = self._origin, None
        if origin is None:
            raise AttributeError("_adj")
        cache = self.__networkx_cache__
        kept = dict(cache) if cache else {}
        nx.Graph.__init__(self) if not self.is_directed() else nx.DiGraph.__init__(self)
        _fill(self, origin)
        self.__networkx_cache__ = kept


def _lazy(attribute: str) -> property:
    """A dictionary of NetworkX's that is made at the first access."""

    def read(self: Any) -> Any:
        if attribute not in self.__dict__:
            self._materialise()
        return self.__dict__[attribute]

    def write(self: Any, value: Any) -> None:
        for kind in type(self).__mro__:
            descriptor = kind.__dict__.get(attribute)
            if descriptor is not None and kind.__module__.startswith("networkx"):
                descriptor.__set__(self, value)  # also forgets the views of the old one
                return
        self.__dict__[attribute] = value

    return property(read, write)


class Graph(_Converted, nx.Graph):
    """`networkx.Graph` as the backend keeps it."""

    _adj = _lazy("_adj")
    _node = _lazy("_node")

    def to_directed_class(self):
        return DiGraph

    def to_undirected_class(self):
        return Graph


class DiGraph(_Converted, nx.DiGraph):
    """`networkx.DiGraph` as the backend keeps it."""

    _adj = _lazy("_adj")
    _succ = _lazy("_succ")
    _pred = _lazy("_pred")
    _node = _lazy("_node")

    def to_directed_class(self):
        return DiGraph

    def to_undirected_class(self):
        return Graph


class MultiGraph(_Converted, nx.MultiGraph):
    """`networkx.MultiGraph` as the backend keeps it."""

    _adj = _lazy("_adj")
    _node = _lazy("_node")

    def to_directed_class(self):
        return MultiDiGraph

    def to_undirected_class(self):
        return MultiGraph


class MultiDiGraph(_Converted, nx.MultiDiGraph):
    """`networkx.MultiDiGraph` as the backend keeps it."""

    _adj = _lazy("_adj")
    _succ = _lazy("_succ")
    _pred = _lazy("_pred")
    _node = _lazy("_node")

    def to_directed_class(self):
        return MultiDiGraph

    def to_undirected_class(self):
        return MultiGraph


_CLASSES = {
    (False, False): Graph,
    (True, False): DiGraph,
    (False, True): MultiGraph,
    (True, True): MultiDiGraph,
}


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


def from_networkx(graph: nx.Graph, attributes: dict | None) -> nx.Graph:
    """A graph of the backend with these edge attributes, a dictionary from names to defaults, as columns."""
    if reason := _overridden(type(graph)):
        raise NotImplementedError(reason)
    if hasattr(graph, "_graph"):  # a view: NetworkX does not clear its cache when the graph below changes
        graph.__networkx_cache__ = None
    result = object.__new__(_CLASSES[graph.is_directed(), graph.is_multigraph()])
    result.__dict__["graph"] = graph.graph
    result.__dict__["_origin"] = _Origin(graph if type(graph._adj) is dict else graph.copy())
    result.__dict__["__networkx_cache__"] = {_KEY: _convert(graph, attributes)}
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
    plain = {Graph: nx.Graph, DiGraph: nx.DiGraph, MultiGraph: nx.MultiGraph, MultiDiGraph: nx.MultiDiGraph}
    result = plain[_CLASSES[graph.is_directed(), graph.is_multigraph()]]()
    _fill(result, graph._origin or graph)
    return result


def network_of(graph: nx.Graph, *attributes: Any) -> Any:
    """The converted form with these edge attributes (None is none), converted now where it is not there yet."""
    names = [name for name in attributes if name is not None]
    cache = graph.__networkx_cache__
    network = cache.get(_KEY) if cache is not None else None
    if network is None or any(network.column_kind(name) is None for name in names):
        network = _convert(graph._origin or graph, dict.fromkeys(names, 1) if names else None)
        if cache is not None:
            cache[_KEY] = network
    return network


def reversible_network_of(graph: nx.Graph) -> Any:
    """The same with the predecessors in the order of NetworkX's dictionaries, for searches against the arcs."""
    network = network_of(graph)
    if not network.has_predecessors:
        network.read_predecessors(_dictionaries((graph._origin or graph)._pred))
    return network
