"""Types of compiled functions as Python's objects: equality, hashes, pickles, and the same choice of a signature everywhere."""

import collections
import copy
import ctypes
import gc
import math
import pickle
import re
import weakref

import numpy
import pytest
from tessera.errors import TypingError
from tessera.extending import overload

from tessera import cuda, jit, njit, types

Point = collections.namedtuple("Point", "x y")
RECORD = numpy.dtype([("a", "i4"), ("b", "f8", (2,)), ("c", "U3")])
TYPES = [
    types.int64,
    types.float32[:, :],
    types.Tuple((types.int8, types.float32)),
    types.UniTuple(types.int8, 3),
    types.NamedTuple((types.int8, types.float64), Point),
    types.void,
    types.Optional(types.int8),
    types.literal(3),
    types.literal(True),
    types.List(types.float64),
    types.Slice((types.int64, types.none, types.none)),
    types.literal("sum"),
    types.Class("float32"),
    types.EllipsisType(),
    types.Record(RECORD),
    types.Array(types.Record(RECORD), 2),
    types.CPointer(types.float64),
    types.voidptr,
]


def test_types_are_equal_to_copies_of_them_and_to_nothing_else():
    for k, one in enumerate(TYPES):
        for made in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
            assert made == one and hash(made) == hash(one) and type(made) is type(one) and repr(made) == repr(one)
        assert [other for other in TYPES if other == one] == [one], k
        assert one != None and one != "int64" and one != one.name  # noqa: E711
    assert len(set(TYPES)) == len(TYPES)


def test_a_type_of_ones_own_is_known_by_its_name():
    class Mine(types.Type):
        def __init__(self):
            super().__init__("Mine")

    assert Mine() == Mine() and Mine() != types.Type("Other") and Mine().name == "Mine"
    assert Mine() in {Mine(): 1}


def test_values_have_the_types_that_signatures_name():
    assert types.typeof(Point(numpy.int8(1), 2.5)) == types.NamedTuple((types.int8, types.float64), ("x", "y"))
    assert types.typeof(numpy.zeros((2, 3), RECORD)) == types.Array(types.Record(RECORD), 2)
    assert types.typeof([1.5]) == types.List(types.float64) and types.typeof(...) == types.EllipsisType()
    assert types.typeof((1, 2)) == types.Tuple((types.int64, types.int64)) == types.UniTuple(types.int64, 2)


def test_versions_are_found_by_types_however_they_were_made():
    f = jit(lambda x, y: x)
    f(numpy.zeros(2), (1, 2.5))
    (listed,) = f.signatures
    assert listed == (types.float64[::1], types.Tuple((types.int64, types.float64)))
    assert listed in f.overloads and f.nopython_signatures[0].args == listed
    signature = f.overloads[listed].signature
    assert signature == f.nopython_signatures[0] and signature.return_type == signature.result


def test_kernels_and_functions_choose_the_same_signature():
    """Numba calls the first one ambiguous: NumPy's rule decides, by which an unsigned integer that fits stays an integer."""
    for given, wanted, expected in [("u1", ["f4", "i2"], "i2"), ("i4", ["f4", "f8"], "f8"), ("i8", ["i1", "f8"], "f8")]:
        listed = [types.void(types.Scalar(one), types.int64[:]) for one in wanted]
        bits = numpy.zeros(1, numpy.int64)
        number = numpy.dtype(given).type(3)

        def size(x, out):
            out[0] = x / x + (8 if x + x - x != x else 0)

        host, kernel = jit(listed)(size), cuda.jit(listed)(size)
        host(number, bits)
        kernel[1, 1](number, bits)
        chosen = [k for k, one in enumerate(wanted) if one == expected]
        assert [k for k in range(2) if host.signatures[k] == kernel.signatures[k]] == [0, 1]
        assert kernel._choose((types.Scalar(given), types.int64[:])) == host.signatures[chosen[0]]
        assert host._signature_for((types.Scalar(given), types.int64[:])) == host.signatures[chosen[0]]


def test_signatures_that_are_as_good_are_ambiguous_for_both():
    def f(x, y, out):
        out[0] = x + y

    listed = ["void(float64, float32, float64[:])", "void(float32, float64, float64[:])"]
    out = numpy.zeros(1)
    with pytest.raises(TypeError, match="several signatures"):
        jit(listed)(f)(numpy.float32(1), numpy.float32(2), out)
    with pytest.raises(TypeError, match="Ambiguous overloading"):
        cuda.jit(listed)(f)[1, 1](numpy.float32(1), numpy.float32(2), out)


def test_the_type_of_a_function_does_not_keep_it_alive_in_a_circle():
    @jit
    def inner(x):
        return x + 1

    @jit
    def outer(f, x):
        return f(x)

    assert outer(inner, 2) == 3
    inner.seen = outer.signatures  # a circle: a function, and the type that names it
    gone = weakref.ref(inner)
    del inner, outer
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: types.List(5), TypeError, "types.List: 5 is no type; write types.int64"),
        (lambda: types.Optional(None), TypeError, "types.Optional: None is no type"),
        (lambda: types.Tuple([types.int64, int]), TypeError, "types.Tuple: <class 'int'> is no type"),
        (lambda: types.UniTuple("int64", 2), TypeError, "types.Tuple: 'int64' is no type"),
        (lambda: types.Array(types.int64, -1), ValueError, "-1 axes; an array has 0 to 64"),
        (lambda: types.Array(types.int64, 2.0), ValueError, "2.0 axes"),
        (lambda: jit(5), TypeError, "5 is neither a function nor a signature"),
    ],
)
def test_what_is_no_type(make, error, text):
    with pytest.raises(error, match=re.escape(text)):
        make()


def test_types_say_what_numbas_say():
    array = types.Array(types.int64, 2, "C")
    assert str(array) == "array(int64, 2d, C)" and array.key == (types.int64, 2, "C", True, True)
    assert array.copy(ndim=1).ndim == 1 and array.copy(dtype=types.float32).dtype == types.float32
    assert not array.copy(readonly=True).mutable and array.mutable and array.is_c_contig and not array.is_f_contig
    assert isinstance(array, types.ArrayCompatible) and isinstance(types.UniTuple(types.int64, 2), types.Sequence)
    assert str(types.UniTuple(types.int64, 3)) == "UniTuple(int64 x 3)"
    assert str(types.none) == "none" and types.int64.cast_python_value(3.7) == 3
    frozen = numpy.arange(3)
    frozen.flags.writeable = False
    assert str(types.typeof(frozen)) == "readonly array(int64, 1d, C)" and not types.typeof(frozen).mutable
    assert types.typeof("a") == types.unicode_type
    record = types.from_dtype(numpy.dtype([("a", "i4"), ("b", "f8", (2,)), ("t", "U3")]))
    assert list(record.fields) == ["a", "b", "t"] and record.typeof("a") == types.int32 and record.offset("b") == 4
    assert record.typeof("b").shape == (2,) and record.typeof("t") == types.UnicodeCharSeq(3)
    assert types.DType(types.float32) != types.NumberClass(types.float32) == types.Class("float32")


def test_truth_values_and_dates_are_no_numbers():
    assert [isinstance(types.from_dtype(one), types.Number) for one in "? i8 u1 f4 c16 M8[s] m8[s]".split()] == [
        False,
        *[True] * 4,
        False,
        False,
    ]
    assert isinstance(types.boolean, types.Boolean) and bool(types.boolean(2)) is True


def test_choosers_are_told_what_values_are():
    def asked(x):
        raise NotImplementedError

    @overload(asked)
    def choose(x):
        for kind in ("DType", "RangeType", "List", "BaseTuple", "SliceType", "NoneType", "NumberClass", "Array"):
            if isinstance(x, getattr(types, kind)):
                break
        names = {
            "DType": lambda x: "DType",
            "RangeType": lambda x: "RangeType",
            "List": lambda x: "List",
            "BaseTuple": lambda x: "BaseTuple",
        }
        names |= {
            "SliceType": lambda x: "SliceType",
            "NoneType": lambda x: "NoneType",
            "NumberClass": lambda x: "NumberClass",
        }
        return names.get(kind, lambda x: "Array")

    @njit
    def each(a, dtype):
        return (
            asked(range(3)),
            asked([1, 2]),
            asked((1, 2)),
            asked(slice(1, 2)),
            asked(None),
            asked(numpy.float32),
            asked(a.dtype),
            asked(dtype),
            asked(a),
        )

    wanted = "RangeType List BaseTuple SliceType NoneType NumberClass DType".split()
    assert each(numpy.zeros(2), numpy.dtype("f4")) == (*wanted, "DType", "Array")
    assert each(numpy.zeros(2), numpy.float32) == (*wanted, "NumberClass", "Array")


def test_choosers_are_not_told_whether_arrays_are_read_only():
    def asked(x):
        raise NotImplementedError

    @overload(asked)
    def choose(x):
        return (lambda x: 1) if x.mutable else (lambda x: 2)

    with pytest.raises(TypingError, match="read-only"):
        njit(lambda x: asked(x))(numpy.zeros(2))


def test_functions_of_ctypes_are_arguments():
    cosine = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(("cos", ctypes.CDLL(None)))

    @njit
    def apply(f, x):
        return f(x) + 1

    assert apply(cosine, 0.5) == math.cos(0.5) + 1
    undeclared = ctypes.CDLL(None).sin
    with pytest.raises(TypingError, match="argtypes"):
        apply(undeclared, 0.5)


def test_tuples_take_iterators():
    assert types.Tuple(iter([types.int64, types.float32])) == types.Tuple((types.int64, types.float32))
    assert types.Tuple(iter([types.int64, types.int64])) == types.UniTuple(types.int64, 2)
    assert types.Tuple(iter(())).types == ()
    assert njit((types.Tuple(iter([types.int64, types.float64])),))(lambda pair: pair[1])((1, 2.5)) == 2.5
