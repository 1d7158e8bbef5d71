"""Calls of routines as nodes of a window: recorded, ordered, fused before and after, with NumPy's results."""

import numpy
import pytest
import tessera.numpy as np

import tessera
from tessera import _core, routines

DEVICES = ["cpu", "simulated", "auto:simulated"]


def settled(shape, seed=0):
    a = np.asarray(numpy.random.default_rng(seed).random(shape)) * 1.0
    _core.flush()
    return a


@pytest.mark.parametrize("device", DEVICES)
def test_a_sort_between_arithmetic_is_recorded(device):
    with tessera.device(device):
        a = settled((100, 300))
        want = numpy.sort(numpy.asarray(a) * 2 + 1, axis=1) * 3
        _core.reset_counters()
        b = np.sort(a * 2 + 1, axis=1) * 3
        assert _core.counters()["windows"] == 0
        text = _core.explain()
        assert text.count("call sort: (100,300) float64") == 1
        assert text.index("add") < text.index("call sort")
        assert numpy.array_equal(numpy.asarray(b), want)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("axis", [0, 1, 2, None])
def test_sorts_along_any_axis_of_views(device, axis):
    with tessera.device(device):
        a = settled((20, 30, 40))
        for view in (lambda x: x, lambda x: x[::2, ::-1], lambda x: x.T, lambda x: x[:, 3]):
            given = view(numpy.asarray(a))
            if axis is not None and axis >= given.ndim:
                continue
            assert numpy.array_equal(numpy.asarray(np.sort(view(a), axis=axis)), numpy.sort(given, axis=axis))
            want = numpy.argsort(given, axis=axis, kind="stable")
            assert numpy.array_equal(numpy.asarray(np.argsort(view(a), axis=axis)), want)


@pytest.mark.parametrize("device", DEVICES)
def test_a_write_after_a_call_does_not_change_its_operand(device):
    with tessera.device(device):
        a = settled(5000)
        want = numpy.argsort(numpy.asarray(a), kind="stable")
        order = np.argsort(a)
        a[:] = 0
        a[7] = -1
        assert numpy.array_equal(numpy.asarray(order), want)
        assert int(np.argsort(a)[0]) == 7


@pytest.mark.parametrize("device", DEVICES)
def test_results_that_nothing_keeps_are_dropped(device):
    with tessera.device(device):
        a = settled(5000)
        np.sort(a)
        b = np.sort(a)
        del b
        c = a + 1
        assert float(c[0]) == float(a[0]) + 1


@pytest.mark.parametrize("device", DEVICES)
def test_sorting_in_place_and_into_out(device):
    with tessera.device(device):
        a = settled(5000)
        want = numpy.sort(numpy.asarray(a))
        view = a[:]
        (a * 1).sort()
        a.sort()
        assert numpy.array_equal(numpy.asarray(view), want)
        b = settled((60, 70), 1)
        want = numpy.asarray(b).copy()
        want[:, 5].sort()
        b[:, 5].sort()
        assert numpy.array_equal(numpy.asarray(b), want)


@pytest.mark.parametrize("device", DEVICES)
def test_a_loop_with_calls(device):
    with tessera.device(device):
        a = settled((40, 100))
        want = numpy.asarray(a).copy()
        for _ in range(30):
            a = np.sort(a * -0.5, axis=1)
            a[:, 0] += 0.25
            want = numpy.sort(want * -0.5, axis=1)
            want[:, 0] += 0.25
        assert numpy.array_equal(numpy.asarray(a), want)


def test_a_thread_reads_what_another_recorded():
    import threading

    a = settled(20000)
    order = np.argsort(a * 2)
    found = []
    thread = threading.Thread(target=lambda: found.append(numpy.asarray(order + 1)))
    thread.start()
    thread.join()
    assert numpy.array_equal(found[0], numpy.argsort(numpy.asarray(a), kind="stable") + 1)


def test_shared_memory_is_read_when_the_call_is_recorded():
    shared = numpy.random.default_rng(0).random(5000)
    a = np.asarray(shared, copy=False)
    want = numpy.sort(shared)
    b = np.sort(a)
    shared[:] = 0
    assert numpy.array_equal(numpy.asarray(b), want)


def test_routines_by_their_own_names():
    assert "searchsorted" in dir(routines)
    found = routines.searchsorted(np.arange(10.0), np.asarray([2.5, 7.0]), right=True)
    assert found.tolist() == [3, 8]
    assert "right=False" in str(routines.searchsorted.__signature__)
    assert routines.lexsort([np.asarray([3, 1, 2]), np.asarray([1, 1, 0])]).tolist() == [2, 1, 0]
    assert routines.partition(np.asarray([5, 1, 4, 2]), [0, 3]).tolist()[0] == 1
    with pytest.raises(AttributeError, match="no routine named 'sorted'"):
        routines.sorted  # noqa: B018
    with pytest.raises(TypeError):
        routines.sort()


@pytest.mark.parametrize("device", DEVICES)
def test_repetitions_by_one_count_are_recorded(device):
    with tessera.device(device):
        a = settled((40, 200))
        _core.reset_counters()
        b = np.repeat(a + 1, 3, axis=1) * 2
        assert _core.counters()["windows"] == 0
        assert numpy.array_equal(numpy.asarray(b), numpy.repeat(numpy.asarray(a) + 1, 3, axis=1) * 2)


@pytest.mark.parametrize("device", DEVICES)
def test_errors_that_depend_on_elements_are_raised_at_the_call(device):
    with tessera.device(device):
        a = settled(5000)
        order = np.argsort(a)
        order[17] = 5000
        with pytest.raises(ValueError, match="Sorter index out of range"):
            np.searchsorted(a, a, sorter=order)
        counts = np.arange(5000) - 1
        with pytest.raises(ValueError, match="may not contain negative values"):
            np.repeat(a, counts)
        with pytest.raises(ValueError, match="no negative elements"):
            np.bincount(counts)


@pytest.mark.parametrize("device", DEVICES)
def test_an_operation_has_as_many_results_as_axes(device):
    with tessera.device(device):
        a = np.asarray(numpy.random.default_rng(0).integers(0, 2, (3, 4, 5, 6, 7, 8)))
        for found, want in zip(routines.nonzero(a), numpy.nonzero(numpy.asarray(a)), strict=True):
            assert numpy.array_equal(numpy.asarray(found), want)


@pytest.mark.parametrize("device", DEVICES)
def test_products_of_pending_arrays_are_recorded(device, vendor_libraries):
    with tessera.device(device):
        a, b = settled((60, 80)), settled((80, 50), 1)
        x, y = numpy.asarray(a).copy(), numpy.asarray(b).copy()
        _core.reset_counters()
        c = ((a + 1) @ b) * 2
        d = np.dot(a - 1, b)
        assert _core.counters()["windows"] == 0
        text = _core.explain()
        assert text.count("call matmul: (60,80) float64 (80,50) float64") == 1 and text.count("call dot") == 1
        a[:] = 0
        b[3] = 7
        assert numpy.allclose(numpy.asarray(c), (x + 1) @ y * 2)
        assert numpy.allclose(numpy.asarray(d), (x - 1) @ y)


@pytest.mark.parametrize("device", DEVICES)
def test_operands_of_products_are_cast_as_they_are_made(device, vendor_libraries):
    with tessera.device(device):
        a = np.asarray(numpy.random.default_rng(0).integers(0, 9, (60, 80)))
        b = settled((80, 50))
        c = (a * 2) @ b
        assert numpy.allclose(numpy.asarray(c), (numpy.asarray(a) * 2) @ numpy.asarray(b))
        d = (a + 1) @ a.T
        assert d.dtype == a.dtype and numpy.array_equal(numpy.asarray(d), (numpy.asarray(a) + 1) @ numpy.asarray(a).T)


@pytest.mark.parametrize("device", DEVICES)
def test_products_into_out_keep_the_order_of_writes(device, vendor_libraries):
    with tessera.device(device):
        a, b = settled((60, 60)), settled((60, 60), 1)
        x, y = numpy.asarray(a).copy(), numpy.asarray(b).copy()
        out = np.zeros((62, 62))
        inner = out[1:-1, 1:-1]
        np.matmul(a + 0, b, out=inner)
        before = inner * 1
        np.matmul(b, a + 0, out=inner)
        np.matmul(a, a + 0, out=a)
        assert numpy.allclose(numpy.asarray(before), x @ y) and numpy.allclose(numpy.asarray(inner), y @ x)
        assert numpy.allclose(numpy.asarray(a), x @ x) and float(out[0].sum()) == 0


def test_recorded_products_report_events_at_their_line():
    with tessera.device("cpu"):
        a = np.asarray(numpy.full((60, 60), 1e200))
        with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
            numpy.asarray((a + 0) @ a)
        with pytest.warns(RuntimeWarning, match="overflow encountered in dot"):
            np.dot(a, a)
        with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow encountered in matmul"):
            (a + 0) @ a
        with np.errstate(over="ignore"):
            c = (a + 0) @ a
        assert numpy.isinf(numpy.asarray(c)).all()


@pytest.mark.parametrize("device", DEVICES)
def test_transforms_of_pending_arrays_are_recorded(device, vendor_libraries):
    with tessera.device(device):
        a = settled((60, 80))
        x = numpy.asarray(a).copy()
        _core.reset_counters()
        results = [np.fft.fft(a + 1, axis=0), np.fft.rfft(a * 2, 100), np.fft.irfft(a + 0j, 40), np.fft.fft2(a - 1) * 2]
        assert _core.counters()["windows"] == 0
        assert _core.explain().count("call fft") == 4
        a[:] = 0
        wanted = [
            numpy.fft.fft(x + 1, axis=0),
            numpy.fft.rfft(x * 2, 100),
            numpy.fft.irfft(x + 0j, 40),
            numpy.fft.fft2(x - 1) * 2,
        ]
        for found, want in zip(results, wanted, strict=True):
            assert numpy.allclose(numpy.asarray(found), want)


@pytest.mark.parametrize("device", DEVICES)
def test_draws_by_index_are_recorded(device):
    with tessera.device(device):
        g = np.random.index_generator(3)
        _core.reset_counters()
        a = g.uniform((300, 400)) * 2
        assert _core.counters()["windows"] == 0 and "call index_draw" in _core.explain()
        assert numpy.array_equal(
            numpy.asarray(a)[0, :100], numpy.asarray(np.random.index_generator(3).uniform(100)) * 2
        )


@pytest.mark.parametrize("device", DEVICES)
def test_factorisations_run_at_the_call(device, vendor_libraries):
    with tessera.device(device):
        a = settled((100, 100))
        x = numpy.asarray(a).copy()
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            np.linalg.inv(a * 0)
        q, r = np.linalg.qr(a + 1)
        a[:] = 0
        assert numpy.allclose(numpy.asarray(q) @ numpy.asarray(r), x + 1)


@pytest.mark.parametrize("device", ["simulated", "auto:simulated"])
def test_one_element_of_a_scan_on_a_device_is_copied_alone(device):
    with tessera.device(device):
        a = np.sqrt(np.arange(250_000.0)).reshape(500, 500)
        tessera.to_device(a)
        before = tessera.counters()["bytes_from_device"]
        total = float(np.cumsum(a, axis=1)[-1, -1])
        assert tessera.counters()["bytes_from_device"] - before <= 64
        assert total == pytest.approx(float(numpy.sqrt(numpy.arange(249_500.0, 250_000.0)).sum()))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("size", [100, 50_000])
def test_scans_warn_of_the_events_that_numpys_have(dtype, size):
    values = numpy.full(size, 0.75 * numpy.finfo(dtype).max, dtype)
    for scan in ("cumsum", "cumprod"):
        with pytest.warns(RuntimeWarning, match="overflow encountered in accumulate"):
            numpy.asarray(getattr(np, scan)(np.array(values)))
        with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow encountered in accumulate"):
            getattr(np, scan)(np.array(values))
