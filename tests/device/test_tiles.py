"""Arrays that are cut over several devices: the same bits as on one, each device with its own part, everything else gathered and counted."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import warnings

import numpy
import pytest
import tessera.numpy as np
from cut_places import counted, places, same
from hypothesis import given, settings
from hypothesis import strategies as st
from random_loops import Loop
from random_programs import Program

import tessera
from tessera import _core

LIBRARIES = pathlib.Path(os.environ.get("TESSERA_BUILD", "build/release")).resolve() / "simulated"


def test_each_place_has_its_rows():
    with places(4):
        a = np.zeros((1200, 1000))
        a[1:-1] = a[2:] * 0.5 + 1
        tessera.synchronize()
        held = tessera.layout(a)
        assert list(held) == ["simulated", "simulated@1", "simulated@2", "simulated@3"]
        assert max(held.values()) < 1.1 * a.nbytes / 4


def test_a_stencil_exchanges_edges_only():
    with places(3):
        a = np.asarray(numpy.random.default_rng(0).random((300, 500)))
        for _ in range(3):
            a[1:-1] = (a[2:] + a[:-2]) * 0.5
        tessera.synchronize()

        def step():
            for _ in range(10):
                a[1:-1] = (a[2:] + a[:-2]) * 0.5

        _, counts = counted(step)
        # Each cut lies between two places, which need a row of each other in each step.
        assert 0 < counts["bytes_between_devices"] <= 10 * 2 * 2 * 500 * 8
        assert counts["bytes_to_device"] == counts["bytes_from_device"] == 0
        assert counts.get("gathers", 0) == 0


def test_the_host_reads_parts_where_they_are():
    with places(4):
        a = np.arange(2_000_000.0) * 2
        tessera.synchronize()
        value, counts = counted(lambda: float(a[1_500_000]))
        assert value == 3_000_000 and counts["bytes_from_device"] < 1000
        same(a[999_990:1_000_010], numpy.arange(999_990.0, 1_000_010) * 2)
        same(a, numpy.arange(2_000_000.0) * 2)


def test_arrays_larger_than_one_place():
    with places(4):
        outer = [_core.memory_statistics(f"simulated@{k}") for k in range(4)]
        try:
            for k in range(4):
                tessera.set_memory_limit(outer[k]["bytes_in_use"] + (16 << 20), f"simulated@{k}")
            x = np.ones(3_000_000)
            for _ in range(5):
                x[1:-1] = (x[2:] + x[:-2]) * 0.25 + 0.5
            assert float(x.sum()) == 3_000_000
            assert len(tessera.layout(x)) == 4
        finally:
            for k in range(4):
                tessera.set_memory_limit(0, f"simulated@{k}")


def test_what_does_not_fit_one_of_the_places_runs_otherwise():
    with places(2):
        x = np.arange(1_000_000.0)
        tessera.synchronize()
        tessera.set_memory_limit(5 << 20, "simulated@1")
        try:
            y = x * 2 + np.ones(1_000_000)
            same(np.stack([y, y, y, y]) + 1, numpy.stack([numpy.arange(1_000_000.0) * 2 + 2] * 4))
        finally:
            tessera.set_memory_limit(0, "simulated@1")
        same(y, numpy.arange(1_000_000.0) * 2 + 1)
        same(x, numpy.arange(1_000_000.0))


def test_what_has_no_distributed_form_is_gathered_and_counted():
    values = numpy.random.default_rng(1).random(50_000)
    with places(3):
        a = np.asarray(values) + 1
        tessera.synchronize()
        got, counts = counted(lambda: np.sort(a))
        same(got, numpy.sort(values + 1))
        assert counts["gathers"] == 1 and counts["bytes_gathered"] == a.nbytes


def test_gathers_can_be_forbidden():
    values = numpy.random.default_rng(1).random(50_000)
    with places(3, gather="error"):
        a = np.asarray(values) + 1
        tessera.synchronize()
        with pytest.raises(RuntimeError, match="TESSERA_GATHER=error"):
            numpy.asarray(np.sort(a))
        same(a * 2, (values + 1) * 2)


def test_sums_are_no_gathers():
    values = numpy.arange(200_000.0)
    with places(4, gather="error"):
        a = np.asarray(values) + 1
        same(a.sum(), (values + 1).sum())
        same(a.max(), (values + 1).max())
        same((a * 2).reshape(400, 500).sum(axis=1), ((values + 1) * 2).reshape(400, 500).sum(axis=1))
        assert np.allclose(float(a.mean()), (values + 1).mean())
        _, counts = counted(lambda: float((a[1:] - a[:-1]).sum()))
        assert counts["gathers"] == 0


def test_sums_along_the_first_axis_run_where_the_rows_are():
    values = numpy.random.default_rng(1).random((3000, 200))
    with places(4, gather="error"):
        a = np.asarray(values) + 1
        tessera.synchronize()
        (got, least, mean), counts = counted(lambda: [numpy.asarray(f(axis=0)) for f in (a.sum, a.min, a.mean)])
        assert counts["gathers"] == 0
        # A place gets the totals of the rows before its own, some rows where it has another part, and nothing else.
        assert counts["bytes_between_devices"] < a.nbytes / 8
        same(got, (values + 1).sum(axis=0))
        same(least, (values + 1).min(axis=0))
        same(mean, (values + 1).mean(axis=0))
        same((a - mean).astype("float32").sum(axis=0), ((values + 1) - mean).astype("float32").sum(axis=0))


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 60),
    st.integers(1, 40),
    st.sampled_from(["float64", "float32", "float16", "complex128", "complex64", "int16", "bool"]),
    st.sampled_from(["sum", "prod", "min", "max", "mean", "any", "all"]),
    st.sampled_from([2, 3, 5]),
    st.integers(0, 2**31),
)
def test_folds_along_the_first_axis_have_the_bits_of_one_place(rows, columns, dtype, name, count, seed):
    values = (numpy.random.default_rng(seed).normal(size=(rows, columns)) * 3).astype(dtype)

    def run():
        a = np.asarray(values) + values[0]
        kept = a[1:] * a[:1] if rows > 1 else a
        return [
            numpy.asarray(x) for x in (getattr(a, name)(axis=0), getattr(kept, name)(axis=0), getattr(a[::-1], name)(0))
        ]

    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with tessera.device("cpu"):
            wanted = run()
        with places(count):
            got = run()
    for mine, theirs in zip(got, wanted):
        assert mine.dtype == theirs.dtype and mine.tobytes() == theirs.tobytes()


def test_the_copy_guard_watches_gathers_but_no_edges():
    with places(4):
        a = np.zeros((3000, 100)) + 1
        tessera.synchronize()
        with tessera.copy_guard(between_devices="error"):
            a[1:-1] = a[2:] * 2
            tessera.synchronize()
            with pytest.raises(tessera.CopyError):
                numpy.asarray(np.take(a, [5, 2900], axis=0))


def test_memory_that_is_made_room_for_is_not_what_the_run_relies_on():
    """Operands that only one place has as a whole stay there while memory for wider tiles is allocated."""
    n = 1_000_000
    values = numpy.random.default_rng(0).integers(0, 1000, n).astype("f8")
    floats = values.astype("f4")
    ordered = numpy.sort(floats)
    with places(2):
        with tessera.device("simulated@1"):
            b = np.sort(np.asarray(floats) + 0)
            tessera.synchronize()
            other = np.sort(np.asarray(floats) + 1)
            tessera.synchronize()
        a, c = np.asarray(values) + 1, np.asarray(values) + 2
        tessera.synchronize()
        tessera.trim_memory()
        used = _core.memory_statistics("simulated@1")["bytes_in_use"]
        for room in range(5, 12):
            tessera.set_memory_limit(used + (room << 20), "simulated@1")
            try:
                y = (c > a[::-1]) | (b > 900)
                same(y, (values + 2 > (values + 1)[::-1]) | (ordered > 900))
                same(b + 1, ordered + 1)
            finally:
                tessera.set_memory_limit(0, "simulated@1")
        same(other, ordered + 1)


def test_rules_have_names():
    with pytest.raises(ValueError, match="TESSERA_CUT must be 'auto', 'always' or a number of bytes"):
        _core.set_tile_rules("never", "allow")
    with pytest.raises(ValueError, match="TESSERA_GATHER must be 'allow' or 'error'"):
        _core.set_tile_rules("auto", "maybe")
    run = subprocess.run(
        [sys.executable, "-c", "import tessera.numpy as np; np.ones(9999).tolist()"],
        env={**os.environ, "TESSERA_DEVICE": "simulated:2", "TESSERA_CUT": "sometimes"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode != 0 and "TESSERA_CUT must be" in run.stderr


@pytest.mark.parametrize("extents", [(0,), (1,), (2, 0), (1, 7), (3, 1), (2, 3, 4)])
@pytest.mark.parametrize("count", [2, 5])
def test_more_places_than_rows(extents, count):
    values = numpy.arange(float(numpy.prod(extents))).reshape(extents)
    with places(count):
        a = np.asarray(values)
        for work in (
            lambda x: x + 1,
            lambda x: x[::-1] * 2,
            lambda x: x.T + 1,
            lambda x: x.sum(),
            lambda x: x.sum(axis=0),
        ):
            same(work(a), work(values))


def test_axes_shorter_than_the_halo():
    values = numpy.arange(40.0)
    with places(7):
        a = np.asarray(values)
        same(a[20:] + a[:20], values[20:] + values[:20])
        same(a[::-1] - a, values[::-1] - values)


def test_shifted_overlapping_writes():
    values = numpy.arange(60.0)
    with places(4):
        a, b = np.asarray(values), values.copy()
        for x in (a, b):
            x[1:] = x[:-1] * 2
            x[:-3] = x[3:] + 1
            x[::2] += x[1::2]
        same(a, b)


def test_a_host_write_makes_parts_old():
    with places(3):
        a = np.asarray(numpy.arange(300.0)) + 1
        same(a, numpy.arange(300.0) + 1)
        view = numpy.asarray(a)
        assert view[10] == 11
        a[10] = -5.0
        same(a + 0, numpy.concatenate([numpy.arange(10.0) + 1, [-5.0], numpy.arange(11.0, 300) + 1]))


def test_floating_point_warnings_name_the_line():
    with places(3), pytest.warns(RuntimeWarning, match="divide by zero"):
        a = np.arange(3000.0)
        numpy.asarray(1 / a)


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 2**32), st.sampled_from([1, 2, 3, 4, 7]))
def test_random_programs_have_the_bits_of_one_place(seed, count):
    program = Program(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with tessera.device("cpu"):
            wanted = program.run(np)
        with places(count):
            got = program.run(np)
    assert len(got) == len(wanted)
    for mine, theirs in zip(got, wanted):
        same(mine, theirs)


@given(seed=st.integers(0, 2**31), count=st.integers(2, 7))
@settings(max_examples=20, deadline=None)
def test_random_loops_have_the_bits_of_one_place(seed, count):
    wanted = Loop(seed).run(np)
    with places(count):
        got = Loop(seed).run(np)
    for a, b in zip(wanted, got):
        assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def test_places_exchange_once_for_several_steps_of_a_loop():
    def steps():
        grid = np.arange(300.0 * 200).reshape(300, 200) % 11
        for _ in range(48):
            grid[1:-1, 1:-1] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
        return numpy.asarray(grid)

    wave_bytes = _core.options()["wave_bytes"]
    _core.options(wave_bytes=60_000)
    try:
        wanted = steps()
        with places(2):
            got, count = counted(steps)
    finally:
        _core.options(wave_bytes=wave_bytes)
    assert got.tobytes() == wanted.tobytes()
    assert 0 < count["copies_between_devices"] < 2 * 48 / 4


@pytest.mark.parametrize("name", ["sort", "argsort", "cumsum", "cumprod", "argmax", "argmin"])
def test_routines_by_rows_run_where_the_rows_are(name):
    values = numpy.random.default_rng(1).normal(size=(301, 70))
    with places(4, gather="error"):
        a = np.asarray(values) + 1
        got, counts = counted(lambda: getattr(np, name)(a, axis=1))
        assert counts["gathers"] == 0
        assert len({place for place, nbytes in tessera.layout(got).items() if nbytes}) == 4
        same(got, getattr(np, name)(np.asarray(numpy.asarray(a)), axis=1))
        same(got[3:] + 1, numpy.asarray(got)[3:] + 1)


@pytest.mark.parametrize("where", ["cpu", "simulated"])
def test_routines_by_rows_cut_what_is_whole(where):
    values = numpy.random.default_rng(1).normal(size=(301, 70))
    with tessera.device(where):
        a = np.asarray(values) + 1
        tessera.synchronize()
        wanted = numpy.sort(numpy.asarray(a[3:]), axis=1)
        tessera.synchronize()
    with places(3, gather="error"):
        got = np.sort(a[3:], axis=1)
        tessera.synchronize()
        assert len({place for place, nbytes in tessera.layout(got).items() if nbytes}) == 3
        same(got, wanted)
        _, counts = counted(lambda: [tessera.synchronize(), np.argmax(a[3:], axis=1), tessera.synchronize()])
        assert counts["copies_to_device"] == counts["copies_between_devices"] == 0  # the parts are kept
        same(a[2:] + got[:1].sum(), numpy.asarray(a)[2:] + got[:1].sum())
        a[5] = 0.0
        same(np.cumsum(a, axis=1)[5], numpy.zeros(70))


# Of a float64 array of 601 x 70, and whole numbers of 30,000.
IN_PARTS = {
    "partition": lambda a, n: np.partition(a, 5, axis=1),
    "running sums of a vector": lambda a, n: np.cumsum(n / 7),
    "running sums of a long vector": lambda a, n: np.cumsum(np.tile(n, 10) / 7),
    "running sums down columns": lambda a, n: np.cumsum((n / 7).reshape(15_000, 2), axis=0),
    "running products of whole numbers": lambda a, n: np.cumprod(n, axis=0),
    "running maxima": lambda a, n: np.maximum.accumulate(n.reshape(7500, 4) / 3, axis=0),
    "repeated rows": lambda a, n: np.repeat(a, 3, axis=0),
    "repeated columns": lambda a, n: np.repeat(a, 3, axis=1),
    "chosen by a mask": lambda a, n: a[a > 0],
    "where something is": lambda a, n: np.nonzero(a > 1)[0],
    "in which column it is": lambda a, n: np.nonzero(a > 1)[1],
    "found in a sorted array": lambda a, n: np.searchsorted(np.arange(-3.0, 3), a),
    "interpolated": lambda a, n: np.interp(a, np.arange(-3.0, 3), np.arange(6.0)),
    "taken from columns": lambda a, n: np.take(a, [3, -1, 3], axis=1),
    "product of whole numbers": lambda a, n: n.reshape(300, 100) @ n.reshape(100, 300),
    "batch of products": lambda a, n: n.reshape(30, 20, 50) @ n.reshape(30, 50, 20),
    "matrix times vector": lambda a, n: n.reshape(300, 100) @ n[:100],
    "running sums of columns": lambda a, n: np.cumsum(a, axis=0),
    "running products of columns": lambda a, n: np.multiply.accumulate(a.reshape(-1, 7) / 2, axis=0),
    "running sums of a few": lambda a, n: np.cumsum(a[:, 3]),
}
JOINED = {
    "largest of all": lambda a, n: np.argmax(a),
    "least of columns": lambda a, n: np.argmin(a, axis=0),
    "largest, which is there twice": lambda a, n: np.argmax(n),
    "first that is no number": lambda a, n: np.argmin(np.sqrt(a), axis=0),
    "first of booleans": lambda a, n: np.argmax(a > 1, axis=0),
    "count": lambda a, n: np.count_nonzero(a > 1),
    "how often each occurs": lambda a, n: np.bincount(n, minlength=40),
    "dot product": lambda a, n: np.dot(n, n),
    "vector times matrix": lambda a, n: n[:300] @ n.reshape(300, 100),
    "products of columns": lambda a, n: n.reshape(1000, 30).T @ n.reshape(1000, 30),
}


@pytest.mark.parametrize("what", list(IN_PARTS) + list(JOINED))
@pytest.mark.parametrize("count", [2, 5])
def test_calls_run_in_parts(what, count):
    values, numbers = numpy.random.default_rng(1).normal(size=(601, 70)), numpy.arange(30_000) * 7 % 23
    compute = (IN_PARTS | JOINED)[what]
    with tessera.device("cpu"), numpy.errstate(invalid="ignore"):
        wanted = numpy.asarray(compute(np.asarray(values) + 1, np.asarray(numbers) + 0))
    with places(count, gather="error"), numpy.errstate(invalid="ignore"):
        a, n = np.asarray(values) + 1, np.asarray(numbers) + 0
        got = compute(a, n)
        tessera.synchronize()
        if what in IN_PARTS:
            assert len({place for place, nbytes in tessera.layout(got).items() if nbytes}) == count
        same(got, wanted)
        if wanted.ndim:
            same(got[1:] - got[:-1], wanted[1:] - wanted[:-1])


@pytest.mark.parametrize("shape, axis", [((1_000_000, 5), 0), ((4_000_000,), None), ((40_000, 131), 0)])
def test_spread_down_columns_is_joined(shape, axis):
    values = numpy.random.default_rng(1).normal(size=shape)
    with tessera.device("simulated"):
        wanted = numpy.asarray((np.asarray(values) + 1).std(axis=axis))
    for count in (2, 3):
        with places(count, gather="error"):
            a = np.asarray(values) + 1
            same(a.std(axis=axis), wanted)


@pytest.mark.skipif(not LIBRARIES.is_dir(), reason="the simulated libraries are not here")
def test_products_are_the_same_on_any_number_of_places():
    def products():
        a = np.asarray(numpy.random.default_rng(1).normal(size=(1000, 90))) + 1
        return [numpy.asarray(x) for x in (a @ a.T, a.T @ a, a @ a[0], a[:, 0] @ a, np.fft.fft(a, axis=1))]

    _core.set_toolkit_folders([str(LIBRARIES)])
    different = []
    for count in (2, 3, 5, 7):
        with places(count, gather="error"):
            different.append(products())
    for others in different[1:]:
        for one, other in zip(different[0], others):
            same(one, other)
    a = numpy.random.default_rng(1).normal(size=(1000, 90)) + 1
    for one, wanted in zip(different[0], (a @ a.T, a.T @ a, a @ a[0], a[:, 0] @ a, numpy.fft.fft(a, axis=1))):
        numpy.testing.assert_allclose(one, wanted, rtol=1e-12, atol=1e-10)


@pytest.mark.skipif(not LIBRARIES.is_dir(), reason="the simulated libraries are not here")
@pytest.mark.parametrize("count", [1, 3])
def test_transforms_of_rows_that_begin_at_odd_places(count):
    _core.set_toolkit_folders([str(LIBRARIES)])
    values = numpy.random.default_rng(1).normal(size=(3001, 17))
    spectra = numpy.fft.rfft(values, axis=1)
    with places(count):
        a = np.asarray(values) + 0
        numpy.testing.assert_allclose(np.fft.rfft(a[1:], axis=1), spectra[1:], atol=1e-12)
        for points in (16, 17):
            wanted = numpy.fft.irfft(spectra, n=points, axis=1)
            numpy.testing.assert_allclose(np.fft.irfft(np.fft.rfft(a, axis=1), n=points, axis=1), wanted, atol=1e-12)


def test_calls_of_nothing():
    with places(3):
        a = np.arange(3000.0) + 1
        nothing = a[a < 0]
        same(nothing.cumsum(), numpy.zeros(0))
        same(np.argsort(nothing), numpy.zeros(0, int))
        same(np.bincount(nothing.astype("int64"), minlength=3), numpy.zeros(3, int))
        assert float(np.dot(nothing, nothing)) == 0.0


def test_a_mask_that_chooses_nothing_or_one_place():
    with places(3, gather="error"):
        a = np.arange(3000.0) + 1
        same(a[a < 0], numpy.zeros(0))
        same(a[a < 0] + 1, numpy.zeros(0))
        same(a[a > 2990] * 2, numpy.arange(2991.0, 3001) * 2)
        same(np.nonzero(a > 2990)[0], numpy.arange(2990, 3000))
        assert a[a < 0].shape == (0,)


def test_an_index_out_of_range_is_an_error_as_on_one_place():
    with places(3):
        a = np.arange(3000.0).reshape(300, 10) + 1
        with pytest.raises(IndexError, match="out of bounds"):
            np.take(a, [3, 10], axis=1)
        same(np.take(a, [3, 9], axis=1)[:, 0], numpy.arange(300) * 10.0 + 4)


def test_spread_of_rows_in_one_pass_runs_where_the_rows_are():
    values = numpy.random.default_rng(1).normal(size=(5, 1_000_000))
    values[3, 17] = numpy.inf
    with tessera.device("simulated"), numpy.errstate(all="ignore"):
        a = np.asarray(values) + 1
        wanted = [numpy.asarray(v.std(axis=1)) for v in (a, a[:3])]
    with places(2, gather="error"), numpy.errstate(all="ignore"):
        a = np.asarray(values) + 1
        for mine, theirs in zip([a.std(axis=1), a[:3].std(axis=1)], wanted):
            same(mine, theirs)


def test_the_plan_that_is_shown_is_the_one_for_these_places():
    with places(3):
        a = np.asarray(numpy.ones((300, 200))) + 1
        tessera.synchronize()
        total = a.sum(axis=0)
        assert _core.explain().count("reduction_onward over") == 2
        same(total, numpy.full(200, 600.0))


def test_arrays_from_a_size_on_are_cut():
    outer = _core.tile_rules()
    with tessera.device("simulated:2"):
        _core.set_tile_rules("80000", "allow")
        try:
            assert _core.tile_rules() == ("80000", "allow")
            small, large = np.arange(9999) + 1, np.arange(20000) + 1  # of one window
            tessera.synchronize()
            assert len(tessera.layout(small)) == 1
            assert list(tessera.layout(large)) == ["simulated", "simulated@1"]
            whole = np.sort(large[::-1])  # made at one place, where it stays
            twice = whole * 2
            tessera.synchronize()
            assert len(tessera.layout(twice)) == 1
            both = twice + large
            tessera.synchronize()
            assert len(tessera.layout(both)) == 2
            same(both, 3 * (numpy.arange(20000) + 1))
        finally:
            _core.set_tile_rules(*outer)


def test_messages_that_forward_others_come_after_them():
    """Rows roll around: each place sends what it has just got."""
    values = numpy.arange(7 * 5.0).reshape(7, 5)
    with places(7):
        a = np.array(values)
        for shift in (1, 2, 3, 1):
            a = np.roll(a, shift, axis=0) + 1
            values = numpy.roll(values, shift, axis=0) + 1
        same(a, values)


@pytest.mark.parametrize("method", ["random", "standard_normal"])
def test_seeded_draws_are_cut_as_long_arrays_are(method):
    outer = _core.tile_rules()
    wanted = getattr(numpy.random.default_rng(1), method)((3000, 50))
    with places(3):
        _core.set_tile_rules("1000000", "error")
        try:
            got = getattr(np.random.default_rng(1), method)((3000, 50))
            tessera.synchronize()
            assert len({place for place, nbytes in tessera.layout(got).items() if nbytes}) == 3
            same(got + 1, wanted + 1)
        finally:
            _core.set_tile_rules(*outer)


def test_an_array_is_cut_where_a_call_needs_it_and_stays_so():
    values = numpy.random.default_rng(1).normal(size=30_000)
    with tessera.device("cpu"):
        wanted = numpy.asarray(np.cumsum(np.asarray(values) + 1))
    with places(2):
        a = np.asarray(values) + 1
        first, before = counted(lambda: np.cumsum(a))
        again, after = counted(lambda: np.cumsum(a))
        same(first, wanted)
        same(again, wanted)
        assert before["bytes_between_devices"] > 8000 > after["bytes_between_devices"]
        same(a * 2, (values + 1) * 2)


@pytest.mark.parametrize("count", [2, 5])
def test_operands_that_are_parts_of_one_array_outlast_its_new_cut(count):
    values = numpy.arange(21_007.0)
    for low, high in ((0, 50), (10_000, 10_050), (20_950, 21_007)):
        with places(count):
            x = np.asarray(values) + 0
            tessera.synchronize()
            rows = x.reshape(-1, 7)
            for _ in range(2):
                got = np.searchsorted(x[low:high], rows)
                same(got, numpy.searchsorted(values[low:high], values.reshape(-1, 7)))
            same(x + 1, values + 1)


@pytest.mark.parametrize("name", ["PCG64", "PCG64DXSM", "Philox"])
@pytest.mark.parametrize("count", [2, 7])
def test_each_place_draws_its_own_numbers(name, count):
    ours = np.random.Generator(getattr(np.random, name)(3))
    theirs = numpy.random.Generator(getattr(numpy.random, name)(3))
    calls = (
        lambda g: g.random(40_003),
        lambda g: g.random(3, dtype="f4"),
        lambda g: g.random((20_003, 3), dtype="f4"),
        lambda g: g.uniform(2, 3, (701, 101)),
        lambda g: g.random(70_001, dtype="f4"),
    )
    with places(count, gather="error"):
        for call in calls:
            got, wanted = call(ours), call(theirs)
            _, counts = counted(tessera.synchronize)
            assert counts["copies_between_devices"] == 0
            assert wanted.size < 100 or len([nbytes for nbytes in tessera.layout(got).values() if nbytes]) == count
            same(got, wanted)
            same(got[1:] - got[:-1], wanted[1:] - wanted[:-1])
    same(ours.standard_normal(100), theirs.standard_normal(100))
