"""Graphs of the backend: NetworkX's classes with a converted form beside the dictionaries."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import networkx as nx
from networkx.classes.coreviews import AdjacencyView, MultiAdjacencyView

from tessera._core import networks
from tessera.networkx import sources

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
    """Copies nodes, edges and their attributes, in their order."""
    result.graph.update(origin.graph)
    multigraph, directed = origin.is_multigraph(), origin.is_directed()
    rows: dict[Any, dict] = {}

    def copied(u: Any, v: Any, data: Any) -> dict:
        if not directed and v in rows and u in rows[v]:
            return rows[v][u]  # both ends of an edge have one dictionary
        return {key: dict(each) for key, each in data.items()} if multigraph else dict(data)

    for u, row in origin._adj.items():
        rows[u] = {}
        for v, data in row.items():
            rows[u][v] = copied(u, v, data)
    result._node = {node: dict(data) for node, data in origin._node.items()}
    result._adj = rows
    if directed:
        result._pred = {v: {u: rows[u][v] for u in row} for v, row in origin._pred.items()}


class _Lazy:
    """A dictionary of NetworkX's that is made at the first access; from then on the instance has it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, graph: Any, owner: type) -> Any:
        if graph is None:
            return self
        graph._materialise()
        return graph.__dict__[self.name]


class _Rows(AdjacencyView):
    """`G.adj` of a graph that is columns until something is read from it."""

    __slots__ = ("_graph",)

    def __init__(self, graph: Any) -> None:
        self._graph = graph

    @property
    def _atlas(self) -> dict:
        return self._graph._adj

    def __reduce__(self) -> tuple:
        return AdjacencyView, (self._atlas,)


class _ParallelRows(MultiAdjacencyView):
    """The same of a multigraph."""

    __slots__ = ("_graph",)
    __init__, _atlas = _Rows.__init__, _Rows._atlas

    def __reduce__(self) -> tuple:
        return MultiAdjacencyView, (self._atlas,)


class _Adjacency:
    """`G.adj`: NetworkX asks every graph to be filled whether it has that."""

    def __get__(self, graph: Any, owner: type) -> Any:
        if graph is None:
            return self
        if graph._edges is None:
            return graph._plain.adj.__get__(graph, owner)
        return (_ParallelRows if graph.is_multigraph() else _Rows)(graph)


# What a graph keeps of one form and not of another.
_FORMS = ("_adj", "_succ", "_pred", "_node", "_origin")
_VIEWS = tuple("adj edges nodes degree succ pred out_edges in_edges out_degree in_degree".split())
# NetworkX's own descriptors forget the views of a dictionary when another takes its place.
_ASSIGN = {
    (kind, name): next(base.__dict__[name] for base in kind.__mro__ if name in base.__dict__).__set__
    for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
    for name in ("_adj", "_succ", "_pred", "_node")
    if hasattr(kind, name)
}


class _Converted:
    """What the four classes add: columns in place of dictionaries, which are made when somebody asks for them.

    A graph has one of three forms: dictionaries; edges as columns, to which nodes and edges are added as long as nobody reads more
    than counts; or the dictionaries of the graph of which it is the conversion."""

    __networkx_backend__ = "tessera"
    _origin: _Origin | None = None  # whose dictionaries are to be copied
    _edges: Any = None  # the columns
    _plain: type
    adj = _Adjacency()

    def __init__(self, incoming_graph_data: Any = None, multigraph_input: bool | None = None, **attr: Any) -> None:
        if multigraph_input is not None:
            if not self.is_multigraph():  # an attribute of the graph
                attr["multigraph_input"] = multigraph_input
            elif isinstance(incoming_graph_data, dict):
                self._plain.__init__(self, incoming_graph_data, multigraph_input, **attr)
                return
        self._begin({})
        attr.pop("backend", None)
        if incoming_graph_data is not None and not sources.fill(self, incoming_graph_data):
            if self.is_multigraph() and isinstance(incoming_graph_data, dict):
                self._plain.__init__(self, incoming_graph_data, multigraph_input, **attr)
                return
            nx.convert.to_networkx_graph(incoming_graph_data, create_using=self)
        self.graph.update(attr)

    def _begin(self, attributes: dict) -> None:
        """Becomes a graph without nodes."""
        for name in _FORMS + _VIEWS:
            self.__dict__.pop(name, None)
        edges = networks.Edges(self.is_directed(), self.is_multigraph())
        self.__dict__.update(graph=attributes, _edges=edges, __networkx_cache__={})

    def __setattr__(self, name: str, value: Any) -> None:
        assign = _ASSIGN.get((self._plain, name))
        if assign is None:
            object.__setattr__(self, name, value)
            return
        if self._edges is not None or self._origin is not None:
            self._materialise()
        assign(self, value)

    def __getstate__(self) -> dict:
        """Without the converted form, which is made again when it is needed."""
        if self._edges is not None:
            self._materialise()
        kept = {key: value for key, value in (self.__networkx_cache__ or {}).items() if key != _KEY}
        return self.__dict__ | {"__networkx_cache__": kept}

    def _materialise(self) -> None:
        state = self.__dict__
        if self._edges is not None:
            nodes, successors, predecessors = self._edges.dictionaries(True)
            state["_edges"] = None
            state["_node"], state["_adj"] = nodes, successors
            if predecessors is not None:
                state["_succ"], state["_pred"] = successors, predecessors
            return
        origin = state.pop("_origin", None)
        if origin is None:
            raise AttributeError("_adj")
        result = self._plain()
        _fill(result, origin)
        state.update({name: value for name, value in result.__dict__.items() if name in _FORMS})
        state["graph"] = result.graph

    # What is answered from the columns.

    def __len__(self) -> int:
        return len(self._adj) if self._edges is None else len(self._edges)

    def __iter__(self) -> Iterator:
        return iter(self._node if self._edges is None else self._edges.labels)

    def __contains__(self, n: Any) -> bool:
        try:
            return n in (self._node if self._edges is None else self._edges)
        except TypeError:
            return False

    has_node = __contains__

    def number_of_nodes(self) -> int:
        return len(self)

    order = number_of_nodes

    def size(self, weight: Any = None) -> Any:
        return self._plain.size(self, weight) if self._edges is None or weight is not None else self._edges.edges

    def number_of_edges(self, u: Any = None, v: Any = None) -> int:
        return self._plain.number_of_edges(self, u, v) if self._edges is None or u is not None else self._edges.edges

    # What is added to the columns.

    def add_node(self, node_for_adding: Any, **attr: Any) -> None:
        if self._edges is None or attr or self._edges.add_nodes(iter((node_for_adding,))):
            self._plain.add_node(self, node_for_adding, **attr)
        else:
            _forget(self)

    def add_nodes_from(self, nodes_for_adding: Iterable, **attr: Any) -> None:
        if self._edges is None or attr:
            self._plain.add_nodes_from(self, nodes_for_adding, **attr)
            return
        nodes = iter(nodes_for_adding)
        try:
            rest = self._edges.add_nodes(nodes)
        finally:
            _forget(self)
        if rest:
            self._plain.add_nodes_from(self, itertools.chain(rest, nodes))

    def add_edges_from(self, ebunch_to_add: Iterable, **attr: Any) -> Any:
        multigraph, columns = self.is_multigraph(), self._edges
        if columns is None or (multigraph and columns.size):
            return self._plain.add_edges_from(self, ebunch_to_add, **attr)
        edges = iter(ebunch_to_add)
        try:
            rest = columns.add_edges(edges, attr)
        finally:
            _forget(self)
        keys = columns.keys() if multigraph else None
        if rest:
            further = self._plain.add_edges_from(self, itertools.chain(rest, edges), **attr)
            return keys + further if multigraph else None
        return keys

    def clear(self) -> None:
        if self._edges is None:
            self._plain.clear(self)
        else:
            self.graph.clear()
            self._begin(self.graph)

    def copy(self, as_view: bool = False) -> Any:
        if self._edges is None or as_view:
            return self._plain.copy(self, as_view)
        result = self.__class__()
        result.graph.update(self.graph)
        result._edges = self._edges.copy()
        return result


def _forget(graph: Any) -> None:
    """What was derived from the graph before it changed."""
    if graph.__networkx_cache__:
        graph.__networkx_cache__.clear()


class _OneEdge:
    """`add_edge` where an edge has no key."""

    def add_edge(self: Any, u_of_edge: Any, v_of_edge: Any, **attr: Any) -> None:
        if self._edges is None or not self._edges.add_edge(u_of_edge, v_of_edge, attr):
            self._plain.add_edge(self, u_of_edge, v_of_edge, **attr)
        else:
            _forget(self)


class Graph(_OneEdge, _Converted, nx.Graph):
    """`networkx.Graph` as the backend keeps it."""

    _plain = nx.Graph
    _adj = _Lazy("_adj")
    _node = _Lazy("_node")

    def to_directed_class(self):
        return DiGraph

    def to_undirected_class(self):
        return Graph


class DiGraph(_OneEdge, _Converted, nx.DiGraph):
    """`networkx.DiGraph` as the backend keeps it."""

    _plain = nx.DiGraph
    _adj = _Lazy("_adj")
    _succ = _Lazy("_succ")
    _pred = _Lazy("_pred")
    _node = _Lazy("_node")

    def to_directed_class(self):
        return DiGraph

    def to_undirected_class(self):
        return Graph


class MultiGraph(_Converted, nx.MultiGraph):
    """`networkx.MultiGraph` as the backend keeps it."""

    _plain = nx.MultiGraph
    _adj = _Lazy("_adj")
    _node = _Lazy("_node")

    def to_directed_class(self):
        return MultiDiGraph

    def to_undirected_class(self):
        return MultiGraph


class MultiDiGraph(_Converted, nx.MultiDiGraph):
    """`networkx.MultiDiGraph` as the backend keeps it."""

    _plain = nx.MultiDiGraph
    _adj = _Lazy("_adj")
    _succ = _Lazy("_succ")
    _pred = _Lazy("_pred")
    _node = _Lazy("_node")

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


def fresh(create_using: Any) -> nx.Graph:
    """A graph of the backend without nodes, for `create_using`: a class of NetworkX or the backend, or a graph of the backend."""
    if isinstance(create_using, _Converted):
        create_using.clear()
        if create_using._edges is None:
            create_using._begin(create_using.graph)
        return create_using
    return class_for(nx.Graph if create_using is None else create_using)()


def class_for(kind: Any) -> type:
    """The backend's class for one of NetworkX's."""
    if isinstance(kind, type) and issubclass(kind, _Converted):
        return kind
    for found in _CLASSES.values():
        if kind is found._plain:
            return found
    raise NotImplementedError("create_using= is not a class of NetworkX")


def adopted(graph: Any) -> Any:
    """A graph that nobody else holds as one of the backend, with its dictionaries."""
    if isinstance(graph, _Converted) or not isinstance(graph, nx.Graph):
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
        _fill(result, graph._origin or graph)
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
    network = cache.get(_KEY) if cache is not None else None
    if network is None or any(network.column_kind(name) is None for name in names):
        attributes = dict.fromkeys(names, 1) if names else None
        edges = graph.__dict__.get("_edges")
        network = _convert(graph._origin or graph, attributes) if edges is None else edges.network(attributes)
        if cache is not None:
            cache[_KEY] = network
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
