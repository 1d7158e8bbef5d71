"""The environment variables that options of `tessera run` stand for."""

from __future__ import annotations

import argparse
from collections.abc import MutableMapping


def settings(options: argparse.Namespace) -> dict[str, str]:
    """The variables to set, by name."""
    result = {}
    if options.cpus is not None:
        result["TESSERA_CPUS"] = str(options.cpus)
    if options.fallback is not None:
        result["TESSERA_FALLBACK"] = options.fallback
    if getattr(options, "device", None) is not None:
        result["TESSERA_DEVICE"] = options.device
    return result


def apply(options: argparse.Namespace, environ: MutableMapping[str, str]) -> None:
    """Sets them, before the engine is loaded and for child processes."""
    environ.update(settings(options))
