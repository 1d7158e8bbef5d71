"""Dask's threads and the engine's share the cores, and each task runs what it recorded before it ends."""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from tessera import _core as core
from tessera._devices import device


class _Budget:
    """The cores of this process, shared out to the tasks that run now: the engine and BLAS use cores // tasks of them in each."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        # What was set before the first task.
        self._cores = 0
        self._blas = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._running:
                self._cores, self._blas = core.cpus(), core.blas_threads()
            self._running += 1
            self._share_out()

    def __exit__(self, *_: Any) -> None:
        with self._lock:
            self._running -= 1
            self._share_out()

    def _share_out(self) -> None:
        threads = max(1, self._share() // self._running) if self._running else self._cores
        core.set_cpus(threads)
        if self._blas:
            core.set_blas_threads(min(threads, self._blas) if self._running else self._blas)

    def _share(self) -> int:
        """A worker of distributed owns as many cores as it has threads, unless TESSERA_CPUS says otherwise."""
        worker = sys.modules.get("distributed.worker")
        if worker is None or os.environ.get("TESSERA_CPUS"):
            return self._cores
        workers = [each for each in list(worker.Worker._instances) if each.status.name in ("running", "paused")]
        threads = sum(each.state.nthreads for each in workers)
        return min(self._cores, threads) if threads else self._cores


_budget = _Budget()


class Bounded:
    """A task that runs what it recorded before it ends: errors that depend on elements are its own, and other threads find
    results on their way. A device is not waited for; errors that are met later name the task."""

    __slots__ = ("_key", "_task")

    def __init__(self, task: Any, key: Any) -> None:
        self._task = task
        self._key = key

    def __call__(self, data: Any) -> Any:
        with _budget:
            before = core.set_task(f"Dask's task {self._key!r}")
            try:
                result = self._task(data)
                core.flush()
                return result
            finally:
                core.set_task(before)


def _of_schedulers(original: Callable) -> Callable:
    @functools.wraps(original)
    def execute_task(key: Any, task_info: Any, dumps: Any, loads: Any, *rest: Any) -> Any:
        def load(info: Any) -> Any:
            task, data = loads(info)
            return Bounded(task, key), data

        return original(key, task_info, dumps, load, *rest)

    return execute_task


class OnDevice:
    """A function that runs where the thread that asked for it runs its work."""

    __slots__ = ("_function", "_where")

    def __init__(self, function: Callable, where: str) -> None:
        self._function = function
        self._where = where

    def __call__(self, *args: Any) -> Any:
        with device(self._where):
            return self._function(*args)


def _of_pools(original: Callable) -> Callable:
    @functools.wraps(original)
    def get_async(submit: Callable, *args: Any, **kwargs: Any) -> Any:
        where = core.device()

        def submit_there(function: Callable, *rest: Any) -> Any:
            return submit(OnDevice(function, where), *rest)

        return original(submit_there, *args, **kwargs)

    return get_async


def _of_workers(original: Callable) -> Callable:
    @functools.wraps(original)
    def run(task: Any, *rest: Any) -> Any:
        return original(Bounded(task, getattr(task, "key", None)), *rest)

    return run


def _wrap(module: str, name: str, wrapped: Callable[[Callable], Callable]) -> None:
    where = sys.modules[module]
    original = getattr(where, name, None)
    if original is None:
        raise AttributeError(f"this Dask has no {module}.{name}; its threads and the engine's do not share the cores")
    setattr(where, name, wrapped(original))


def register() -> None:
    """Wrap what runs a task in a thread of Dask's own schedulers."""
    _wrap("dask.local", "execute_task", _of_schedulers)


def register_pools() -> None:
    """Wrap what hands tasks to a pool of threads: `with tessera.device(...)` holds for them, too."""
    _wrap("dask.threaded", "get_async", _of_pools)


def register_workers() -> None:
    """Wrap what runs a task in a worker of distributed."""
    _wrap("distributed.worker", "_run_task_simple", _of_workers)
