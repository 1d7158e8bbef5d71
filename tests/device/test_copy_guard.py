"""Copies between host and device are counted, and logged or forbidden where the user asks for it."""

import logging
import os
import subprocess
import sys
import threading
import warnings

import numpy
import pytest
import tessera.numpy as np

import tessera

DEVICES = ["simulated"] + (["gpu"] if tessera.devices() else [])
VALUES = numpy.random.default_rng(7).random((300, 400))


@pytest.fixture(params=DEVICES)
def on_device(request):
    with tessera.device(request.param):
        yield request.param


def test_looks_at_a_device_are_errors_that_name_the_array(on_device):
    a = np.array(VALUES)
    with tessera.copy_guard(from_device="error"):
        b = a * 2
        with pytest.raises(
            RuntimeError, match=r"938. KiB of an array of shape \(300,400\) and data type float64.*to the host"
        ) as caught:
            numpy.asarray(b)
        assert "test_copy_guard.py:" in str(caught.value) and "tessera.asnumpy" in str(caught.value)
        assert (tessera.asnumpy(b) == VALUES * 2).all()
    assert (numpy.asarray(b + 1) == VALUES * 2 + 1).all()


def test_operands_on_the_host_are_errors_until_they_are_sent(on_device):
    with tessera.device("cpu"):
        a = np.array(VALUES)
    with tessera.copy_guard(to_device="error"):
        b = a * 3
        with pytest.raises(RuntimeError, match=r"shape \(300,400\).* from the host to .*to_device is 'error'"):
            tessera.synchronize()
        with pytest.raises(RuntimeError, match="from the host"):
            np.array(VALUES)
        assert tessera.to_device(a) is a
        before = tessera.counters()["copies_to_device"]
        tessera.synchronize()
        assert tessera.counters()["copies_to_device"] == before
    assert (numpy.asarray(b) == VALUES * 3).all()


def test_copies_are_logged_with_lines_of_both_ends(on_device, caplog):
    with caplog.at_level(logging.WARNING, logger="tessera.copies"), tessera.copy_guard("log"):
        a = np.array(VALUES)
        numpy.asarray(a - 1)
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 2
    assert "copied from the host to" in lines[0] and "to the host" in lines[1]
    assert lines[1].count("test_copy_guard.py:") == 2


def test_guards_nest_and_end(on_device):
    a = np.array(VALUES)
    with tessera.copy_guard("error"):
        with tessera.copy_guard(from_device="allow"):
            numpy.asarray(a * 2)
            with pytest.raises(RuntimeError):
                np.array(VALUES)
        with pytest.raises(RuntimeError):
            numpy.asarray(a * 4)
    numpy.asarray(a * 5)


def test_guards_hold_for_their_thread_alone(on_device):
    a, failures = np.array(VALUES), []

    def look():
        try:
            with tessera.device(on_device):
                numpy.asarray(a * 2)
        except RuntimeError as error:
            failures.append(error)

    with tessera.copy_guard("error"):
        other = threading.Thread(target=look)
        other.start()
        other.join()
    assert not failures


def test_forbidden_copies_keep_automatic_placement_where_the_data_is():
    with tessera.device("auto:simulated"), tessera.copy_guard(to_device="error"):
        a = np.ones((600, 600))
        for _ in range(40):
            a = np.sqrt(a * 1.5) + a / 3.0
        assert numpy.isfinite(numpy.asarray(a)).all()


def test_rules_that_there_are_not_are_refused():
    with pytest.raises(ValueError, match=r"'allow', 'log' or 'error' \(got 'warn'\)"):
        tessera.copy_guard("warn").__enter__()
    with pytest.raises(TypeError, match="to_device: not a tessera array but 'list'"):
        tessera.to_device([1.0])


@pytest.mark.parametrize(
    "rule,outcome", [("error", "CopyError: copy_guard"), ("allow", "done"), ("never", "TESSERA_COPIES must be")]
)
def test_the_environment_sets_the_rule_of_a_process(rule, outcome):
    program = """
import tessera, tessera.numpy as np
with tessera.device("simulated"):
    a = np.arange(100_000.0).reshape(100, 1000) * np.ones(1000)
    print(a.tolist()[0][0] == 0, "done")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "TESSERA_COPIES": rule}, capture_output=True, text=True
    )
    assert outcome in done.stdout + done.stderr


class Meanwhile(logging.Handler):
    """While a copy is logged another thread does something, once."""

    def __init__(self, work):
        super().__init__()
        self.work = work

    def emit(self, record):
        work, self.work = self.work, None
        if work:
            self.other = threading.Thread(target=work)
            self.other.start()
            self.other.join(1)  # it waits in turn for a plan that this thread runs


@pytest.mark.parametrize(
    "maker,looker,look",
    [
        ("simulated", "simulated", lambda a: a[7]),
        ("simulated", "cpu", lambda a: numpy.asarray(a)[7]),
        ("simulated", "cpu", lambda a: (a + 0)[7]),
        ("cpu", "simulated", lambda a: (a + 0)[7]),
        ("cpu", "simulated", lambda a: np.sort(a)[7]),
    ],
    ids=["part", "all", "operand home", "operand there", "routine"],
)
def test_others_may_move_and_write_what_a_log_line_is_about(maker, looker, look, monkeypatch):
    with tessera.device(maker):
        a = np.arange(400_000.0) * 1
        tessera.synchronize()

    def write():
        with tessera.device("cpu"):
            numpy.asarray(a)
            a[:300_000] = 99
            tessera.synchronize()
            tessera.trim_memory("simulated")

    logger = logging.getLogger("tessera.copies")
    handler = Meanwhile(write)
    logger.addHandler(handler)
    monkeypatch.setattr(logger, "propagate", False)
    try:
        with tessera.device(looker), tessera.copy_guard("log"):
            assert float(look(a)) in (7, 99)
    finally:
        logger.removeHandler(handler)
    handler.other.join()
    assert numpy.asarray(a)[[7, 299_999, 300_000]].tolist() == [99, 99, 300_000]


def test_one_guard_or_device_may_be_entered_twice():
    guard, device = tessera.copy_guard("error"), tessera.device("simulated")
    where = tessera._core.device()
    with guard, guard:
        assert tessera._core.copy_guard() == ("error", "error", "error")
    assert tessera._core.copy_guard() == ("allow", "allow", "allow")
    with device, tessera.device("cpu"), device:
        assert tessera._core.device() == "simulated"
    assert tessera._core.device() == where


@pytest.mark.parametrize(
    "rules", [{"rule": ""}, {"to_device": ""}, {"rule": "log", "from_device": "never"}, {"rule": 3}]
)
def test_other_rules_are_refused_at_once(rules):
    with pytest.raises(ValueError, match="'allow', 'log' or 'error'"):
        tessera.copy_guard(**rules)


def test_devices_switch_when_pending_work_fails():
    with tessera.device("simulated"):
        a = np.array(VALUES)
        tessera.synchronize()
    with tessera.device("cpu"):
        with pytest.raises(tessera.CopyError), tessera.copy_guard("error"):
            b = a + 1
            with tessera.device("simulated"):
                raise AssertionError("not entered")
        assert tessera._core.device() == "cpu"
        c = np.array(VALUES)
        with tessera.copy_guard("error"):
            with pytest.raises(tessera.CopyError), tessera.device("simulated"):
                d = c * 2
            assert tessera._core.device() == "cpu"
    assert (numpy.asarray(b) == VALUES + 1).all() and (numpy.asarray(d) == VALUES * 2).all()


def test_blocks_that_catch_warnings_leave_forbidden_copies_to_who_looks():
    with tessera.device("simulated"):
        a = np.array(VALUES)
        tessera.synchronize()
        with tessera.device("cpu"):
            b = np.array(VALUES)
        guard = tessera.copy_guard("error")
        with pytest.raises(tessera.CopyError, match="from the host"), guard:
            c = a + b
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
            numpy.asarray(c)
    assert (numpy.asarray(c) == VALUES * 2).all()
