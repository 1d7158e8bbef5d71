"""The entry point `networkx.backends`: what NetworkX's dispatcher asks of a backend."""

from __future__ import annotations

import functools
import importlib
import time
from collections.abc import Callable, Iterable
from typing import Any

import networkx as nx

from tessera import _fallback
from tessera.networkx import costs, generators, report, rules
from tessera.networkx.table import FUNCTIONS


class NetworkXFallbackError(RuntimeError):
    """A call would run in NetworkX while TESSERA_FALLBACK=error forbids that."""

    __module__ = "tessera.networkx"


def _forbid(name: str, reason: str) -> None:
    # Not an AttributeError or NotImplementedError: on those, NetworkX tries itself next.
    if _fallback.fallback_mode() == "error" and "tessera" in nx.config.backend_priority.get(
        name, nx.config.backend_priority.algos
    ):
        raise NetworkXFallbackError(
            f"networkx.{name} would run in NetworkX: {reason}; TESSERA_FALLBACK=error forbids it"
        )


# Of graphs that begin at one node, or compute for some, where the node is among the arguments.
_SOME_NODES = {"closeness_centrality": ("u", 1), "eccentricity": ("v", 1), "harmonic_centrality": ("nbunch", 1)}
_SOME_NODES |= dict.fromkeys(
    ("jaccard_coefficient", "adamic_adar_index", "resource_allocation_index", "preferential_attachment"), ("ebunch", 1)
)
_SOME_NODES |= {"betweenness_centrality": ("k", 1), "edge_betweenness_centrality": ("k", 1)}


# For one path NetworkX searches from both ends.
_PAIRS = frozenset(("shortest_path", "shortest_path_length"))
_PATH = costs.WORKS["local"]


_WORK = {name: costs.WORKS[function.work] for name, function in FUNCTIONS.items()}
_REFUSING = {name: function for name, function in FUNCTIONS.items() if function.refusals or function.kinds}


_config = nx.config.backends.tessera


def _own_graph(args: tuple, kwargs: dict[str, Any]) -> bool:
    """Whether the call is for a graph that was made by the backend, not converted for the call: NetworkX does not convert those."""
    graph = args[0] if args else kwargs.get("G", kwargs.get("B"))
    if isinstance(graph, list | tuple) and graph:
        graph = graph[0]
    return getattr(graph, "__networkx_backend__", "") == "tessera" and graph._origin is None


def _guarded(name: str, function: Callable) -> Callable:
    """The function, which leaves odd arguments to NetworkX, whose answer to them or error is its own. Where graphs of the backend
    are given, which NetworkX does not convert, its own function is called: they are graphs of NetworkX as well."""
    described = _REFUSING.get(name)
    odd = rules.odd_arguments(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            if described is not None and _own_graph(args, kwargs):
                reason = rules.refusal(described, args, kwargs)
                if reason is not None:
                    raise NotImplementedError(reason)
            for parameter, position, is_odd, reason in odd:
                value = args[position] if len(args) > position else kwargs.get(parameter)
                if value is not None and is_odd(value):
                    raise NotImplementedError(f"{parameter}= {reason}")
            return function(*args, **kwargs)
        except NotImplementedError as problem:
            if _own_graph(args, kwargs):
                return _in_networkx(name, str(problem), args, kwargs)
            report.refused(name, str(problem))
            _forbid(name, str(problem))
            raise

    return call


def _in_networkx(name: str, reason: str, args: tuple, kwargs: dict[str, Any]) -> Any:
    report.refused(name, reason)
    if _fallback.fallback_mode() == "error":
        raise NetworkXFallbackError(
            f"networkx.{name} would run in NetworkX: {reason}; TESSERA_FALLBACK=error forbids it"
        )
    return nx.utils.backends._registered_algorithms[name].orig_func(*args, **kwargs)


class _Native:
    """A function of the backend until it is first asked for; then it is an attribute, unless calls are recorded."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        function = _CLASSES.get(self.name)
        if function is None:
            module = importlib.import_module(f"tessera.networkx.functions.{FUNCTIONS[self.name].module}")
            function = _guarded(self.name, getattr(module, self.name))
        if report.recording():
            return report.timed(self.name, function)
        instance.__dict__[self.name] = function
        return function


def _other(name: str, /, *args: Any, **kwargs: Any) -> Any:
    """A function without a native form: NetworkX's own, for graphs of the backend."""
    return _in_networkx(name, NO_FORM, args, kwargs)


NO_FORM = "there is no native form of it"


class Backend:
    """Has functions by NetworkX's names, and says which calls can and should run here."""

    def can_run(self, name: str, args: tuple, kwargs: dict[str, Any]) -> bool | str:
        """True, or why the call runs in NetworkX."""
        function = _REFUSING.get(name)
        if function is None:
            if name in _HERE or _own_graph(args, kwargs):
                return True
            reason = generators.refusal(name, args, kwargs) if name in generators.NAMES else NO_FORM
            if reason is None:
                return True
        else:
            reason = rules.refusal(function, args, kwargs)
            if reason is None or _own_graph(args, kwargs):
                return True
        report.refused(name, reason)
        _forbid(name, reason)
        return reason

    def should_run(self, name: str, args: tuple, kwargs: dict[str, Any]) -> bool | str:
        """True, or why NetworkX is likely to be quicker."""
        work = _WORK.get(name)
        if work is None:
            return True
        graph = args[0] if args else kwargs["G"] if "G" in kwargs else kwargs["B"]
        if name in _PAIRS and rules.is_pair(args, kwargs):
            work = _PATH
        some = _SOME_NODES.get(name)
        few = some is not None and (args[some[1]] if len(args) > some[1] else kwargs.get(some[0])) is not None
        reason = costs.hesitation(work, graph, few)
        return True if reason is None or _config.always else reason

    def convert_from_nx(
        self,
        graph: Any,
        *,
        edge_attrs: dict | None = None,
        node_attrs: dict | None = None,
        preserve_edge_attrs: bool = False,
        preserve_node_attrs: bool = False,
        preserve_graph_attrs: bool = False,
        name: str = "",
        graph_name: str = "",
    ) -> Any:
        """A graph of the backend. Attributes that are not columns are read from `graph` if they are asked for."""
        from tessera.networkx import graphs

        begin = time.perf_counter()
        result = graphs.from_networkx(graph, edge_attrs, name)
        report.converted(name, time.perf_counter() - begin)
        return result

    def on_start_tests(self, items: Iterable) -> None:
        """Marks those of NetworkX's tests that no backend can pass."""
        import pytest

        for item in items:
            if item.name == "test_not_implemented_by_nx":
                reason = "the test makes a function of its own, which no backend has"
                item.add_marker(pytest.mark.xfail(reason=reason, strict=False))

    def convert_to_nx(self, result: Any, *, name: str = "") -> Any:
        """NetworkX's own form of a result of the backend."""
        from tessera.networkx import graphs

        return graphs.to_networkx(result) if getattr(result, "__networkx_backend__", "") == "tessera" else result


def _class(name: str) -> Callable:
    def make(cls: type, *args: Any, **kwargs: Any) -> Any:
        from tessera.networkx import graphs

        return object.__new__(getattr(graphs, name))

    return make


_CLASSES = {f"{name.lower()}__new__": _class(name) for name in ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph")}

_HERE = frozenset((*FUNCTIONS, *_CLASSES))
for _name in _HERE:
    setattr(Backend, _name, _Native(_name))
for _name in nx.utils.backends._registered_algorithms:
    if _name not in _HERE and "networkx" in nx.utils.backends._registered_algorithms[_name].backends:
        _form = generators.make if _name in generators.NAMES else _other
        setattr(Backend, _name, functools.partial(_form, _name))


class _Watching(Backend):
    """The same while calls are recorded or may not run in NetworkX: also notes what NetworkX is quicker in."""

    def should_run(self, name: str, args: tuple, kwargs: dict[str, Any]) -> bool | str:
        found = super().should_run(name, args, kwargs)
        if found is True or _fallback.fallback_mode() == "error":
            return True
        report.refused(name, found)
        return found


backend = Backend()


def _answers() -> tuple[Callable, Callable]:
    """`can_run` and `should_run`, which NetworkX calls each time, with a quick way for what is known at once."""
    from tessera._core import networks

    classes = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
    refusals = {name: rules.refusals(_REFUSING[name], classes) if name in _REFUSING else False for name in _HERE}
    works = {name: (work, *_SOME_NODES.get(name, (None, 0)), name in _PAIRS) for name, work in _WORK.items()}
    ours = functools.partial(Backend.can_run, backend), functools.partial(Backend.should_run, backend)
    return networks.answers((refusals, works, _PATH, classes, _config, NO_FORM, costs.REASONS, *ours))


def watch() -> None:
    """Follows the mode of fallbacks and the report."""
    watching = report.recording() or _fallback.fallback_mode() == "error"
    backend.__class__ = _Watching if watching else Backend
    backend.__dict__.clear()
    if not watching:
        backend.__dict__["can_run"], backend.__dict__["should_run"] = _answers()


report.on_start.append(watch)
_fallback.on_change.append(watch)
watch()
