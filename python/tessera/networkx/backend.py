"""The entry point `networkx.backends`: what NetworkX's dispatcher asks of a backend."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import networkx as nx

from tessera import _fallback
from tessera.networkx import costs, report, rules
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


_WORK = {name: costs.WORKS[function.work] for name, function in FUNCTIONS.items()}
_REFUSING = {name: function for name, function in FUNCTIONS.items() if function.refusals or function.kinds}


_config = nx.config.backends.tessera


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
            function = getattr(module, self.name)
        if report.recording():
            return report.timed(self.name, function)
        instance.__dict__[self.name] = function
        return function


class Backend:
    """Has functions by NetworkX's names, and says which calls can and should run here.

    NetworkX asks at every call whether a function is there: without `__getattr__` "no" costs least."""

    def can_run(self, name: str, args: tuple, kwargs: dict[str, Any]) -> bool | str:
        """True, or why the call runs in NetworkX."""
        function = _REFUSING.get(name)
        if function is None:
            return True
        reason = rules.refusal(function, args, kwargs)
        if reason is None:
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
        if len(graph._adj) < work.fewest:
            reason = costs.FEW
        else:
            some = _SOME_NODES.get(name)
            few = some is not None and (args[some[1]] if len(args) > some[1] else kwargs.get(some[0])) is not None
            found = costs.hesitation(work, graph, few)
            if found is None:
                return True
            reason = found
        return True if _config.always else reason

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
        result = graphs.from_networkx(graph, edge_attrs)
        report.converted(name, time.perf_counter() - begin)
        return result

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

for _name in (*FUNCTIONS, *_CLASSES):
    setattr(Backend, _name, _Native(_name))


class _Watching(Backend):
    """The same while calls are recorded or may not run in NetworkX: also notes what is not there."""

    def should_run(self, name: str, args: tuple, kwargs: dict[str, Any]) -> bool | str:
        found = super().should_run(name, args, kwargs)
        if found is True or _fallback.fallback_mode() == "error":
            return True
        report.refused(name, found)
        return found

    def __getattr__(self, name: str) -> Any:
        if name in nx.utils.backends._registered_algorithms:
            reason = "there is no native form of it"
            report.refused(name, reason)
            _forbid(name, reason)
        raise AttributeError(f"the backend tessera has no function {name!r}")


backend = Backend()


def watch() -> None:
    """Follows the mode of fallbacks and the report."""
    watching = report.recording() or _fallback.fallback_mode() == "error"
    backend.__class__ = _Watching if watching else Backend
    backend.__dict__.clear()


report.on_start.append(watch)
_fallback.on_change.append(watch)
watch()
