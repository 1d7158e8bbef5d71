"""Sources that include each other in a circle: a header and the source of its name count as one.

The circles that are there are counted, room by room, and may only get smaller: the number of files in circles is compared
with KNOWN, which is lowered with every circle that is broken.
"""

import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src"
KNOWN = {}


def units():
    """Unit (path without suffix) -> units it includes."""
    found = {}
    for path in sorted(SOURCE.rglob("*")):
        if path.suffix not in (".h", ".cpp", ".c") or path.stem.endswith("_test"):
            continue
        unit = str(path.relative_to(SOURCE).with_suffix(""))
        includes = re.findall(r'^\s*#\s*include\s*"(tessera/[^"]+)\.h"', path.read_text(), re.M)
        found.setdefault(unit, set()).update(include for include in includes if include != unit)
    return found


def circles(graph):
    """Strongly connected components of more than one unit, by Tarjan's algorithm (SIAM J. Comput. 1, 1972)."""
    order, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(unit):
        order[unit] = low[unit] = len(order)
        stack.append(unit)
        on_stack.add(unit)
        for other in sorted(graph.get(unit, ())):
            if other not in order:
                visit(other)
                low[unit] = min(low[unit], low[other])
            elif other in on_stack:
                low[unit] = min(low[unit], order[other])
        if low[unit] == order[unit]:
            component = []
            while True:
                component.append(stack.pop())
                on_stack.discard(component[-1])
                if component[-1] == unit:
                    break
            if len(component) > 1:
                found.append(sorted(component))

    sys.setrecursionlimit(10_000)
    for unit in graph:
        if unit not in order:
            visit(unit)
    return found


def main():
    found = circles(units())
    count = {}
    for circle in found:
        room = circle[0].split("/")[1]
        count[room] = count.get(room, 0) + len(circle)
    failed = False
    for room in sorted(count.keys() | KNOWN.keys()):
        now, known = count.get(room, 0), KNOWN.get(room, 0)
        if now > known:
            failed = True
            print(f"{room}: {now} files include each other in circles, {known} did before:")
            for circle in found:
                if circle[0].split("/")[1] == room:
                    print("  " + ", ".join(circle))
        elif now < known:
            failed = True
            print(f"{room}: {now} files in circles, fewer than the {known} in tools/check_cycles.py: lower the number")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
