"""Functions that are set while the program runs, such as `void set_find(Find find)` at namespace level: what a room asks of another
is an interface that is passed. Those of KNOWN stand where there is one of the process; the list may only shrink. In Python, where modules
must not import each other in a circle, the same holds of `set_` functions that assign a global name which `Callable` is the type of.
"""

import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE, PYTHON = ROOT / "src" / "tessera", ROOT / "python" / "tessera"
KNOWN = {
    "library/device_library.h": ["set_package_folders"],
    "functions/foreign.py": ["set_make"],
    "functions/names.py": ["set_adopt", "set_written", "set_overloads"],
}
# A free function: it begins its line. What it takes is a function pointer, std::function, or an alias of one.
SETTER = re.compile(r"^void (set_\w+)\((?P<taken>[^;{]*)\);", re.MULTILINE)
ALIAS = re.compile(r"\busing (\w+) = [^;]*(?:\(\*\)\(|std::function<)")
FUNCTION = re.compile(r"\(\*\w*\)\(|std::function<|std::move_only_function<")


def setters_of(tree):
    """The functions of a module that set a global name whose type is that of functions."""
    hooks = {
        each.target.id
        for each in tree.body
        if isinstance(each, ast.AnnAssign)
        and isinstance(each.target, ast.Name)
        and "Callable[" in ast.unparse(each.annotation)
    }
    for each in tree.body:
        if isinstance(each, ast.FunctionDef) and each.name.startswith("set_"):
            if hooks & {name for node in ast.walk(each) if isinstance(node, ast.Global) for name in node.names}:
                yield each.name


def main():
    headers = {path: path.read_text() for path in sorted(SOURCE.rglob("*.h"))}
    aliases = {name for text in headers.values() for name in ALIAS.findall(text)}
    found = {}
    for path, text in headers.items():
        for setter in SETTER.finditer(text):
            taken = setter["taken"]
            if FUNCTION.search(taken) or aliases & set(re.findall(r"\w+", taken)):
                found.setdefault(path.relative_to(SOURCE).as_posix(), []).append(setter[1])
    for path in sorted(PYTHON.rglob("*.py")):
        if setters := list(setters_of(ast.parse(path.read_text()))):
            found[path.relative_to(PYTHON).as_posix()] = setters
    for file in sorted(found.keys() | KNOWN.keys()):
        for name in found.get(file, []):
            if name not in KNOWN.get(file, []):
                print(f"{file}: {name} sets a function of the process; pass an interface instead")
        for name in KNOWN.get(file, []):
            if name not in found.get(file, []):
                print(f"tools/check_hooks.py: {file} has no {name} any more; take it out of KNOWN")
    return int(found != KNOWN)


if __name__ == "__main__":
    sys.exit(main())
