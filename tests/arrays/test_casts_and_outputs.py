"""What is cast, refused and said of it, of values and of out=: each call beside NumPy's."""

import warnings

import numpy
import pytest
import tessera.numpy as tnp

import tessera


def outcome(call, library):
    """Result, or exception that users know, and the warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = call(library)
        except Exception as error:
            result = next(kind for kind in type(error).__mro__ if kind.__module__ in ("builtins", "numpy.exceptions"))
        else:
            arrays = result if isinstance(result, tuple) else (result,)
            result = [(numpy.asarray(a).dtype, numpy.asarray(a).tolist()) for a in arrays]
    texts = {str(warning.message) for warning in said if warning.category is not tessera.FallbackWarning}
    return repr(result), sorted(
        text.replace("integer.This", "integer. This") for text in texts
    )  # the first releases of NumPy 2.5 forgot the blank


def copied(dtype, value, **options):
    def call(lib):
        array = lib.zeros(2, dtype)
        lib.copyto(array, eval(value, {"np": lib}), casting="unsafe", **options)
        return array

    return call


VALUES = [
    "np.inf",
    "np.nan",
    "1e30",
    "3.7",
    "300",
    "1+2j",
    "complex(1e300, 0)",
    "np.float64(np.inf)",
    "np.array(1e30)",
    "[1.5, np.nan]",
    "[300, 1]",
    "True",
]


@pytest.mark.parametrize("dtype", ["i1", "u8", "f4", "F", "?"])
@pytest.mark.parametrize("value", VALUES)
def test_fills_cast_what_stores_would_refuse(value, dtype):
    calls = {
        "copyto": copied(dtype, value),
        "copyto where": copied(dtype, value, where=[True, False]),
        "full": lambda lib: lib.full(2, eval(value, {"np": lib}), dtype=dtype),
        "full_like": lambda lib: lib.full_like(lib.zeros(2, dtype), eval(value, {"np": lib})),
    }
    for name, call in calls.items():
        assert outcome(call, tnp) == outcome(call, numpy), name


def strict(lib):
    with lib.errstate(invalid="raise"):
        return lib.add(lib.array([lib.nan]), 1, dtype="i8", casting="unsafe")


def two(lib, dtype="f8"):
    return lib.array([1e300, 1], dtype)


CASTS = {
    "where of a large number": lambda lib: lib.where([True, False], lib.ones(2, "f4"), 1e150),
    "dtype narrower than operands": lambda lib: lib.add(two(lib), two(lib), dtype="f4"),
    "nan to integers": lambda lib: lib.add(lib.array([lib.nan, 1]), 1, dtype="i8", casting="unsafe"),
    "nan to integers under raise": strict,
    "sqrt of narrowed": lambda lib: lib.sqrt(two(lib), dtype="f4"),
    "ldexp beside an unsigned exponent": lambda lib: lib.ldexp(1.0, lib.uint64(3), dtype="d"),
    "ldexp beside one by signature": lambda lib: lib.ldexp(1.0, lib.uint64(3), signature=(None, None, "d")),
    "ldexp of floats": lambda lib: lib.ldexp(lib.float32(1), lib.int64(2), dtype="d"),
    "swapped bytes are not no cast": lambda lib: lib.sqrt(numpy.ones(3, ">f4"), casting="no"),
    "swapped bytes are equivalent": lambda lib: lib.sqrt(numpy.ones(3, ">f4"), casting="equiv"),
    "structured beside numbers": lambda lib: lib.zeros(3) == numpy.zeros(3, [("a", "i1")]),
    "initial of a list": lambda lib: lib.sum([[1, 2], [3, 4]], initial=[3]),
    "randint of swapped bytes": lambda lib: lib.random.RandomState(1).randint(0, 200, size=10, dtype=">i4"),
}


OUTPUTS = {
    "ellipsis in a tuple": lambda lib: lib.negative(1, out=(...,)),
    "take narrows": lambda lib: lib.take(lib.arange(4.0) + 0.5, [0, 1], out=lib.arange(2)),
    "take does not widen": lambda lib: lib.take(lib.arange(4), [0, 1], out=lib.arange(2.0)),
    "compress narrows": lambda lib: lib.compress([True] * 4, lib.arange(4.0) + 0.5, out=lib.arange(4)),
    "argmax into int32": lambda lib: lib.argmax(lib.arange(4), out=lib.zeros((), "i4")),
    "argmax into floats": lambda lib: lib.argmax(lib.arange(4), out=lib.zeros(())),
    "cumprod of complex into floats": lambda lib: lib.cumprod(lib.arange(1, 4), dtype="F", out=lib.zeros(3)),
    "cumsum into integers": lambda lib: lib.cumsum(lib.arange(4.0) * 0.7, dtype="f4", out=lib.zeros(4, "i8")),
    "sum into integers": lambda lib: lib.sum(lib.arange(4.0) * 0.7, out=lib.zeros((), "i8")),
}


@pytest.mark.parametrize("name", CASTS)
def test_casts_say_what_they_lose(name):
    assert outcome(CASTS[name], tnp) == outcome(CASTS[name], numpy)


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_take_the_types_that_numpys_do(name):
    assert outcome(OUTPUTS[name], tnp) == outcome(OUTPUTS[name], numpy)


def masked(shape):
    def call(lib):
        array = lib.zeros(2)
        array[lib.array([True, False])] = lib.ones(shape)
        return array

    return call


CORNERS = {
    "mask takes no matrix": masked((1, 1)),
    "mask takes as many": masked((3,)),
    "vecdot with axes of operands only": lambda lib: lib.vecdot(
        lib.arange(27).reshape(3, 3, 3), lib.arange(27.0).reshape(3, 3, 3), axes=[0, 2], keepdims=True
    ),
    "vecdot with all axes": lambda lib: lib.vecdot(lib.ones((2, 3)), lib.ones((2, 3)), axes=[0, 0, 0], keepdims=True),
    "ndmax of zero": lambda lib: lib.array([1, 2], ndmax=0),
    "ndmax of zero, objects": lambda lib: lib.array([1, 2], ndmax=0, dtype=object),
    "unpackbits along no axis": lambda lib: lib.unpackbits(lib.ones((3, 3), "u1"), axis=2),
    "diag_indices of nothing": lambda lib: lib.diag_indices(None),
    "lexsort of numbers": lambda lib: lib.lexsort(lib.array([3, 1, 2])),
    "mgrid of a list": lambda lib: lib.mgrid[[slice(0, 4, 1), slice(3, 20, 4)]],
    "tril_indices at half a diagonal": lambda lib: lib.tril_indices(5, k=-1.5),
    "triu_indices at half a diagonal": lambda lib: lib.triu_indices(5, k=-1.5),
    "tril_indices of half a row": lambda lib: lib.tril_indices(5.5),
    "tril_indices of fewer than none": lambda lib: lib.tril_indices(-1.5),
    "odd reflections of booleans": lambda lib: lib.pad(lib.array([True, False]), (1, 2), "reflect", reflect_type="odd"),
    "odd reflections of unsigned numbers": lambda lib: lib.pad(
        lib.arange(6, dtype="u8"), 7, "symmetric", reflect_type="odd"
    ),
    "trapezoids between booleans": lambda lib: lib.trapezoid(lib.arange(3), x=lib.array([True, False, True])),
    "cov in integers": lambda lib: lib.cov(lib.arange(12).reshape(3, 4), dtype="i4"),
    "cov in halves": lambda lib: lib.cov(lib.arange(12).reshape(3, 4), dtype="e"),
    "poly of halves": lambda lib: lib.poly(lib.array([1, 2, 3], "e")),
    "polynomials of polynomials": lambda lib: (
        lib.polyval(lib.array([1, 2, 3], "f4"), lib.poly1d(lib.array([1, 2, 3], "f4"))).c
    ),
    "a range from negative zero": lambda lib: lib.copysign(1, lib.arange(-0.0, 3)),
    "a range of one negative zero": lambda lib: lib.copysign(1, lib.arange(-0.0, 1, dtype="f4")),
    "a range down from negative zero": lambda lib: lib.copysign(1, lib.arange(-0.0, -3, -1)),
    "transforms of extents that are not said": lambda lib: (
        lib.fft.fftn(lib.ones((4, 3, 2)), s=(4, None, 2), axes=(0, 1, 2)).shape
    ),
    "bmat with globals alone": lambda lib: lib.bmat("A,A", gdict={"A": lib.ones((2, 2))}),
}


@pytest.mark.parametrize("name", CORNERS)
def test_corners_are_numpys(name):
    assert outcome(CORNERS[name], tnp) == outcome(CORNERS[name], numpy)


def test_copies_share_no_memory_before_they_are_written():
    a = tnp.ones((100, 100))
    b, c = a.copy(), tnp.zeros((100, 100))
    c[...] = a
    assert not any(
        share(x, y) for share in (tnp.shares_memory, tnp.may_share_memory) for x in (a, a[1:]) for y in (b, c, b[2:])
    )
    assert (
        tnp.shares_memory(a, a[1:])
        and tnp.shares_memory(a, numpy.asarray(a))
        and not tnp.shares_memory(a[::2], a[1::2])
    )


def test_fixed_flags_may_be_set_to_what_they_are():
    array = tnp.zeros(3)
    array.flags.aligned = True
    array.flags.writebackifcopy = False
    with pytest.raises(ValueError, match="WRITEBACKIFCOPY"):
        array.flags.writebackifcopy = True


def test_lines_keep_the_class_a_function_gives():
    class Derived(tnp.ndarray):
        pass

    assert type(tnp.apply_along_axis(lambda line: line[::-1].view(Derived), 0, tnp.ones((2, 3)))) is Derived


def test_archives_are_numpys(tmp_path):
    tnp.savez(tmp_path / "two.npz", a=tnp.arange(3), b=tnp.ones((2, 2)))
    with tnp.load(tmp_path / "two.npz") as archive:
        assert isinstance(archive, tnp.lib.npyio.NpzFile) and archive.files == ["a", "b"]
        assert all(
            type(array) is tnp.ndarray for array in [*archive.values(), archive["a"], archive.f.b, archive.get("b")]
        )


def test_files_keep_the_order_of_bytes(tmp_path):
    values = numpy.array([1, 2, 300], ">i4")
    tnp.save(tmp_path / "big.npy", values)
    tnp.savez(tmp_path / "big.npz", values=values)
    with tnp.load(tmp_path / "big.npz") as archive:
        for found in (tnp.load(tmp_path / "big.npy"), archive["values"]):
            assert found.dtype == values.dtype and found.tolist() == [1, 2, 300]


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)])
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum"])
def test_running_folds_lie_as_their_operands(name, axes):
    values = numpy.arange(24, dtype="f4").reshape(2, 3, 4) + 0.5
    for axis in range(3):
        expected = getattr(numpy, name)(values.transpose(axes), axis=axis)
        ours = numpy.asarray(getattr(tnp, name)(tnp.array(values).transpose(axes), axis=axis))
        assert ours.strides == expected.strides and numpy.array_equal(ours, expected)


def test_permute_dims_is_transpose():
    assert tnp.permute_dims is tnp.transpose


@pytest.mark.parametrize("theirs", [None, 10.0, 1000.0])
@pytest.mark.falls_back
def test_classes_of_higher_priority_answer_for_derived_arrays(theirs):
    def answers(lib):
        class Derived(lib.ndarray):
            __array_priority__ = 100.0

        class Other:
            __array_priority__ = theirs

            def answer(self, _):
                return "other"

            __radd__ = __rpow__ = __gt__ = answer

        arrays = [lib.array([1, 2]), lib.array([1, 2]).view(Derived)]
        calls = [lambda a: a + Other(), lambda a: a ** Other(), lambda a: a < Other()]
        return [isinstance(call(array), str) for array in arrays for call in calls]

    assert answers(tnp) == answers(numpy) == [theirs is not None] * 3 + [(theirs or 0) > 100] * 3
