"""What a function that is compiled with parallel=True does on several threads, in words."""

from __future__ import annotations

from typing import Any

_WORDS = {
    "loop": "prange: on all cores, in at most 128 chunks",
    "in order": "prange inside a parallel loop: in order",
    "whole array": "an array expression or assignment: one loop, on all cores",
    "total": "a total of an array: on all cores, chunks joined in order",
    "race": "prange: iterations race",
}
_LEVELS = range(1, 5)


def check(function: Any, level: int) -> None:
    if level not in _LEVELS:
        raise ValueError(f"parallel_diagnostics: level is {level!r}; there are 1 to 4")
    if not function.targetoptions.get("parallel"):
        raise RuntimeError(f"parallel_diagnostics: {function.__name__} is compiled without parallel=True")


def text(function: Any, arguments: str, version: Any, level: int) -> str:
    """One version's lines."""
    code = function.py_func.__code__
    loops, lines = 0, []
    for kind, line, _, joined in sorted(set(version.parallel_notes), key=lambda note: note[1]):
        if kind in ("whole array", "total") and level < 3:
            continue
        loops += kind == "loop"
        told = f"; joined in the chunks' order: {joined}" if joined and level > 1 else ""
        lines.append(f"  line {line}: {_WORDS[kind]}{told}")
    head = f"{function.__name__}({arguments}), {code.co_filename}:{code.co_firstlineno}: {loops} parallel loop{'s' * (loops != 1)}"
    return "\n".join([head, *lines, *([version.text] if level == 4 else [])])
