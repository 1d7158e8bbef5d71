"""Sources that include each other in a circle: a header and the source of its name count as one. Modules that import
each other, within functions, too; not packages, which import what they offer.

The circles that are there are counted, room by room, and may only get smaller: the number of files in circles is compared
with KNOWN, which is lowered with every circle that is broken.
"""

import ast
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src"
PYTHON = SOURCE.parent / "python"
KNOWN = {"functions": 2, "graphs": 2}


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


def imports(name, tree):
    """The names that a module imports, but for those that only type checkers read."""
    unread = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            unread.update(id(inner) for inner in ast.walk(node))
    for node in ast.walk(tree):
        if id(node) in unread:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [] if node.level == 0 else name.split(".")[: -node.level]
            base = ".".join(base + ([node.module] if node.module else []))
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def modules():
    """Module (as a path) -> modules it imports."""
    paths = {}
    for path in sorted(PYTHON.rglob("*.py")):
        if path.name != "__init__.py":
            paths[".".join(path.relative_to(PYTHON).with_suffix("").parts)] = path
    found = {}
    for name, path in paths.items():
        used = {other for other in imports(name, ast.parse(path.read_text())) if other in paths and other != name}
        found[name.replace(".", "/")] = {other.replace(".", "/") for other in used}
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
    found = circles(units()) + circles(modules())
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
