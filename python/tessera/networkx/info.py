"""What NetworkX asks when it is imported; nothing of the engine is loaded."""

from __future__ import annotations

from typing import Any

from tessera.networkx.table import FUNCTIONS, Function


def _document(function: Function) -> str:
    lines = ["Runs natively on the cores, with NetworkX's parameters and results."]
    if function.refusals:
        lines.append("Runs in NetworkX where " + ", or where ".join(each.reason for each in function.refusals) + ".")
    if function.kinds:
        lines.append(
            f"Runs in NetworkX for {' and '.join(function.kinds.split())} graphs.".replace(
                "multigraph graphs", "multigraphs"
            )
        )
    if function.note:
        lines.append(function.note)
    return "\n".join(lines)


def info() -> dict[str, Any]:
    """The entry point `networkx.backend_info`."""
    return {
        "backend_name": "tessera",
        "project": "tessera",
        "package": "tessera.networkx",
        "short_summary": "Native graph algorithms on all cores.",
        "default_config": {"always": False},
        "functions": {name: {"additional_docs": _document(function)} for name, function in FUNCTIONS.items()},
    }
