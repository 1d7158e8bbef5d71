"""Arrays on a device: results have the host's bits, and what is valid where is nobody's concern but the engine's.

The simulated device has memory of its own and runs kernels by the interpreter, so everything but GPU code is tested anywhere.
"""

from __future__ import annotations

import threading
import warnings

import numpy
import pytest
import tessera.numpy as np
from device_bits import SIZE, home_again, on_cpu, same_bits, where  # noqa: F401

import tessera
from tessera import _core


def test_a_chain_of_ops_has_the_bits_of_the_host(where):
    x, y = numpy.linspace(-3, 3, SIZE), numpy.linspace(1, 2, SIZE)

    def program():
        a, b = np.array(x), np.array(y)
        return np.exp(a) * b + np.sin(b) / (1 + a * a)

    same_bits(program(), on_cpu(program))


def test_an_in_place_stencil_reads_the_old_values(where):
    def program():
        grid = np.array(numpy.linspace(0, 1, 200 * 220).reshape(200, 220))
        grid[0, :] = 40.0
        for _ in range(30):
            inner = grid[1:-1, 1:-1]
            inner[:] = 0.2 * (inner + grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
        return grid

    same_bits(program(), on_cpu(program))


def test_strided_reversed_and_broadcast_views(where):
    values = numpy.arange(300 * 260, dtype="f8").reshape(300, 260)

    def program():
        a = np.array(values)
        b = a[::2, ::-1] * a[1::2, :] + a[0, :]
        c = a.T[:, ::3] - a[:, 5][::3]
        d = np.broadcast_to(a[:, :1], a.shape) + a
        return np.concatenate([b.ravel(), c.ravel(), d.ravel()])

    same_bits(program(), on_cpu(program))


def test_the_host_sees_and_changes_what_the_device_made(where):
    a = np.zeros(SIZE) + 1.0
    b = a * 2
    b[7] = 5.0
    assert float(b[7]) == 5.0 and float(b[8]) == 2.0
    c = b + a
    assert float(c[7]) == 6.0 and float(c.sum()) == 3.0 * SIZE + 3.0
    view = numpy.asarray(c)  # from here on the memory is shared with NumPy
    view[3] = 100.0
    assert float((c + a)[3]) == 101.0
    c += a
    assert view[3] == 101.0
    view[4] = -1.0
    assert float((c * a)[4]) == -1.0


def test_copies_share_until_written(where):
    a = np.arange(SIZE, dtype="f8") * 1.0
    b = a.copy()
    b += 1.0
    a[5] = -1.0
    assert float(a[5]) == -1.0 and float(b[5]) == 6.0 and float(a[6]) == 6.0


def test_events_are_reported_at_the_look(where):
    a = np.zeros(SIZE)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        b = 1.0 / a
        c = np.log(a - 1.0)
        numpy.asarray(b), numpy.asarray(c)
        tessera.synchronize()
    assert sorted(str(w.message) for w in caught) == [
        "divide by zero encountered in divide",
        "invalid value encountered in log",
    ]
    with pytest.raises(FloatingPointError), np.errstate(divide="raise"):
        numpy.asarray(1.0 / a)


def test_copies_are_counted_and_happen_once(where):
    tessera.synchronize()
    _core.reset_counters()
    a = np.array(numpy.ones(SIZE))
    b = np.array(numpy.ones(SIZE))
    total = (a + b) * a - b
    assert float(total[3]) == 1.0
    again = a * b
    tessera.synchronize()
    counters = _core.counters()
    assert counters["copies_to_device"] == 2 and counters["bytes_to_device"] == 16 * SIZE
    assert counters["copies_from_device"] == 1 and counters["bytes_from_device"] == 8  # the element alone
    assert counters["device_windows"] == 2 and counters["device_fallbacks"] == 0
    del again


def test_a_device_is_chosen_by_name():
    outer = _core.device()
    with tessera.device("simulated"):
        assert _core.device() == "simulated"
        with tessera.device("cpu"):
            assert _core.device() == "cpu"
        assert _core.device() == "simulated"
    assert _core.device() == outer
    for name in ("tpu", "gpu:", "gpu:-1", "gpu:1x"):
        with pytest.raises(ValueError, match=f"'{name}'"):
            _core.set_device(name)
    for name in ("gpu:9", "gpu:12"):
        with pytest.raises(RuntimeError, match=name):
            _core.set_device(name)


@pytest.mark.parametrize(
    "make, look",
    [(lambda: tessera.device("simulated"), _core.device), (lambda: tessera.copy_guard("log"), _core.copy_guard)],
)
def test_a_block_of_another_thread_ends_where_that_began(make, look):
    block, entered, left = make(), threading.Event(), threading.Event()
    ends = []

    def elsewhere():
        with tessera.device("cpu"), tessera.copy_guard("error"):
            before = look()
            with block:
                entered.set()
                left.wait(60)
            ends.append((before, look()))

    thread = threading.Thread(target=elsewhere)
    outer = look()
    thread.start()
    entered.wait(60)
    with block:
        left.set()
        thread.join()
    assert look() == outer and ends[0][0] == ends[0][1]


def operands_of(loop, rng):
    for code in loop:
        dtype = numpy.dtype(code)
        if dtype.kind == "b":
            yield rng.integers(0, 2, SIZE).astype(bool)
        elif dtype.kind in "iu":
            yield rng.integers(0, 7, SIZE).astype(dtype)
        else:
            values = rng.standard_normal(SIZE) * 10.0 ** rng.integers(-3, 4, SIZE)
            values[:8] = [0.0, -0.0, 1.0, -1.0, numpy.inf, -numpy.inf, numpy.nan, 0.5]
            values = values + 1j * values[::-1] if dtype.kind == "c" else values
            with numpy.errstate(all="ignore"):
                yield values.astype(dtype)


NAMES = sorted(
    {f.__name__ for f in vars(numpy).values() if isinstance(f, numpy.ufunc)}
    - {"matmul", "vecdot", "matvec", "vecmat", "isnat"}
)


@pytest.mark.parametrize("name", NAMES)
def test_every_ufunc_has_the_bits_of_the_host(where, name):
    function = getattr(np, name)
    reference = getattr(numpy, name, None)
    loops = {t.split("->")[0] for t in getattr(reference, "types", ["d->d"])}
    for loop in sorted(loops):
        if not set(loop) <= set("?bBhHiIlLefdFD"):
            continue
        arrays = list(operands_of(loop, numpy.random.default_rng(11)))
        if name == "ldexp":
            arrays[1] = (arrays[1] % 12).astype(arrays[1].dtype)

        def program():
            with np.errstate(all="ignore"):
                result = function(*(np.array(a) for a in arrays))
            return np.stack([r.astype("c16") for r in result]) if isinstance(result, tuple) else result

        try:
            expected = on_cpu(program)
        except (TypeError, ValueError):
            continue
        same_bits(program(), expected)


def test_elements_are_picked_on_the_device(where):
    rng = numpy.random.default_rng(5)
    values, flat = rng.standard_normal((400, 300)), rng.standard_normal(SIZE)
    rows, many = rng.integers(-400, 400, 5000), rng.integers(-SIZE, SIZE, (300, 200)).astype("int32")
    a, b = np.array(values), np.array(flat)
    same_bits(a[np.array(rows)], values[rows])
    same_bits(b[np.array(many)], flat[many])
    same_bits(np.take(a, np.array(rows) % 300, axis=1), numpy.take(values, rows % 300, axis=1))
    same_bits(np.take(b, np.array(many) * 3, mode="wrap"), numpy.take(flat, many * 3, mode="wrap"))
    same_bits(np.take(b, np.array(many) * 3, mode="clip"), numpy.take(flat, many * 3, mode="clip"))
    with pytest.raises(IndexError, match="index 40000 is out of bounds for axis 0 with size 40000"):
        b[np.array(numpy.full(SIZE, SIZE))]
    same_bits(b[b > 0.5], flat[flat > 0.5])
    same_bits(a[a[:, 0] > 0], values[values[:, 0] > 0])
    same_bits(b[b > 100], flat[flat > 100])


def test_arrays_are_joined_on_the_device(where):
    rng = numpy.random.default_rng(6)
    x, y, z = (
        rng.standard_normal((200, 300)),
        rng.standard_normal((100, 300)),
        rng.integers(0, 9, (200, 50)).astype("i2"),
    )
    a, b, c = np.array(x), np.array(y), np.array(z)
    same_bits(np.concatenate([a, b]), numpy.concatenate([x, y]))
    same_bits(np.concatenate([a, c, a[:, ::-1]], axis=1), numpy.concatenate([x, z, x[:, ::-1]], axis=1))
    same_bits(np.stack([a, a * 2]), numpy.stack([x, x * 2]))
    _, counters = home_again(lambda: np.concatenate([a, b]))
    assert counters.get("copies_from_device", 0) == counters.get("copies_to_device", 0) == 0


def test_memory_nobody_wrote_is_not_copied(where):
    _, counters = home_again(lambda: np.add(np.array(numpy.ones(1 << 18)), 1.0, out=np.empty(1 << 18)))
    assert counters["copies_to_device"] == 1
    a = np.empty((600, 600))
    a[...] = 3.0
    a[0, 0] = 1.0
    assert float(a.sum()) == 3 * 600 * 600 - 2


def test_zeros_are_made_where_they_are_used():
    n = 1500
    with tessera.device("auto:simulated"):
        tessera.synchronize()
        _core.reset_counters()
        here, there = np.zeros((n, n)), np.zeros((n, n))
        assert not numpy.asarray(here).any()
        for _ in range(12):
            there[1:-1, 1:-1] = 0.25 * (there[1:-1, :-2] + there[1:-1, 2:] + there[:-2, 1:-1]) + 1.0
        tessera.synchronize()
        counters = _core.counters()
        edges = float(there[0].sum()) + float(there[:, -1].sum())
    assert counters.get("device_windows", 0) > 0 and counters.get("copies_to_device", 0) == 0
    assert edges == 0.0


RANGES = {
    "arange": lambda: np.arange(SIZE),
    "of floats": lambda: np.arange(0.1, SIZE * 0.3, 0.3),
    "of bytes": lambda: np.arange(SIZE, dtype="i1"),
    "of complex numbers": lambda: np.arange(SIZE, dtype="F"),
    "falling": lambda: np.arange(SIZE, 0, -3, dtype="f4"),
    "linspace": lambda: np.linspace(-1, 2, SIZE),
    "of integers": lambda: np.linspace(-1e6, 2e6, SIZE, endpoint=False, dtype=int),
    "of single precision": lambda: np.linspace(0, 1, SIZE, dtype="f4"),
    "logspace": lambda: np.logspace(-3, 3, SIZE),
    "geomspace": lambda: np.geomspace(1, 1000, SIZE),
    "tri": lambda: np.tri(150, 190, 3),
    "indices": lambda: np.indices((150, 190)),
    "fromfunction": lambda: np.fromfunction(lambda i, j: i * 3 + j, (150, 190)),
    "eye": lambda: np.eye(150, 190, -3),
    "meshgrid": lambda: np.meshgrid(np.arange(150.0), np.arange(190))[0],
}


@pytest.mark.parametrize("name", RANGES)
def test_ranges_are_made_where_the_work_runs(where, name):
    tessera.synchronize()
    moved = ("bytes_to_device", "bytes_from_device")
    before = {key: _core.counters()[key] for key in moved}
    made = RANGES[name]()
    tessera.synchronize()
    for key in moved:
        assert _core.counters()[key] - before[key] < 4096
    same_bits(made, on_cpu(RANGES[name]))


def test_a_range_joins_what_is_done_with_it(where):
    tessera.synchronize()
    before = _core.counters()["device_launches"]
    made = np.sqrt(np.arange(SIZE) * 2.0 + 1)
    tessera.synchronize()
    assert _core.counters()["device_launches"] - before == 1
    same_bits(made, on_cpu(lambda: np.sqrt(np.arange(SIZE) * 2.0 + 1)))
    assert int(np.arange(SIZE)[::-1][7]) == SIZE - 8 and int(np.arange(SIZE).sum()) == SIZE * (SIZE - 1) // 2


def test_single_elements_are_written_where_the_array_is(where):
    def program(writes):
        a = np.arange(SIZE) * 2.0
        for k in range(writes):
            a[k * 3] = -k
        return a

    tessera.synchronize()
    before = _core.counters()["bytes_from_device"]
    made = program(4)
    tessera.synchronize()
    assert _core.counters()["bytes_from_device"] - before < 4096
    same_bits(made, on_cpu(program, 4))
    same_bits(program(500), on_cpu(program, 500))
