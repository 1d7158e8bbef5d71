"""A backend of NetworkX: `nx.pagerank(G, backend="tessera")` runs native algorithms on a converted graph.

Installing tessera registers the backend; programs for NetworkX run unchanged with `NETWORKX_BACKEND_PRIORITY=tessera`
or `tessera run --networkx`. See docs/networks.md.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["DiGraph", "Graph", "MultiDiGraph", "MultiGraph", "backend", "info", "report"]


def __getattr__(name: str) -> Any:
    if name in ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph"):
        return getattr(importlib.import_module("tessera.networkx.graphs"), name)
    if name in ("backend", "info", "report"):
        return importlib.import_module(f"tessera.networkx.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
