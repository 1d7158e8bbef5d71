"""Steps that march through the caches together (ARCHITECTURE.md): NumPy's bits, with any number of threads."""

import numpy
import pytest
import tessera.numpy as tnp

from tessera import _core


@pytest.fixture
def waves():
    """Caches so small that these arrays are large; counts what ran as waves."""
    before, where = (_core.options(), _core.cpus()), _core.device()
    _core.set_device("cpu")
    _core.options(wave_bytes=8192)
    _core.reset_counters()
    yield lambda: _core.counters()["waves"]
    _core.options(**before[0])
    _core.set_cpus(before[1])
    _core.set_device(where)


def start(xp, *shape, dtype="f8"):
    size = int(numpy.prod(shape))
    return (xp.arange(size) * 37 % 101).astype(dtype).reshape(shape)


def heat(xp, steps=40):
    grid = start(xp, 150, 60)
    center = grid[1:-1, 1:-1]
    for _ in range(steps):
        center[:] = 0.2 * (center + grid[:-2, 1:-1] + grid[1:-1, 2:] + grid[1:-1, :-2] + grid[2:, 1:-1])
    return grid


def nine_points(xp):
    grid = start(xp, 140, 70, dtype="f4")
    for _ in range(40):
        total = sum((grid[i : 138 + i, j : 68 + j] for i in range(3) for j in range(3)), xp.float32(0))
        grid[1:-1, 1:-1] = total / xp.float32(9)
    return grid


def edges_between(xp):
    p, b = start(xp, 120, 60), start(xp, 120, 60) / 7
    for _ in range(40):
        pn = p.copy()
        p[1:-1, 1:-1] = ((pn[1:-1, 2:] + pn[1:-1, :-2]) * 0.25 + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * 0.25) - b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0
    return p


def several_arrays(xp):
    u, v = start(xp, 130, 64), start(xp, 130, 64) / 3
    for _ in range(40):
        un = u[1:-1, 1:-1] + 0.1 * (v[2:, 1:-1] - v[:-2, 1:-1])
        v[1:-1, 1:-1] -= 0.1 * (u[1:-1, 2:] - u[1:-1, :-2])
        u[1:-1, 1:-1] = un
    return xp.stack([u, v])


def swapped(xp):
    old = start(xp, 150, 60)
    new = old.copy()
    for _ in range(41):
        new[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
        old, new = new, old
    return old


def turned(xp):
    grid = start(xp, 60, 150).T[::-1, ::-1]
    for _ in range(40):
        grid[1:-1, 1:-1] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
    return grid


def one_axis(xp):
    line = start(xp, 20_000)
    for _ in range(40):
        line[1:-1] = 0.25 * line[:-2] + 0.5 * line[1:-1] + 0.25 * line[2:]
    return line


def whole_and_part(xp):
    grid = start(xp, 150, 60)
    for turn in range(40):
        grid *= 0.99
        grid[1:-1, 1:-1] = 0.5 * (grid[:-2, 1:-1] + grid[2:, 1:-1])
        grid[turn % 7] = turn
    return grid


def red_and_black(xp):
    grid = start(xp, 160, 60)
    for _ in range(40):
        grid[1:-1:2, 1:-1] = 0.5 * (grid[0:-2:2, 1:-1] + grid[2::2, 1:-1])
        grid[2:-1:2, 1:-1] = 0.5 * (grid[1:-2:2, 1:-1] + grid[3::2, 1:-1])
    return grid


def history(xp):
    planes = start(xp, 41, 60, 60)
    for turn in range(40):
        planes[turn + 1, 1:-1, 1:-1] = 0.25 * (
            planes[turn, :-2, 1:-1] + planes[turn, 2:, 1:-1] + planes[turn, 1:-1, :-2] + planes[turn, 1:-1, 2:]
        )
    return planes


def source(xp):
    grid, x = start(xp, 150, 60), start(xp, 150, 60) / 100
    for turn in range(40):
        grid[1:-1, 1:-1] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1]) + xp.floor(x[1:-1, 1:-1] * turn)
    return grid


def looks(xp):
    grid, seen = start(xp, 150, 60), []
    for turn in range(60):
        grid[1:-1, 1:-1] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
        if turn % 10 == 9:
            seen.append(float(grid[3, 3]))
            seen.append(float(grid.max()))
    return xp.concatenate([grid.ravel(), xp.asarray(seen)])


PROGRAMS = [
    heat,
    nine_points,
    edges_between,
    several_arrays,
    swapped,
    turned,
    one_axis,
    whole_and_part,
    red_and_black,
    history,
    source,
    looks,
]


@pytest.mark.parametrize("compile", ["never", "before_full"])
@pytest.mark.parametrize("cpus", [1, 2, 3, 7])
@pytest.mark.parametrize("program", PROGRAMS)
def test_loops_give_numpys_bits(program, cpus, compile, waves):
    _core.options(compile=compile)
    _core.set_cpus(cpus)
    numpy.testing.assert_array_equal(numpy.asarray(program(tnp)), program(numpy))
    assert waves() > 0


def test_no_cache_no_wave(waves):
    _core.options(wave_bytes=0)
    numpy.testing.assert_array_equal(numpy.asarray(heat(tnp)), heat(numpy))
    assert waves() == 0


def test_arrays_that_share_memory_are_seen_to(waves):
    memory = start(numpy, 150, 60)
    expected = memory.copy()
    for xp, grid in ((tnp, tnp.asarray(memory, copy=False)), (numpy, expected)):
        for _ in range(30):
            grid[1:-1, 1:-1] = 0.5 * (grid[:-2, 1:-1] + grid[2:, 1:-1])
    numpy.testing.assert_array_equal(memory, expected)


def test_warnings_name_what_was_recorded(waves):
    grid = start(tnp, 150, 60)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        for _ in range(30):
            grid[1:-1, 1:-1] = 1 / (grid[:-2, 1:-1] - grid[:-2, 1:-1]) + grid[2:, 1:-1]
        float(grid[0, 0])


def test_turns_that_hold_new_memory_do_not_wait_for_each_other(waves):
    """Each turn reads an array that only it keeps alive: sixteen turns would hold sixteen of them."""
    total = tnp.zeros((2000, 100))
    _core.reset_counters()
    for turn in range(50):
        total += tnp.asarray(numpy.full((2000, 100), float(turn)))
    assert float(total[0, 0]) == sum(range(50))
    assert _core.counters()["windows"] > 30


def test_memory_runs_out_as_it_did_before(waves):
    grid = start(tnp, 400, 60)
    expected = heat_of(numpy, start(numpy, 400, 60))
    float(grid[0, 0])
    held = _core.memory_statistics()
    try:
        _core.trim_memory()
        _core.set_memory_limit(held["bytes_in_use"] + 450_000)
        actual = numpy.asarray(heat_of(tnp, grid))
    finally:
        _core.set_memory_limit(0)
    numpy.testing.assert_array_equal(actual, expected)


def heat_of(xp, grid):
    for _ in range(30):
        grid[1:-1, 1:-1] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
    return grid


def test_a_loop_that_was_run_before_is_seen_as_turns_too(waves):
    """Its 240 ops repeat as a whole, which must not hide that they are forty turns."""
    for _ in range(3):
        _core.reset_counters()
        float(heat(tnp)[0, 0])
        assert _core.counters()["windows"] < 20


def test_turns_gather_wherever_the_loop_is_noticed(waves):
    """The array from before the loop is let go of in one of its turns, which is not what every turn does."""
    for limit in (0, 8192):
        _core.options(wave_bytes=limit)
        for _ in range(2):
            _core.reset_counters()
            float(heat(tnp, 100)[0, 0])
    assert _core.counters()["windows"] < 20
