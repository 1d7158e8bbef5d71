"""The environment variables that options of `tessera run` stand for."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, MutableMapping

from tessera.cli.legate_options import devices_named


def settings(options: argparse.Namespace) -> dict[str, str]:
    """The variables to set, by name."""
    result = {}
    if options.cpus is not None:
        result["TESSERA_CPUS"] = str(options.cpus)
    if options.fallback is not None:
        result["TESSERA_FALLBACK"] = options.fallback
    has_ranks = options.nodes or options.ranks_per_node  # which have one GPU each
    if options.gpus is not None and not has_ranks:
        result["TESSERA_DEVICE"] = devices_named(options.gpus)
    if options.networkx:
        result |= networkx_settings(os.environ)
    return result


def networkx_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """NetworkX's variables that put the backend before others, and that hide its warning of each conversion kept."""

    def first(name: str, ours: str) -> str:
        others = [each for each in environ.get(name, "").split(",") if each and each != ours]
        return ",".join([ours, *others])

    return {
        "NETWORKX_BACKEND_PRIORITY": first("NETWORKX_BACKEND_PRIORITY", "tessera"),
        "NETWORKX_WARNINGS_TO_IGNORE": first("NETWORKX_WARNINGS_TO_IGNORE", "cache"),
    }


def apply(options: argparse.Namespace, environ: MutableMapping[str, str]) -> None:
    """Sets them, before the engine is loaded and for child processes."""
    environ.update(settings(options))
