"""Copies between host and device are counted, and logged or forbidden where the user asks for it."""

import logging
import os
import subprocess
import sys
import threading

import numpy
import pytest

import tessera
import tessera.numpy as np

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
        with pytest.raises(RuntimeError, match=r"938. KiB of an array of shape \(300,400\) and data type float64.*to the host") as caught:
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


@pytest.mark.parametrize("rule,outcome", [("error", "RuntimeError: copy_guard"), ("allow", "done"), ("never", "TESSERA_COPIES must be")])
def test_the_environment_sets_the_rule_of_a_process(rule, outcome):
    program = """
import tessera, tessera.numpy as np
with tessera.device("simulated"):
    a = np.arange(100_000.0).reshape(100, 1000) * np.ones(1000)
    print(a.tolist()[0][0] == 0, "done")
"""
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "TESSERA_COPIES": rule}, capture_output=True, text=True)
    assert outcome in done.stdout + done.stderr
