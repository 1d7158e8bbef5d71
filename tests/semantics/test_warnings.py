"""Floating-point warnings of recorded work obey the filters in force where it was recorded."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import tessera.numpy as tnp

import tessera
from tessera import _core

SIZE = 50_000  # large enough to be recorded rather than run at once


def test_a_block_collects_the_warnings_of_its_own_work():
    zeros = tnp.zeros(SIZE)
    before = 1 / zeros
    with pytest.warns(RuntimeWarning, match="invalid value encountered in divide") as caught:
        inside = zeros / zeros
    assert [str(w.message) for w in caught] == ["invalid value encountered in divide"]
    assert float(before[0]) == np.inf and np.isnan(float(inside[0]))


def test_a_block_that_silences_keeps_its_work_silent():
    zeros = tnp.zeros(SIZE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        silent = zeros / zeros
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(float(silent[3]))


def test_a_filter_that_raises_raises_at_the_call():
    zeros = tnp.zeros(SIZE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="divide by zero"):
            1 / zeros
        with pytest.raises(RuntimeWarning, match="invalid value encountered in cast"):
            (zeros + np.nan).astype("i4")


def test_an_error_under_way_is_not_replaced_by_a_warning():
    zeros = tnp.zeros(SIZE)
    with pytest.raises(KeyError), warnings.catch_warnings():
        result = zeros / zeros
        warnings.filters.insert(0, ("error", None, RuntimeWarning, None, 0))
        raise KeyError("first")
    del result


def test_a_recorded_reduction_warns_as_numpy_does():
    large = tnp.full(SIZE, 1e308)
    with pytest.warns(RuntimeWarning, match="overflow encountered in reduce"):
        total = large.sum()
    assert total == np.inf


@pytest.mark.parametrize("size", [5, SIZE])
@pytest.mark.parametrize(
    ("value", "source", "to", "word"),
    [
        (70000.0, "f8", "f2", "overflow"),
        (1e300, "f8", "f4", "overflow"),
        (1e300, "f8", "c8", "overflow"),
        (1e300j, "c16", "c8", "overflow"),
        (70000, "i8", "f2", "overflow"),
        (np.inf, "f2", "u1", "invalid value"),
        (np.nan, "c8", "i8", "invalid value"),
        (complex(np.inf), "c16", "i2", "invalid value"),
    ],
)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_casts_that_lose_say_so(value, source, to, word, size):
    array = tnp.full(size, value, dtype=source)
    strided = tnp.full((size, 2), value, dtype=source)[:, 0]
    target = tnp.zeros(size, dtype=to)

    def store(values):
        target[...] = values

    for cast in (lambda: array.astype(to), lambda: strided.astype(to), lambda: store(array), lambda: store(strided)):
        with pytest.warns(RuntimeWarning, match=f"{word} encountered in cast"):
            kept = cast()
        with np.errstate(all="raise"), pytest.raises(FloatingPointError, match=f"{word} encountered in cast"):
            cast()
        del kept


@pytest.mark.parametrize("value", [np.float64("inf"), np.float16("nan"), np.complex128("inf")])
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_copyto_casts_a_numpy_scalar_as_an_array(value):
    target = tnp.zeros(3, dtype="i4")
    with pytest.warns(RuntimeWarning, match="invalid value encountered in cast"):
        tnp.copyto(target, value, casting="unsafe")


CUTS = {
    "ufunc out=": lambda m, x: m.add(x, x, out=m.zeros((2, 3), "i4"), casting="unsafe"),
    "ufunc dtype=": lambda m, x: m.add(x, x, dtype="f", casting="unsafe"),
    "outer": lambda m, x: m.multiply.outer(x, x, dtype="f", casting="unsafe"),
    "sum": lambda m, x: m.sum(x, dtype="f"),
    "mean": lambda m, x: m.mean(x, dtype="f"),
    "accumulate": lambda m, x: m.add.accumulate(x, dtype="f"),
    "cumsum": lambda m, x: m.cumsum(x, dtype="f"),
    "concatenate": lambda m, x: m.concatenate((x, x), dtype="f", casting="unsafe"),
    "array": lambda m, x: m.array(x, dtype="f"),
    "astype": lambda m, x: x.astype("f"),
    "to bool": lambda m, x: m.array(x, dtype="?"),
}


@pytest.mark.parametrize("name", CUTS)
def test_lost_imaginary_parts_warn_where_numpys_do(name):
    seen = []
    for module in (np, tnp):
        x = module.ones((2, 3), "F")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            CUTS[name](module, x)
        seen.append({each.category for each in caught})
    assert seen[0] == seen[1]


@pytest.fixture(params=["never", "before_baseline", "before_quick", "before_full"])
def execution(request):
    before = _core.options()
    _core.options(compile=request.param)
    yield request.param
    _core.options(**before)


@pytest.mark.usefixtures("execution")
def test_an_event_does_not_cost_operands_whose_memory_a_result_of_another_type_takes():
    values = np.arange(-5, SIZE - 5)
    with np.errstate(all="ignore"):
        expected = 1 / values
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        got = np.asarray(1 / tnp.asarray(values))
    assert np.array_equal(got, expected)


@pytest.mark.usefixtures("execution")
@pytest.mark.parametrize("lane", range(8))
def test_divisions_of_words_beside_wider_values_warn(lane):
    words = np.ones(SIZE, "i4")
    words[lane] = 0
    a, wide = tnp.asarray(words), tnp.ones(SIZE)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        np.asarray((a + 1) // a + wide)


@pytest.mark.usefixtures("execution")
@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod", "divmod"])
def test_integer_divisions_by_zero_warn(name):
    a = tnp.arange(SIZE)
    with pytest.warns(RuntimeWarning, match=f"divide by zero encountered in {name}"):
        got = getattr(tnp, name)(a, a)
        tessera.synchronize()
    del got


@pytest.mark.parametrize("lib", [np, tnp], ids=["numpy", "tessera"])
def test_underflow_is_reported_where_it_is_asked_for(lib):
    tiny, small = lib.array([1e-200, 1.0] * 1500), lib.array([1e-30, 1.0], "f4")
    with lib.errstate(under="raise"):
        for work in (lambda: tiny * tiny, lambda: small * small * small, lambda: lib.exp(lib.float32(-1000.0)), lambda: lib.exp(lib.float16(-17.5)),
                     lambda: lib.float16(1e-4) * lib.float16(1e-4), lambda: tiny / 1e200, lambda: lib.array([1e-300]).astype("f4"),
                     lambda: lib.square(tiny), lambda: lib.power(tiny, 2.5)):  # fmt: skip
            with pytest.raises(FloatingPointError, match="underflow"):
                work()
        assert lib.array([1e-308]) * 0 == 0 and (lib.array([2.0**-1060]) * 2.0**-10)[0] == 2.0**-1070  # exact
        assert lib.exp(lib.array([-lib.inf]))[0] == 0
    with lib.errstate(under="warn"), pytest.warns(RuntimeWarning, match="underflow encountered in multiply"):
        tiny * tiny
    assert (tiny * tiny)[0] == 0
