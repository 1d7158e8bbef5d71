"""The host's compiled code is kept on disk where it was asked to be; no state of that folder changes a result."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest
import tessera.numpy as tnp

import tessera
from tessera import _core

PROGRAM = """
    import sys
    import tessera.numpy as np
    from tessera import _core
    _core.options(compile="before_full")
    _core.reset_counters()
    a = np.arange(5000.0)
    for k in range(int(sys.argv[1]), int(sys.argv[2])):
        b = a
        for j in range(k % 7 + 1):
            b = b * (j + 2) - a if (k >> j) & 1 else b + a * 0.5
        expected = [float(x) for x in (0.0, 4999.0)]
        for i, x in enumerate(expected):
            y = x
            for j in range(k % 7 + 1):
                y = y * (j + 2) - x if (k >> j) & 1 else y + x * 0.5
            assert float(b[0 if i == 0 else 4999]) == y, (k, i)
    assert not _core.compiler_problem(), _core.compiler_problem()
    assert _core.counters()["kernels_native"] > 0
    print(_core.counters()["object_cache_hits"], "found")
"""


def start(folder, first=0, last=12, before=""):
    program = textwrap.dedent(before) + textwrap.dedent(PROGRAM)
    return subprocess.Popen(
        [sys.executable, "-c", program, str(first), str(last)],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"TESSERA_CACHE": str(folder), "TESSERA_DEVICE": "cpu"},
    )


def finish(process):
    """How many kernels it found in its folder."""
    out, errors = process.communicate(timeout=120)
    assert out.endswith(" found\n"), errors
    return int(out.split()[0])


def objects(folder):
    return sorted(folder.glob("*.tessera"))


@pytest.fixture
def options():
    before = _core.options()
    with tessera.device("cpu"):
        yield _core.options
    _core.options(**before)


def test_the_option_moves_the_cache(tmp_path, options):
    first, second = tmp_path / "first", tmp_path / "second"
    for factor, folder in ((3, first), (5, second)):
        options(compile="before_quick", cache_folder=str(folder))
        assert float((tnp.arange(5000.0) * factor + factor)[2]) == 3 * factor
        assert len(objects(folder)) == 1
    options(compile="before_quick", cache_folder="")
    assert float((tnp.arange(5000.0) * 7 - 7)[2]) == 7
    assert len(objects(first)) == len(objects(second)) == 1


def test_a_second_process_finds_what_the_first_compiled(tmp_path):
    assert finish(start(tmp_path)) == 0
    written = {path: path.read_bytes() for path in objects(tmp_path)}
    assert finish(start(tmp_path)) == len(written) > 0
    assert {path: path.read_bytes() for path in objects(tmp_path)} == written


def test_a_corrupt_cache_is_repaired(tmp_path):
    finish(start(tmp_path))
    written = {path: path.read_bytes() for path in objects(tmp_path)}
    for k, path in enumerate(written):
        content = written[path]
        broken = [
            b"",
            content[: len(content) // 2],
            content[:-40] + bytes(40),
            os.urandom(len(content)),
            content + b"x",
        ][k % 5]
        path.write_bytes(broken)
    assert finish(start(tmp_path)) == 0
    assert {path: path.read_bytes() for path in objects(tmp_path)} == written


def test_a_folder_that_cannot_be_made_costs_nothing_but_time(tmp_path):
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file", tmp_path / "file" / "below", "/proc/no/such/folder"):
        assert finish(start(folder)) == finish(start(folder)) == 0
    assert (tmp_path / "file").read_text() == "in the way"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_read(tmp_path):
    finish(start(tmp_path, 0, 6))
    written = objects(tmp_path)
    tmp_path.chmod(0o555)
    try:
        assert finish(start(tmp_path)) == len(written) > 0
    finally:
        tmp_path.chmod(0o755)
    assert objects(tmp_path) == written


def test_a_full_disk_leaves_no_half_entry(tmp_path):
    # A limit on file size fails the writes as a full disk does.
    finish(
        start(
            tmp_path,
            before="""
        import resource, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    """,
        )
    )
    assert not list(tmp_path.iterdir())


def test_processes_race_for_one_folder(tmp_path):
    processes = [start(tmp_path, first, 24) for first in (0, 0, 3, 6)]
    for process in processes:
        finish(process)
    assert objects(tmp_path) and objects(tmp_path) == sorted(tmp_path.iterdir())
    finish(start(tmp_path, 0, 24))
