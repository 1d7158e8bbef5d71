"""The backend's four classes of graphs: NetworkX's, with columns or a conversion in place of the dictionaries."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import networkx as nx
from networkx.classes.coreviews import AdjacencyView, MultiAdjacencyView

from tessera._core import networks
from tessera.networkx import sources

# Where a graph keeps its converted form. NetworkX clears this cache whenever a method changes the graph.
KEY = "tessera network"


class Origin:
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


def fill(result: nx.Graph, origin: Any) -> None:
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


class Converted:
    """What the four classes add: columns in place of dictionaries, which are made when somebody asks for them.

    A graph has one of three forms: dictionaries; edges as columns, to which nodes and edges are added as long as nobody reads more
    than counts; or the dictionaries of the graph of which it is the conversion."""

    __networkx_backend__ = "tessera"
    _origin: Origin | None = None  # whose dictionaries are to be copied
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
        kept = {key: value for key, value in (self.__networkx_cache__ or {}).items() if key != KEY}
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
        fill(result, origin)
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


class Graph(_OneEdge, Converted, nx.Graph):
    """`networkx.Graph` as the backend keeps it."""

    _plain = nx.Graph
    _adj = _Lazy("_adj")
    _node = _Lazy("_node")

    def to_directed_class(self):
        return DiGraph

    def to_undirected_class(self):
        return Graph


class DiGraph(_OneEdge, Converted, nx.DiGraph):
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


class MultiGraph(Converted, nx.MultiGraph):
    """`networkx.MultiGraph` as the backend keeps it."""

    _plain = nx.MultiGraph
    _adj = _Lazy("_adj")
    _node = _Lazy("_node")

    def to_directed_class(self):
        return MultiDiGraph

    def to_undirected_class(self):
        return MultiGraph


class MultiDiGraph(Converted, nx.MultiDiGraph):
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


CLASSES = {
    (False, False): Graph,
    (True, False): DiGraph,
    (False, True): MultiGraph,
    (True, True): MultiDiGraph,
}
