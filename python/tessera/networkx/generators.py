"""NetworkX's generators and readers, which fill a graph of the backend in place of one of NetworkX's."""

from __future__ import annotations

import inspect
from typing import Any

import networkx as nx

from tessera.networkx.table import FUNCTIONS

_ALL = nx.utils.backends._registered_algorithms
# Of those whose graph is no nx.Graph unless create_using= says so.
_KINDS: dict[str, str] = dict.fromkeys(
    (
        "configuration_model margulis_gabber_galil_graph chordal_cycle_graph random_clustered_graph bipartite_configuration_model "
        "bipartite_havel_hakimi_graph reverse_havel_hakimi_graph alternating_havel_hakimi_graph preferential_attachment_graph"
    ).split(),
    "MultiGraph",
)
_KINDS |= dict.fromkeys(("directed_havel_hakimi_graph", "gn_graph", "gnr_graph", "gnc_graph", "paley_graph"), "DiGraph")
_KINDS["directed_configuration_model"] = "MultiDiGraph"
# Their result depends on whether create_using= was given, or they need packages of their own.
_NOT = frozenset(("from_agraph", "from_pydot", "binomial_tree", "from_dict_of_dicts"))


def _signatures() -> dict[str, inspect.Signature]:
    found = {}
    for name, function in _ALL.items():
        if function._returns_graph and not function.graphs and not name.endswith("__new__") and name not in FUNCTIONS:
            signature = inspect.signature(function.orig_func)
            if name not in _NOT and "create_using" in signature.parameters:
                found[name] = signature
    return found


NAMES = _signatures()


def _arguments(name: str, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
    """By name; empty where NetworkX is to say what is wrong with them."""
    try:
        return NAMES[name].bind(*args, **kwargs).arguments
    except TypeError:
        return {}


def refusal(name: str, args: tuple, kwargs: dict[str, Any]) -> str | None:
    """Why this call makes a graph of NetworkX, or None."""
    using = _arguments(name, args, kwargs).get("create_using")
    if using is not None and not any(using is kind for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)):
        return "create_using= is a graph to be filled, or a class that is not NetworkX's"
    return None


def make(name: str, /, *args: Any, **kwargs: Any) -> Any:
    """What NetworkX's function makes, as a graph of the backend."""
    from tessera.networkx import graphs

    if (reason := refusal(name, args, kwargs)) is not None:
        raise NotImplementedError(reason)
    function = _ALL[name].orig_func
    bound = NAMES[name].bind(*args, **kwargs)
    using = bound.arguments.get("create_using")
    if using is None:
        using = bound.arguments.get("default")
    if using is None:
        using = getattr(nx, "DiGraph" if bound.arguments.get("directed") else _KINDS.get(name, "Graph"))
    bound.arguments["create_using"] = graphs.class_for(using)
    return graphs.adopted(function(*bound.args, **bound.kwargs))
