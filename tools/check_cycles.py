"""Sources that include each other in a circle: a header and the source of its name count as one. Modules and packages that
import each other, within functions, too.

KNOWN has the circles that are there, and may only shrink: a circle lies within one of its sets, and what is in no circle any more
goes from it.
"""

import ast
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src"
PYTHON = SOURCE.parent / "python"
KNOWN = [
    # Lowering is a recursive descent: expressions have calls, which have expressions. It was one class and one header.
    """kernel/builtins/builtins kernel/values/array/array kernel/values/array/element kernel/values/array/index
    kernel/values/array/linear_algebra kernel/values/array/memory kernel/values/array/released kernel/values/array/row
    kernel/values/array/slice kernel/values/array/stencil
    kernel/values/array/whole kernel/lower/calls/call kernel/lower/calls/called kernel/lower/checks kernel/values/date/date
    kernel/lower/expression
    kernel/lower/failures kernel/lower/frame kernel/lower/calls/function kernel/values/generator/generator kernel/lower/calls/host
    kernel/values/list/list kernel/lower/loops/loop kernel/lower/loops/nditer kernel/lower/loops/parallel kernel/lower/loops/sequence kernel/lower/lowering
    kernel/values/function/chosen_function kernel/values/object/object kernel/lower/operator kernel/lower/calls/overload kernel/lower/region kernel/lower/result kernel/lower/statement
    kernel/values/text/string kernel/values/table/table kernel/values/text/text kernel/lower/memory_words kernel/lower/variable""",
    # So is emitting: loops have instructions, which have loops. It was one class, whose sources are those of these classes now.
    """codegen/emit/checks/access_checks codegen/emit/checks/events codegen/emit/checks/fast_compile codegen/emit/control/control
    codegen/emit/control/loop codegen/emit/device/grid codegen/emit/device/meetings codegen/emit/device/narrow codegen/emit/emitter
    codegen/emit/frame codegen/emit/lanes/lanes codegen/emit/memory/arrays codegen/emit/memory/memory codegen/emit/memory/streams
    codegen/emit/reductions/reductions codegen/emit/reductions/team codegen/emit/reductions/teams codegen/emit/reductions/tree
    codegen/emit/values""",
    """functions/signatures types""",
    """. _array_likes _devices _fallback""",
    """numpy/random numpy/random/_checks numpy/random/generator numpy/random/random_state""",
    """cli cli/arguments cli/coverage_page cli/coverage_report cli/doctor cli/launcher""",
    """scipy/signal scipy/signal/_compilation scipy/signal/_direct scipy/signal/_lombscargle
    scipy/signal/_significance scipy/signal/_uniform""",
    """functions/extending functions/function functions/jit functions/list_methods functions/names
    functions/numpys_functions numpy numpy/_pure_loops numpy/convolution numpy/fft numpy/fft/frequencies
    numpy/functional numpy/linalg numpy/linalg/factors numpy/linalg/norms numpy/linalg/products
    numpy/linalg/systems numpy/nan_reductions numpy/polynomials numpy/statistics scipy/special""",
    """cuda cuda/_arrays cuda/_compile cuda/_device_functions cuda/_devices cuda/_dispatcher cuda/_foreign
    cuda/_inspection cuda/_interface cuda/_jit cuda/_pinned cuda/_reduce cuda/_streams cuda/_ufuncs cuda/config
    cuda/cudadrv cuda/cudadrv/devicearray cuda/cudadrv/devices cuda/cudadrv/driver cuda/cudadrv/runtime
    cuda/random cuda/source/arguments cuda/source/elementwise cuda/source/generated cuda/source/jit
    cuda/source/kernel cuda/source/module cuda/source/reduction functions/guvectorize""",
]  # below tessera/; "." is the package itself


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
    """The modules and packages that a module imports, but for those that only type checkers read."""
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
            yield base  # a package runs before what is imported of it
            yield from (f"{base}.{alias.name}" for alias in node.names)


def modules():
    """Module or package (as a path) -> those that it imports."""
    paths = {}
    for path in sorted(PYTHON.rglob("*.py")):
        parts = path.relative_to(PYTHON).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    found = {}
    for name, path in paths.items():
        within = name + ".__init__" if path.name == "__init__.py" else name  # where relative imports begin
        used = {other for other in imports(within, ast.parse(path.read_text())) if other in paths and other != name}
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


def known_circles():
    return [{"tessera" if name == "." else f"tessera/{name}" for name in text.split()} for text in KNOWN]


def main():
    known = known_circles()
    found = circles(units()) + circles(modules())
    problems = []
    for circle in found:
        within = [allowed for allowed in known if allowed & set(circle)]
        new = set(circle) - set().union(*within)
        if new or len(within) != 1:
            problems.append(f"{', '.join(sorted(new) or circle)}: in a new circle, of {', '.join(circle)}")
    inside = set().union(*map(set, found)) if found else set()
    for allowed in known:
        if gone := allowed - inside:
            problems.append(f"{', '.join(sorted(gone))}: in no circle any more; take it from KNOWN")
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
