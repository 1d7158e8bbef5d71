"""Functions with signatures: arguments become the types that the signature names, results too, as in Numba."""

import numpy
import pytest
from tessera.errors import TypingError

from tessera import _core, jit, types


@pytest.mark.parametrize(
    ("signature", "arguments", "expected"),
    [
        ("float32(float32)", (0.1,), float(numpy.float32(0.1))),
        ("int32(int32)", (2**33 + 5,), 5),
        ("int64(int64)", (2.75,), 2),
        ("float64(int8)", (7,), 7.0),
        ("complex128(complex64)", (1.5,), 1.5 + 0j),
        ("boolean(float64)", (0.25,), True),
        ("uint8(int64)", (-1,), 255),
    ],
)
def test_numbers_become_what_the_signature_says(signature, arguments, expected):
    same = jit(signature)(lambda x: x)
    result = same(*arguments)
    assert result == expected and type(result) is type(expected)
    assert len(same.signatures) == 1


def test_tuples_become_what_the_signature_says():
    @jit(types.UniTuple(types.float32, 2)(types.Tuple([types.int32, types.float64])))
    def swap(pair):
        return pair[1], pair[0]

    assert swap((3, 0.1)) == (float(numpy.float32(0.1)), 3.0)


def test_the_signature_that_loses_least_is_chosen():
    def which(x):
        return x / 2

    halve = jit(["float32(float32)", "float64(float64)"])(which)
    assert halve(numpy.float32(3)) == 1.5
    third = numpy.float32(0.1)
    assert halve(third) == float(numpy.float32(0.1) / numpy.float32(2))
    assert halve(0.1) == 0.05
    assert halve(3) == 1.5  # int64 fits into float64 without loss


def test_arguments_that_no_signature_takes_are_named():
    takes_real = jit("float64(float64)")(lambda x: x)
    with pytest.raises(TypeError, match=r"\(complex128\) match no signature in the decorator; there are \(float64\)"):
        takes_real(1j)
    with pytest.raises(TypeError, match="match no signature"):
        takes_real(numpy.ones(3))
    two = jit(["int64(int32, float32)", "int64(float32, int32)", "int64(complex64, float32)"])(lambda a, b: 1)
    named = r"match several signatures in the decorator as well: \(int32, float32\), \(float32, int32\)\. Convert"
    with pytest.raises(TypeError, match=named):
        two(numpy.int32(1), numpy.int32(1))


def test_results_that_do_not_become_the_declared_type_are_refused():
    with pytest.raises(TypingError, match="returns complex128, its signature float64"):
        jit("float64(complex128)")(lambda z: z)


def test_flags_of_fast_math():
    for flags in ({"contract"}, {"nnan", "reassoc"}, {"fast"}, set(), True):
        assert jit(fastmath=flags)(lambda x, y, z: x * y + z)(2.0, 3.0, 4.0) == 10
    for flags in ({"spqr"}, ["contract"], "fast", 1):
        with pytest.raises(ValueError, match="fastmath"):
            jit(fastmath=flags)(lambda x: x)


def test_unsigned_integers_stay_unsigned_where_a_signature_lets_them():
    def chosen(given, *wanted):
        listed = [(types.Scalar(one),) for one in wanted]
        return [str(listed[k][0]) for k in _core.types.choose((types.Scalar(given),), listed)]

    assert chosen("u1", "u8", "i8") == chosen("u1", "i8", "u8") == ["uint64"]  # Numba's choice
    assert chosen("u2", "i2", "u4") == ["uint32"]
    assert chosen("u4", "f8", "i8") == ["int64"]
    assert chosen("i4", "u8", "i8") == ["int64"]

    f = jit(["uint64(uint64)", "int64(int64)"])(lambda x: ~x)
    assert f(numpy.uint8(1)) == 2**64 - 2 and f(numpy.int8(1)) == -2


def test_negatives_for_unsigned_parameters_are_refused():
    function = jit("uint64(uint64, int64)")(lambda a, b: a)
    assert function(3, -1) == 3 and function(numpy.int32(3), 1) == 3
    for wrong in (-1, numpy.int64(-5), numpy.int8(-1)):
        with pytest.raises(OverflowError, match="negative"):
            function(wrong, 1)
    assert function(2**63 + 5, 1) == 2**63 + 5
    narrow = jit("uint32(UniTuple(uint32, 2), float64[:])")(lambda pair, values: pair[1])
    values = numpy.ones(2)
    assert narrow((1, 2), values) == 2 and narrow((1, 2**32 + 7), values) == 7
    with pytest.raises(OverflowError, match="negative"):
        narrow((1, -2), values)
    assert narrow((1, 2), values) == 2
