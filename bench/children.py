"""Runs programs one after the other in a child process and collects a record of each, whatever one of them does to the process.

A child writes JSON lines: begin (arrays are made), ready (the cap counts from here), first (one repetition is done), end.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import statistics
import subprocess
import sys
import threading
import time

PREPARING = 120.0  # seconds for starting, making arrays and a reference


def repeat(once, seconds, least, cap, after_first):
    """The times of once(), which returns its own, for `seconds`: at least `least`, or two where more would pass the cap."""
    times = []
    begin = time.perf_counter()
    while True:
        times.append(once())
        spent = time.perf_counter() - begin
        if len(times) == 1:
            after_first(seconds=times[0], repetitions=1)
        elif spent + times[-1] > cap:
            return times
        if spent >= seconds and len(times) >= least:
            return times


def last_half(times):
    """The median of the later half: what a program takes once everything is known about it."""
    return statistics.median(times[len(times) // 2 :])


def serve(names, run):
    """The child's side: run(name, send) returns a record, and calls send("ready") when its arrays are there."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what programs print is not a record

    def write(name, event, record):
        print(json.dumps({"name": name, "event": event, "record": record}), file=out, flush=True)

    for name in names:
        write(name, "begin", {})
        try:
            record = run(name, lambda event, name=name, **record: write(name, event, record))
        except Exception as error:
            record = {"problem": " ".join(f"{type(error).__name__}: {error}".split())[:300]}
        write(name, "end", record)
        gc.collect()


def _lines(child):
    """A queue of the child's messages, None at its end."""
    lines = queue.Queue()

    def read():
        for line in child.stdout:
            lines.put(json.loads(line))
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    return lines


def _follow(child, cap, records, show):
    """Collects records until the child ends or has to be ended: the program that was running then, and what happened."""
    lines, current, limit = _lines(child), None, PREPARING
    since = time.monotonic()
    while True:
        try:
            message = lines.get(timeout=max(0.0, since + limit - time.monotonic()))
        except queue.Empty:
            child.kill()
            child.wait()
            return current, f"stopped after {limit:.0f} s"
        if message is None:
            status = child.wait()
            return current, f"exit status {status}" if status or current else None
        name, event = message["name"], message["event"]
        records.setdefault(name, {}).update(message["record"])
        if event != "first":
            since, limit = time.monotonic(), cap if event == "ready" else PREPARING
        current = None if event == "end" else name
        if event == "end":
            show(name, records[name])


def collect(command, names, environment, cap, show):
    """The records of all names. A program that ends its process, or passes the cap, is reported; the rest go on in a new one."""
    records, left = {}, list(names)
    while left:
        arguments = [sys.executable, *command, "--child", ",".join(left)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}) as child:
            culprit, problem = _follow(child, cap, records, show)
        done = [name for name in left if name in records]
        if culprit is not None:
            records[culprit]["problem"] = problem
            show(culprit, records[culprit])
        elif problem and not done:  # it does not even start
            records.update((name, {"problem": problem}) for name in left)
        elif not done:
            break
        left = [name for name in left if name not in records]
    return records


def environment_of(mode):
    """What a mode sets: TESSERA_DEVICE, but for numpy and cupy, which do without tessera."""
    quiet = {"PYTHONWARNINGS": "ignore", "TESSERA_FALLBACK": os.environ.get("TESSERA_FALLBACK", "silent")}
    return quiet if mode in ("numpy", "cupy") else {**quiet, "TESSERA_DEVICE": mode}


def progress(mode):
    """A show() for collect() that writes one line a program to stderr."""

    def show(name, record):
        time_text = f"{1e3 * record['seconds']:10.3f} ms" if "seconds" in record else " " * 13
        print(f"{mode:6} {name:26} {time_text} {record.get('problem', '')}".rstrip(), file=sys.stderr, flush=True)

    return show


def fallback_calls():
    """How often each function ran in NumPy so far."""
    import tessera

    return {name: record.calls for name, record in tessera.fallback_statistics().items()}


def reset_engine():
    """Counts from zero; returns what engine_facts() needs."""
    import tessera

    tessera.reset_counters()
    return fallback_calls()


def engine_facts(before):
    """The copies between host and device since reset_engine(), and how often functions ran in NumPy."""
    import tessera

    counters = tessera.counters()
    names = ("copies_to_device", "bytes_to_device", "copies_from_device", "bytes_from_device")
    fallbacks = {
        name: calls - before.get(name, 0) for name, calls in fallback_calls().items() if calls > before.get(name, 0)
    }
    return {
        **{name: counters[name] for name in names if counters.get(name)},
        **({"fallbacks": fallbacks} if fallbacks else {}),
    }
