"""The examples of docstrings run as doctests, and the names that must have one have it."""

import doctest
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "site"))

import reference  # noqa: E402

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# Names of all of which an example is wanted: everything of these pages, and of `tessera` itself.
WHOLE = ("tessera.cuda", "tessera.cuda.random", "tessera.prof", "tessera")


def paths():
    """The names that the site's reference has."""
    found = {}
    for _, _, sections in reference.PAGES.values():
        for _, module, names in sections:
            found.update(dict.fromkeys(reference.documented(module, names)))
    return list(found)


def value_of(path):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def is_theirs(path):
    """Whether the docstring is that of NumPy or SciPy, with examples of theirs."""
    return (inspect.getmodule(value_of(path)) or sys).__name__.partition(".")[0] in ("numpy", "scipy")


PATHS = [path for path in paths() if not is_theirs(path)]
WITH_EXAMPLES = [path for path in PATHS if ">>>" in (inspect.getdoc(value_of(path)) or "")]
MODULES = sorted({path.rpartition(".")[0] for path in WITH_EXAMPLES})


def failures_of(module):
    """What the examples of a module's names do beside what they say."""
    failures = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for path in WITH_EXAMPLES:
        if path.rpartition(".")[0] == module:
            text = inspect.getdoc(value_of(path))
            test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, path, path, 0)
            runner.run(test, out=failures.append)
    return failures


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_docstrings_run(module):
    # In a process of its own, as a reader runs them: other tests leave memory and settings behind.
    ended = subprocess.run([sys.executable, __file__, module], capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_every_name_of_kernels_devices_memory_and_functions_has_an_example():
    wanted = [path for path in PATHS if path.rpartition(".")[0] in WHOLE]
    assert [path for path in wanted if path not in WITH_EXAMPLES] == []


def test_most_public_names_have_an_example():
    assert len(WITH_EXAMPLES) >= 0.6 * len(PATHS), f"{len(WITH_EXAMPLES)} of {len(PATHS)}"


if __name__ == "__main__":
    found = failures_of(sys.argv[1])
    print("\n".join(found))
    sys.exit(bool(found))
