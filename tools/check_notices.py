"""NOTICE lists what tools/wheels.py collects the licences of, and the version is the same in all files that state it."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NO_COMPONENTS = {"Apache-2.0"}  # a text that several of the others refer to


def collected():
    """The components that tools/wheels.py has licences of."""
    table = re.search(r"^LICENCES = \{\n(.*?)^\}", (ROOT / "tools" / "wheels.py").read_text(), re.DOTALL | re.MULTILINE)
    return set(re.findall(r'^\s+"([^"]+)":', table[1], re.MULTILINE)) - NO_COMPONENTS


def listed():
    """The components in the notice's table, which ends at the first empty line."""
    table = (ROOT / "NOTICE").read_text().split("\nComponent ")[1].split("\n\n")[0]
    return {line.split()[0] for line in table.splitlines()[1:]}


VERSIONS = {
    "pyproject.toml": r'^version = "([^"]+)"',
    "CMakeLists.txt": r"^project\(tessera VERSION (\S+)",
    "python/tessera/__init__.py": r'^__version__ = "([^"]+)"',
    "CITATION.cff": r"^version: (\S+)",
    "CHANGELOG.md": r"^## (\S+)",
    "recipe/recipe.yaml": r'^  version: "([^"]+)"',
}


def main():
    problems = [f"NOTICE: {name} is in tools/wheels.py alone" for name in sorted(collected() - listed())]
    problems += [f"NOTICE: tools/wheels.py collects no licence of {name}" for name in sorted(listed() - collected())]
    versions = {}
    for file, pattern in VERSIONS.items():
        found = re.search(pattern, (ROOT / file).read_text(), re.MULTILINE)
        versions[file] = found[1] if found else "none"
    if len(set(versions.values())) > 1:
        problems.append("versions differ: " + ", ".join(f"{file} says {version}" for file, version in versions.items()))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
