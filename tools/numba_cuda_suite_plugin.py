"""A pytest plugin for tools/numba_cuda_tests.py: the tests meet tessera.cuda under the name numba.cuda."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

LEFT_OUT = json.loads(os.environ["NUMBA_CUDA_LEFT_OUT"])


@pytest.fixture
def initialize_from_pytest_config():
    """What their own configuration gives tests."""


def pytest_collection_modifyitems(config, items):
    kept, left = [], []
    for item in items:
        names = item.nodeid.split("::")[1:]
        (left if any(name in LEFT_OUT for name in names) else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left)


class _Outcomes:
    def __init__(self):
        self.by_test = {}
        self.why = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            known = self.by_test.get(report.nodeid)
            if known != "failed":
                self.by_test[report.nodeid] = report.outcome
            if report.outcome == "failed":
                crash = getattr(report.longrepr, "reprcrash", None)
                self.why[report.nodeid] = (crash.message if crash else str(report.longrepr))[:600]
        path = os.environ["NUMBA_CUDA_OUTCOMES"]
        Path(path).write_text(json.dumps([self.by_test, self.why]))


def pytest_configure(config):
    config.pluginmanager.register(_Outcomes())
