"""Calls that write into an array, and gathers: NumPy's results and errors for any layout and sharing of memory."""

import numpy
import pytest
import tessera.numpy as np

import tessera
from tessera import _core

DEVICES = ["cpu", "simulated", "auto:simulated"]
RNG = numpy.random.default_rng(5)
VIEWS = {
    "dense": lambda a: a,
    "steps": lambda a: a[::2, ::3],
    "reversed": lambda a: a[::-1, ::-1],
    "transposed": lambda a: a.T,
    "part": lambda a: a[5:60, 7:50],
}
WRITES = {
    "rows": lambda xp, a, i: a.__setitem__(i % a.shape[0], xp.arange(a.shape[1], dtype=a.dtype)),
    "columns": lambda xp, a, i: a.__setitem__((slice(None), i % a.shape[1]), 3),
    "elements": lambda xp, a, i: a.__setitem__((i % a.shape[0], i % a.shape[1]), xp.arange(i.size).astype(a.dtype)),
    "one column": lambda xp, a, i: a.__setitem__((i % a.shape[0], -2), 5),
    "mask": lambda xp, a, i: a.__setitem__(a.real > 40, xp.arange(int((a.real > 40).sum())).astype(a.dtype)),
    "put": lambda xp, a, i: xp.put(a, i, [1, 2, 3], mode="wrap"),
    "put_along_axis": lambda xp, a, i: xp.put_along_axis(a, (i % a.shape[0])[None, : a.shape[1]][:, :1], 7, 0),
    "at": lambda xp, a, i: xp.add.at(a, i % a.shape[0], 1),
    "at elements": lambda xp, a, i: xp.multiply.at(a, (i % a.shape[0], i % a.shape[1]), 2),
}
READS = {
    "rows": lambda xp, a, i: a[i % a.shape[0]],
    "columns": lambda xp, a, i: a[:, i % a.shape[1]],
    "elements": lambda xp, a, i: a[i % a.shape[0], i % a.shape[1]],
    "one column": lambda xp, a, i: a[i % a.shape[0], -2],
    "take": lambda xp, a, i: a.take(i % min(a.size, 200)),
    "take columns": lambda xp, a, i: a.take(i % a.shape[1], axis=1),
    "clipped": lambda xp, a, i: xp.take(a, i - 30, axis=0, mode="clip"),
    "wrapped": lambda xp, a, i: xp.take(a, i - 30, axis=1, mode="wrap"),
    "take_along_axis": lambda xp, a, i: xp.take_along_axis(a, (i % a.shape[1])[: a.shape[0] // 2 * 2][None, :], 1),
    "repeat": lambda xp, a, i: xp.repeat(a, (i % 4)[: a.shape[0]], axis=0),
}


def both(values):
    """Ours, settled, and NumPy's."""
    ours = np.array(values)
    tessera.synchronize()
    return ours, values.copy()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float64", "int16", "complex128"])
@pytest.mark.parametrize("size", [6, 200])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("write", WRITES)
def test_writes_through_views(device, dtype, size, view, write):
    with tessera.device(device):
        ours, theirs = both(RNG.integers(0, 100, (size, size + 1)).astype(dtype))
        i, j = both(RNG.integers(0, 1000, 4 * size))
        if not VIEWS[view](theirs).size:
            return
        WRITES[write](np, VIEWS[view](ours), i)
        WRITES[write](numpy, VIEWS[view](theirs), j)
        assert numpy.asarray(ours).tobytes() == theirs.tobytes()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float64", "int16", "complex128"])
@pytest.mark.parametrize("indices", ["int64", "int32", "uint8"])
@pytest.mark.parametrize("size", [6, 200])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("read", READS)
def test_reads_of_views(device, dtype, indices, size, view, read):
    with tessera.device(device):
        ours, theirs = both(RNG.integers(0, 100, (size, size + 1)).astype(dtype))
        i, j = both(RNG.integers(30, 100, 4 * size).astype(indices))
        if not VIEWS[view](theirs).size:
            return
        got, want = READS[read](np, VIEWS[view](ours), i), READS[read](numpy, VIEWS[view](theirs), j)
        assert got.shape == want.shape and got.dtype == want.dtype
        assert numpy.asarray(got).tobytes() == want.tobytes()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("size", [8, 50_000])
def test_values_and_indices_of_the_arrays_own_memory_are_read_first(device, size):
    with tessera.device(device):
        for write in (
            lambda xp, a: a.__setitem__(a[::-1] % a.size, a),
            lambda xp, a: a.__setitem__(a, a[::-1]),
            lambda xp, a: xp.put(a, a, a[1:]),
            lambda xp, a: xp.add.at(a, a % 5, a),
        ):
            ours, theirs = both(RNG.permutation(size))
            write(np, ours)
            write(numpy, theirs)
            assert numpy.array_equal(numpy.asarray(ours), theirs)


@pytest.mark.parametrize("device", DEVICES)
def test_a_lazy_copy_keeps_what_was_there(device):
    with tessera.device(device):
        a = np.array(RNG.random(100_000))
        want = numpy.asarray(a).copy()
        kept, later = a.copy(), a * 2
        a[np.arange(0, 100_000, 3)] = 0
        np.add.at(a, np.array([1, 1, 1]), 1.0)
        assert numpy.array_equal(numpy.asarray(kept), want)
        assert numpy.array_equal(numpy.asarray(later), want * 2)
        want[::3] = 0
        want[1] += 3
        assert numpy.array_equal(numpy.asarray(a), want)


@pytest.mark.parametrize("device", DEVICES)
def test_elements_that_lie_on_each_other_are_written_in_order(device):
    with tessera.device(device):
        for xp in (np, numpy):
            base = xp.zeros(60_001)
            rows = xp.lib.stride_tricks.as_strided(base, (30_000, 3), (16, 8))
            rows[xp.arange(30_000)[::-1]] = xp.arange(90_000.0).reshape(30_000, 3)
            if xp is np:
                got = numpy.asarray(base).copy()
        assert numpy.array_equal(got, base)


@pytest.mark.parametrize("device", DEVICES)
def test_memory_of_numpy_is_written_where_it_is(device):
    with tessera.device(device):
        theirs = numpy.zeros(30_000)
        ours = np.from_dlpack(theirs)
        ours[np.arange(0, 30_000, 2)] = 1
        ours[np.arange(30_000) % 3 == 0] = np.arange(10_000.0)
        np.add.at(ours, np.array([1, 1, 5]), 2.0)
        assert theirs[2] == 1 and theirs[3] == 1 and theirs[29_997] == 9_999 and theirs[1] == 4 and theirs[5] == 2


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("size", [10, 30_000])
def test_indices_out_of_range_are_numpys_errors_and_write_nothing(device, size):
    bad = numpy.arange(size)
    bad[size // 2], bad[size // 2 + 2] = size + 7, -size - 3
    with tessera.device(device):
        for call in (
            lambda xp, a, i: a[i],
            lambda xp, a, i: a.__setitem__(i, 1.0),
            lambda xp, a, i: a.__setitem__(i, xp.arange(float(size))),
            lambda xp, a, i: a.reshape(-1, 1)[i, 0],
            lambda xp, a, i: a.reshape(-1, 1)[i, 5],
            lambda xp, a, i: a.reshape(1, -1)[:, i],
            lambda xp, a, i: a.reshape(1, -1).__setitem__((0, i), 2),
            lambda xp, a, i: xp.take(a, i),
            lambda xp, a, i: a.reshape(1, -1).take(i, axis=1),
            lambda xp, a, i: xp.take_along_axis(a, i, 0),
            lambda xp, a, i: xp.put_along_axis(a, i, 1.0, 0),
            lambda xp, a, i: xp.add.at(a, i, 1.0),
            lambda xp, a, i: xp.add.at(a.reshape(-1, 1), (i, i * 0), 1.0),
            lambda xp, a, i: xp.take(a[:0], i),
            lambda xp, a, i: xp.take(a[:0], i, mode="clip"),
            lambda xp, a, i: xp.put(a[:0], i, 1.0),
            lambda xp, a, i: a.__setitem__(a > 3, a[: size - 5]),
            lambda xp, a, i: xp.bincount(i, weights=a),
            lambda xp, a, i: xp.repeat(a, i),
        ):
            texts = []
            for xp in (np, numpy):
                a = xp.arange(float(size))
                with pytest.raises((IndexError, ValueError, TypeError)) as error:
                    call(xp, a, xp.asarray(bad))
                texts.append((error.type, str(error.value)))
                assert numpy.array_equal(numpy.asarray(a), numpy.arange(float(size)))
            assert texts[0] == texts[1]


@pytest.mark.parametrize("device", DEVICES)
def test_nothing_is_picked_or_written_without_indices_or_elements(device):
    none = numpy.zeros(0, "int64")
    with tessera.device(device):
        for xp in (np, numpy):
            a, i = xp.ones((3, 4)), xp.asarray(none)
            shapes = [a[i].shape, a[:, i].shape, a[i, i].shape, a.take(i).shape]
            shapes += [xp.ones((3, 0))[xp.asarray([1, 2])].shape, xp.ones((0, 4)).take(i, axis=0).shape]
            shapes.append(xp.take_along_axis(a, i[None, :], 1).shape)
            a[i] = 7
            a[i, i] = xp.zeros(0)
            xp.put(a, i, 3)
            xp.add.at(a, i, 1)
            assert float(a.sum()) == 12
            if xp is np:
                ours = shapes
        assert ours == shapes
        with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
            np.ones((3, 0))[np.array([1, 3])]


@pytest.mark.parametrize("device", DEVICES)
def test_results_of_host_gathers_have_numpys_layout(device):
    a = numpy.arange(120_000.0).reshape(200, 20, 30)
    with tessera.device("cpu"):
        for pick in (lambda a, i: a[:, i], lambda a, i: a.T[i], lambda a, i: a[:, i, i], lambda a, i: a[i, :, i]):
            got, want = pick(np.array(a), np.arange(20)), pick(a, numpy.arange(20))
            assert got.strides == want.strides and numpy.array_equal(numpy.asarray(got), want)


def test_routines_that_write_are_called_through_numpys_names():
    with pytest.raises(ValueError, match="writes an operand in place"):
        _core.call_routine("mask_put", np.ones(3), np.ones(3), np.ones(3, "bool"))
