"""A pytest plugin for tools/numpy_tests.py and its like: runs test modules with another package in NumPy's or pandas' place, and
keeps a log.

The log has one JSON line when a test starts and one when it ends, so that whoever reads it knows which test killed
the process. Tests named in the file SUITE_SKIP are left out.
"""

from __future__ import annotations

import builtins
import importlib
import json
import os
import signal

import pytest
from _pytest.assertion import rewrite

SECONDS_A_TEST = int(os.environ.get("SUITE_TEST_SECONDS", "60"))
_log = open(os.environ["SUITE_LOG"], "a", buffering=1)  # noqa: SIM115: open as long as the process
_reports: dict[str, tuple[str, str]] = {}


def _public(name: str) -> bool:
    return name == "numpy" or name.startswith("numpy.") and not name.startswith("numpy._")


def _redirected(name, globals=None, locals=None, fromlist=(), level=0):
    """`__import__` for test modules: tessera.numpy's module, or NumPy's where it has none of that name."""
    if not level and _public(name) and not isinstance(fromlist, list):
        top = module = importlib.import_module("tessera.numpy")
        try:
            for part in name.split(".")[1:]:
                module = getattr(module, part)
            for wanted in fromlist or ():
                getattr(module, wanted)
            return module if fromlist else top
        except AttributeError:
            pass
    return builtins.__import__(name, globals, locals, fromlist, level)


def _redirected_from_pandas(name, globals=None, locals=None, fromlist=(), level=0):
    """The same for pandas: its submodules stay pandas' own."""
    found = builtins.__import__(name, globals, locals, fromlist, level)
    if level or name.partition(".")[0] != "pandas" or isinstance(fromlist, list):
        return found
    return importlib.import_module("tessera.pandas") if name == "pandas" or not fromlist else found


def _redirect(imports, files: tuple[str, ...]) -> None:
    """`imports` is the `__import__` of modules in files that begin so."""
    load = rewrite.AssertionRewritingHook.exec_module
    patched = {**vars(builtins), "__import__": imports}

    def exec_module(self, module):
        if os.path.basename(module.__file__ or "").startswith(files):
            module.__dict__["__builtins__"] = patched
        load(self, module)

    rewrite.AssertionRewritingHook.exec_module = exec_module


def _box_as_ours(ours, helpers):
    """What tests expect is made of the classes of either package: it becomes ours."""
    plain, make = importlib.import_module("pandas"), helpers.box_expected
    names = {ours.DataFrame: plain.DataFrame, ours.Series: plain.Series, ours.array: plain.array}
    classes = {plain.DataFrame: ours.DataFrame, plain.Series: ours.Series}

    def box_expected(expected, box_cls, transpose=True):
        made = make(expected, names.get(box_cls, box_cls), transpose)
        kind = classes.get(type(made))
        return made if kind is None else kind(made)

    helpers.box_expected = box_expected


def _compare_as_ours(ours, helpers):
    """What other libraries make of pandas' own classes equals frames of ours, as in pandas.testing."""
    asserters = importlib.import_module("pandas._testing.asserters")
    for name in ("assert_frame_equal", "assert_series_equal"):
        compare = getattr(ours.testing, name)
        for module in (helpers, asserters):
            setattr(module, name, compare)


if os.environ.get("SUITE_MODULE") == "tessera.numpy":
    _redirect(_redirected, ("test_",))
elif os.environ.get("SUITE_MODULE") == "tessera.pandas":
    _frames = importlib.import_module("tessera.pandas"), importlib.import_module("pandas._testing")
    _box_as_ours(*_frames)
    _compare_as_ours(*_frames)
    _redirect(_redirected_from_pandas, ("test_", "conftest"))


class TooSlow(BaseException):
    """A test ran longer than SUITE_TEST_SECONDS."""


def _on_alarm(number, frame):
    raise TooSlow(f"longer than {SECONDS_A_TEST} s")


def pytest_collection_modifyitems(config, items):
    with open(os.environ["SUITE_SKIP"]) as file:
        done = set(file.read().splitlines())
    items[:] = [item for item in items if item.nodeid not in done]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    _log.write(json.dumps({"start": item.nodeid}) + "\n")
    signal.signal(signal.SIGALRM, _on_alarm)
    signal.alarm(SECONDS_A_TEST)
    yield
    signal.alarm(0)


def pytest_runtest_logreport(report):
    outcome, text = _reports.get(report.nodeid, ("passed", ""))
    if report.outcome != "passed" and outcome != "failed":
        outcome = "skipped" if report.skipped else "failed"
        text = str(report.longrepr)
    _reports[report.nodeid] = outcome, text
    if report.when == "teardown":
        _log.write(json.dumps({"end": report.nodeid, "outcome": outcome, "text": text[-3000:]}) + "\n")


def pytest_collectreport(report):
    if report.failed:
        _log.write(json.dumps({"end": report.nodeid, "outcome": "failed", "text": str(report.longrepr)[-3000:]}) + "\n")
