"""Errors that are met after a task has ended name the task, the operation and its line."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy
import pytest

dask = pytest.importorskip("dask")

import tessera.numpy as np  # noqa: E402

from tessera import _core as core  # noqa: E402
from tessera import cuda  # noqa: E402

kept = []


def text_of(error):
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


def fails_in_memory(block):
    kept.append(block)  # its memory cannot be used again
    result = block * 2 + 1
    core.inject_fault("allocation", 1, True)
    return result


@pytest.fixture(autouse=True)
def no_faults_after():
    yield
    core.end_faults()
    kept.clear()


@pytest.fixture(params=["sync", "threads"])
def scheduler(request):
    with dask.config.set({"array.backend": "tessera", "scheduler": request.param}):
        yield


def check(text, key):
    assert f"Dask's task {key!r}" in text and "recorded at" in text and "test_later_errors.py" in text, text


def test_lack_of_memory_met_in_another_task(scheduler):
    x = dask.delayed(fails_in_memory, pure=False)(np.asarray(numpy.arange(50_000)) + 1)
    y = dask.delayed(lambda block: block.sum(), pure=False)(x)
    with pytest.raises(MemoryError) as failure:
        y.compute()
    check(text_of(failure.value), x.key)


def test_lack_of_memory_met_by_the_program(scheduler):
    x = dask.delayed(fails_in_memory, pure=False)(np.asarray(numpy.arange(50_000)) + 1)
    chunk = x.compute()
    with pytest.raises(MemoryError) as failure:
        numpy.asarray(chunk)
    check(text_of(failure.value), x.key)
    core.end_faults()
    assert numpy.asarray(chunk)[1] == 5  # it had not begun, so it is tried again


def test_a_device_that_fails_names_the_tasks_whose_work_it_had():
    program = """if True:
        import dask, numpy, tessera.numpy as np

        def double(block):
            return block * 2 + 1

        x = dask.delayed(double, pure=False)(np.asarray(numpy.arange(200_000)))
        y = dask.delayed(lambda block: block + 1, pure=False)(x)
        print(x.key)
        try:
            numpy.asarray(y.compute(scheduler="threads"))
        except RuntimeError as error:
            print(error)
    """
    environment = os.environ | {"TESSERA_SIMULATED_FAILURE": "1", "TESSERA_DEVICE": "simulated"}
    found = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120
    )
    key, text = found.stdout.split("\n", 1)
    assert f"in Dask's task {key!r}" in text, found.stdout + found.stderr


@cuda.jit
def asserts(a):
    assert a[0] < 0


def test_a_kernel_that_raises(scheduler):
    def launch(block):
        asserts[1, 1](block)
        return block

    x = dask.delayed(launch, pure=False)(cuda.to_device(numpy.ones(3)))
    x.compute()
    with pytest.raises(AssertionError) as failure:
        cuda.synchronize()
    assert failure.value.__notes__ == [f"launched in Dask's task {x.key!r}"]


def test_work_outside_of_tasks_names_none():
    x = np.asarray(numpy.arange(50_000)) + 1
    y = x * 2
    core.inject_fault("allocation", 1, True)
    try:
        with pytest.raises(MemoryError) as failure:
            numpy.asarray(y)
    finally:
        core.end_faults()
    assert "Dask" not in text_of(failure.value)
