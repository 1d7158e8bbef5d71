"""A pytest plugin for tools/pandas_tests.py: runs pandas' test modules with tessera.pandas in pandas' place.

Imports of pandas in test modules and in pandas' conftest mean tessera.pandas. Outcomes go to the file SUITE_LOG, a JSON line a test.
"""

from __future__ import annotations

import builtins
import importlib
import json
import os
import signal

import pytest
from _pytest.assertion import rewrite

SECONDS_A_TEST = 60
_log = open(os.environ["SUITE_LOG"], "a", buffering=1)  # noqa: SIM115: open as long as the process
_outcomes: dict[str, tuple[str, str]] = {}


def _redirected(name, globals=None, locals=None, fromlist=(), level=0):
    """`__import__` for test modules: names of tessera.pandas where `import pandas` or `from pandas import` asks for them."""
    if level or name.partition(".")[0] != "pandas" or isinstance(fromlist, list):
        return builtins.__import__(name, globals, locals, fromlist, level)
    found = builtins.__import__(name, globals, locals, fromlist, level)
    if name == "pandas" or not fromlist:
        return importlib.import_module("tessera.pandas")
    return found


def _run_in_place_of_pandas() -> None:
    load = rewrite.AssertionRewritingHook.exec_module
    patched = {**vars(builtins), "__import__": _redirected}

    def exec_module(self, module):
        if os.path.basename(module.__file__ or "").startswith(("test_", "conftest")):
            module.__dict__["__builtins__"] = patched
        load(self, module)

    rewrite.AssertionRewritingHook.exec_module = exec_module


if os.environ.get("SUITE_MODULE") == "tessera.pandas":
    import tessera.pandas

    assert tessera.pandas.DataFrame
    _run_in_place_of_pandas()


class TooSlow(BaseException):
    """A test ran longer than SECONDS_A_TEST."""


def _on_alarm(number, frame):
    raise TooSlow(f"longer than {SECONDS_A_TEST} s")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    signal.signal(signal.SIGALRM, _on_alarm)
    signal.alarm(SECONDS_A_TEST)
    yield
    signal.alarm(0)


def pytest_runtest_logreport(report):
    outcome, text = _outcomes.get(report.nodeid, ("passed", ""))
    if report.outcome != "passed" and outcome != "failed":
        outcome, text = ("skipped" if report.skipped else "failed"), str(report.longrepr)
    _outcomes[report.nodeid] = outcome, text
    if report.when == "teardown":
        _log.write(json.dumps([report.nodeid, outcome, text[-3000:]]) + "\n")


def pytest_collectreport(report):
    if report.failed:
        _log.write(json.dumps([report.nodeid, "failed", str(report.longrepr)[-3000:]]) + "\n")
