"""The entry point `networkx.backends`: what NetworkX's dispatcher asks of a backend."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import networkx as nx

from tessera._fallback import fallback_mode
from tessera.networkx import costs, report, rules
from tessera.networkx.table import FUNCTIONS


class NetworkXFallbackError(RuntimeError):
    """A call would run in NetworkX while TESSERA_FALLBACK=error forbids that."""

    __module__ = "tessera.networkx"


def _forbid(name: str, reason: str) -> None:
    # Not an AttributeError or NotImplementedError: on those, NetworkX tries itself next.
    if fallback_mode() == "error" and "tessera" in nx.config.backend_priority.get(
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


_WORK = {name: costs.WORK[function.work] for name, function in FUNCTIONS.items()}
_REFUSING = {name: function for name, function in FUNCTIONS.items() if function.refusals or function.kinds}

# Of NetworkX's tests, and why they fail here.
_TESTS = {"test_topological_sort6": "a graph that changes while a generator runs was converted before"}


class Backend:
    """Looks functions up by NetworkX's names, and says which calls can and should run here."""

    def __getattr__(self, name: str) -> Callable:
        """Of functions that were not asked for before: the others are attributes, unless their calls are recorded."""
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        function = self._find(name)
        if report.recording():
            return report.timed(name, function)
        self.__dict__[name] = function
        return function

    def _find(self, name: str) -> Callable:
        if name in _CLASSES:
            function = _CLASSES[name]
        elif name in FUNCTIONS:
            module = importlib.import_module(f"tessera.networkx.functions.{FUNCTIONS[name].module}")
            function = getattr(module, name)
        else:
            if name in nx.utils.backends._registered_algorithms:
                reason = "there is no native form of it"
                report.refused(name, reason)
                _forbid(name, reason)
            raise AttributeError(f"the backend tessera has no function {name!r}")
        return function

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
        few = False
        if name in _SOME_NODES:
            parameter, position = _SOME_NODES[name]
            few = (args[position] if len(args) > position else kwargs.get(parameter)) is not None
        reason = costs.hesitation(work, args[0] if args else kwargs["G"], few)
        if reason is None or fallback_mode() == "error" or nx.config.backends.tessera.always:
            return True
        report.refused(name, reason)
        return reason

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

    def on_start_tests(self, items: list) -> None:
        """Marks those of NetworkX's tests that cannot hold for a backend that converts."""
        import pytest

        for item in items:
            if item.name in _TESTS:
                item.add_marker(pytest.mark.xfail(reason=_TESTS[item.name]))


def _class(name: str) -> Callable:
    def make(cls: type, *args: Any, **kwargs: Any) -> Any:
        from tessera.networkx import graphs

        return object.__new__(getattr(graphs, name))

    return make


_CLASSES = {f"{name.lower()}__new__": _class(name) for name in ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph")}

backend = Backend()
