"""What does not fit in memory fails where NumPy says so, with NumPy's words, and leaves everything else as it was."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
import tessera.numpy as tnp

from tessera import _core

HUGE = (10**6, 10**6)
TEXT = r"Unable to allocate 7.28 TiB for an array with shape \(1000000, 1000000\) and data type float64"


@pytest.fixture
def limit():
    """Sets how many bytes may be in use above what is now."""

    def set_limit(extra):
        _core.synchronize()
        _core.trim_memory()
        _core.set_memory_limit(_core.memory_statistics()["bytes_in_use"] + extra)

    yield set_limit
    _core.set_memory_limit(0)


@pytest.mark.parametrize("make", ["ones", "zeros", "empty"])
def test_an_array_no_machine_holds_is_refused_when_it_is_made(make):
    with pytest.raises(MemoryError, match=TEXT):
        getattr(tnp, make)(HUGE)


@pytest.mark.parametrize(
    "make",
    [lambda xp: xp.arange(2**43, dtype="i1"), lambda xp: xp.arange(0.0, 2**40), lambda xp: xp.linspace(0, 1, 2**40)],
)
def test_a_range_no_machine_holds_is_refused_when_it_is_made(make):
    with pytest.raises(MemoryError) as expected:
        make(np)
    with pytest.raises(MemoryError) as actual:
        make(tnp)
    assert str(actual.value) == str(expected.value)


def test_a_result_no_machine_holds_is_refused_when_it_is_looked_at():
    row, column = tnp.ones(10**6), tnp.ones((10**6, 1))
    for make in (lambda: row + column, lambda: tnp.add.outer(row, row), lambda: tnp.broadcast_to(row, HUGE).copy()):
        with pytest.raises(MemoryError, match=TEXT):
            make()[0, 0]
    assert float((row + 1).sum()) == 2e6


@pytest.mark.parametrize("megabytes", [12, 20, 28, 32, 36, 48, 96, 400])
def test_where_threads_find_no_room_fewer_do_the_work(megabytes):
    program = textwrap.dedent("""
        import resource, sys
        import tessera.numpy as np

        pages = int(open("/proc/self/statm").read().split()[0])
        limit = pages * resource.getpagesize() + (int(sys.argv[1]) << 20)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        for _ in range(4):
            try:
                a = np.zeros((500, 500)) + 1.0
                b = a * 2 + 1
                assert float(b[3, 3]) == 3.0 and float(b.sum()) == 750_000.0
            except MemoryError:
                pass
        print("done")
        """)
    done = subprocess.run(
        [sys.executable, "-c", program, str(megabytes)],
        env={**os.environ, "TESSERA_CPUS": "4"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_a_temporary_that_is_never_stored_needs_no_memory(limit):
    row, column = tnp.ones(2000), tnp.ones((2000, 1))
    limit(1 << 20)
    total = (row + column).sum(axis=0)
    assert float(total[7]) == 4000


@pytest.mark.parametrize("shape", [(2**62,), (2**31, 2**31, 2**31), (-1,), (2**63,), (0, 2**62, 2**62)])
@pytest.mark.parametrize("make", ["ones", "zeros", "empty"])
def test_impossible_shapes_raise_numpys_error(make, shape):
    with pytest.raises(Exception) as expected:
        getattr(np, make)(shape)
    with pytest.raises(type(expected.value)) as actual:
        getattr(tnp, make)(shape)
    assert str(actual.value) == str(expected.value)


def test_broadcasting_beyond_the_address_space_raises_numpys_error():
    with pytest.raises(ValueError) as expected:
        np.broadcast_to(np.ones(()), (2**40, 2**40))
    with pytest.raises(ValueError) as actual:
        tnp.broadcast_to(tnp.ones(()), (2**40, 2**40))
    assert str(actual.value) == str(expected.value)


SIZE = 1 << 20


def test_a_failed_window_leaves_in_place_writes_undone(limit):
    a = tnp.arange(SIZE, dtype=float)
    b = tnp.arange(float(SIZE))
    _core.synchronize()
    limit(3 * SIZE)
    a[: SIZE // 4] += 1
    c = b * 2 + a  # needs memory that is not there
    with pytest.raises(
        MemoryError, match=r"Unable to allocate 8.00 MiB for an array with shape \(1048576,\) and data type float64"
    ):
        np.asarray(c)
    _core.set_memory_limit(0)
    assert float(c[1]) == 2 + 2
    assert np.array_equal(
        np.asarray(a), np.concatenate([np.arange(1.0, SIZE // 4 + 1), np.arange(float(SIZE // 4), SIZE)])
    )


def test_blocks_that_catch_warnings_do_not_hear_of_results_without_memory(limit):
    row = tnp.ones(SIZE)
    _core.synchronize()
    limit(SIZE)
    kept = row * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(row[5]) == 1
    with pytest.raises(MemoryError):
        float(kept[0])
    _core.set_memory_limit(0)
    assert float(kept[0]) == 2


def test_what_fits_one_by_one_runs_one_by_one(limit):
    a = tnp.ones(SIZE)
    _core.synchronize()
    # Both results at once are too much; the first alone is not, and is there afterwards.
    limit(12 * SIZE)
    first = a + 1
    second = a * 3
    with pytest.raises(MemoryError, match="Unable to allocate 8.00 MiB"):
        np.asarray(second)
    assert float(first[5]) == 2
    del first
    assert float(second[7]) == 3


def test_the_program_goes_on_when_a_result_that_failed_is_forgotten(limit):
    a = tnp.ones(SIZE)
    _core.synchronize()
    limit(9 * SIZE)
    b = a + tnp.ones((2, 1))
    with pytest.raises(MemoryError):
        b[1, 3]
    with pytest.raises(MemoryError):
        b[1, 3]
    del b
    a += 1
    assert float(a[4]) == 2
    assert float((a[:1000] * 2).sum()) == 4000


def test_a_loop_that_runs_out_of_memory_can_be_gone_on_with(limit):
    a = tnp.zeros(SIZE)
    _core.synchronize()
    turns = 0
    limit(9 * SIZE)
    kept = []
    with pytest.raises(MemoryError):
        for _ in range(40):
            a += 1
            turns += 1
            kept.append(a * 2)
            _core.synchronize()
    kept.clear()
    _core.synchronize()
    _core.set_memory_limit(0)
    assert float(a[0]) == turns == float(a[SIZE - 1])


@pytest.mark.parametrize("device", ["cpu", "simulated"])
def test_the_systems_own_limit_raises_and_the_program_goes_on(device):
    program = """
        import resource
        import tessera.numpy as np
        from tessera import _core

        _core.set_cpus(2)
        a = np.ones(1 << 20)
        float((a + 1).sum())
        used = int(open("/proc/self/statm").read().split()[0]) * 4096
        resource.setrlimit(resource.RLIMIT_AS, (used + (96 << 20), resource.RLIM_INFINITY))
        try:
            np.ones(1 << 40)
        except MemoryError as error:
            assert "Unable to allocate 8.00 TiB for an array with shape (1099511627776,)" in str(error), error
        else:
            raise SystemExit("no error")
        kept = []
        try:
            for k in range(100):
                a += 1
                kept.append(a * k)
                kept[-1][0] + 1
        except MemoryError as error:
            assert "Unable to allocate 8.00 MiB for an array with shape (1048576,) and data type float64" in str(error), error
        else:
            raise SystemExit("no error")
        turns = k + 1
        for j, one in enumerate(kept[:3]):
            assert one[7] == (2 + j) * j, (j, one[7])
        kept.clear()
        assert a[3] == a[-1] == 1 + turns, (a[3], turns)
        for k in range(60):
            a = a * 0.5 + 1
        assert a.sum() == 2 * a.size
        print("done")
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        env=os.environ | {"TESSERA_DEVICE": device},
    )
    assert result.stdout == "done\n", result.stderr
