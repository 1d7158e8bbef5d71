"""The environment variables that options of `tessera run` stand for."""

from __future__ import annotations

import argparse
from collections.abc import MutableMapping

from tessera.cli.legate_options import devices_named


def settings(options: argparse.Namespace) -> dict[str, str]:
    """The variables to set, by name."""
    result = {}
    if options.cpus is not None:
        result["TESSERA_CPUS"] = str(options.cpus)
    if options.fallback is not None:
        result["TESSERA_FALLBACK"] = options.fallback
    if options.gpus is not None:
        result["TESSERA_DEVICE"] = devices_named(options.gpus)
    return result


def apply(options: argparse.Namespace, environ: MutableMapping[str, str]) -> None:
    """Sets them, before the engine is loaded and for child processes."""
    environ.update(settings(options))
