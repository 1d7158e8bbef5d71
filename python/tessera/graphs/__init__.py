"""What ran, as graphs and tables: `tessera.graph(x)`, `tessera.explain(x)`, `tessera run --dataflow --event --explain`."""

from __future__ import annotations

from typing import Any

from tessera.graphs.explanation import Explanation
from tessera.graphs.graph import Graph


def graph(x: Any = None) -> Graph:
    """What ran to make x, as a graph; without x the work of a block: `with tessera.graph() as g: ...`.

    Everything that is recorded so far runs. The result has the graphs as DOT (`dataflow()`, `event()`), writes them
    (`save(path)`), and shows itself in a notebook. Operations on up to 1,024 elements of settled arrays run at once and are not
    seen. Meanwhile each window is waited for, so that times are its own.

    Errors: TypeError for an x that is no tessera array.

    Examples
    --------
    >>> import tessera
    >>> import tessera.numpy as np
    >>> with tessera.graph() as trace:
    ...     total = float(np.arange(5000.0).sum())
    >>> trace.dataflow().startswith("digraph")
    True
    """
    from tessera import _core

    if x is not None and not _core.is_own(x):
        raise TypeError(f"tessera.graph: {type(x).__name__} is no tessera array")
    made = Graph(runs_first=x is None)
    if x is not None:
        with made:
            _core.synchronize()
    return made


def explain(x: Any = None) -> Explanation:
    """Where the work ran that made x, line by line, and why: `print(tessera.explain(x))`; without x that of a block:
    `with tessera.explain() as told: ...`.

    For each line of the program: operations, time, place, what the other side would have cost by the model that places work,
    bytes copied between host and device, and why neighbours are not in one kernel. Runs everything that is recorded so far.

    Errors: TypeError for an x that is no tessera array.

    Examples
    --------
    >>> import tessera
    >>> import tessera.numpy as np
    >>> x = np.sqrt(np.arange(5000.0))
    >>> "sqrt" in str(tessera.explain(x))
    True
    """
    from tessera import _core

    if x is not None and not _core.is_own(x):
        raise TypeError(f"tessera.explain: {type(x).__name__} is no tessera array")
    made = Explanation(runs_first=x is None)
    if x is not None:
        with made:
            _core.synchronize()
    return made
