"""Runs the Python blocks of a Markdown page in order, in one namespace: python run_page.py PAGE [--list].

A block whose first line is a comment `# needs ...` is left out where what it needs is not there: `a GPU`, or modules by name.
Blocks with prompts are compared with what they print, as doctests.
"""

import doctest
import importlib.util
import linecache
import re
import sys
from pathlib import Path

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NEEDS = re.compile(r"# needs (.+)")


def missing(block):
    """What the block needs and this machine lacks."""
    needs = NEEDS.match(block)
    for name in re.split(r",\s*", needs.group(1).rstrip(".")) if needs else ():
        if name == "a GPU":
            import tessera

            if not tessera.devices():
                return name
        elif importlib.util.find_spec(name) is None:
            return name
    return None


def run(page):
    """Runs all blocks; returns how many ran, and what was left out."""
    ran, left = 0, []
    parser = PythonCodeBlockParser(doctest_optionflags=FLAGS)
    document = Sybil(parsers=[parser]).parse(Path(page))
    document.namespace["__name__"] = "__main__"
    for example in document.examples():
        block = (
            str(example.parsed).lstrip()
            if isinstance(example.parsed, str)
            else str(getattr(example.parsed, "source", ""))
        )
        if needed := missing(block):
            left.append(f"line {example.line}: needs {needed}")
            continue
        if isinstance(example.parsed, doctest.Example):  # functions in it are compiled from its text, later, too
            example.path = f"{page}:{example.line}"
            lines = example.parsed.source.splitlines(keepends=True)
            linecache.cache[f"<doctest {example.path}[0]>"] = (0, None, lines, example.path)
        example.evaluate()
        ran += 1
    return ran, left


if __name__ == "__main__":
    ran, left = run(sys.argv[1])
    print(f"{ran} ran; left out: {left}")
