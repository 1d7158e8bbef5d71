"""New arrays."""

import numpy
import tessera.numpy as tnp
from differential import check, same, samples


def test_filled():
    for name in ("zeros", "ones"):
        for shape in ((), 3, (2, 3), [2, 0], (1, 2, 3), -1, (2, -1), numpy.int64(4)):
            for dtype in (None, int, "f4", bool, complex, numpy.uint8, "e"):
                check(name, shape, dtype)
        check(name, (2, 3), order="F")
        check(name, 3, device="cpu")
        check(name, 3, device="gpu")
    for value in (1, 2.5, 1j, True, [1, 2, 3], numpy.float32(2), numpy.array([[1], [2]])):
        check("full", (2, 3), value)
        check("full", (2, 3), value, dtype="f4")
        check("full", (2, 3), value, dtype=int)


def test_like():
    for a in samples("?ildF"):
        for name in ("zeros_like", "ones_like"):
            check(name, a)
            check(name, a, dtype="f4")
            check(name, a, shape=(2, 2))
            for order in "CFAK":
                check(name, a, order=order)
        check("full_like", a, 3)
        check("full_like", a, 2.7, dtype=float)
        assert tnp.empty_like(tnp.asarray(a)).dtype == a.dtype
    for a in (numpy.zeros((2, 3, 4)), numpy.zeros((2, 3, 4)).T, numpy.zeros((2, 3, 4)).transpose(1, 0, 2)):
        for order in "CFAK":
            assert (
                tnp.empty_like(tnp.asarray(a, copy=False), order=order).strides
                == numpy.empty_like(a, order=order).strides
            )


def test_ranges():
    for arguments in (
        (5,),
        (2, 7),
        (2, 7, 2),
        (7, 2, -1),
        (0,),
        (5, 2),
        (0.5, 3),
        (1, 2, 0.25),
        (-3,),
        (0, 1, 0.1),
        (1, 2, 0),
        (10.0,),
        (numpy.int8(3),),
        (numpy.float32(3),),
        (True,),
    ):
        check("arange", *arguments)
        check("arange", *arguments, dtype="f4")
        check("arange", *arguments, dtype="i2")
    check("arange", 3, None, None)
    for arguments in (
        (numpy.int64(5),),
        (numpy.float64(2.5),),
        (1, numpy.int64(9), numpy.float64(0.5)),
        (numpy.int64(2**62), numpy.int64(2**62 + 3)),
    ):
        check("arange", *arguments)
        check("arange", *arguments, dtype="f4")
    for arguments in (
        (20_000,),
        (7, 90_000, 3),
        (0.1, 3000, 0.1),
        (-7.3e5, 1e6, 13.7),
        (-1e16, 1e16, 1e12 + 0.3),
        (5, -40_000, -2),
        (30_000.0,),
    ):
        for dtype in (None, "f4", "F", "D", "i2", "u4", "i8"):
            check("arange", *arguments, dtype=dtype)
    for num in (0, 1, 2, 5, 50, -1, 2.5, 20_001):
        for ends in (
            (0, 1),
            (1, 10),
            (0, 5e-324),
            (-1e308, 1e308),
            (2.5, numpy.inf),
            (5.0, -5.0),
            (3, 3),
            (0, 1j),
            (numpy.float32(0), numpy.float32(1)),
        ):
            check("linspace", *ends, num)
            check("linspace", *ends, num, endpoint=False)
            check("linspace", *ends, num, retstep=True)
            check("linspace", *ends, num, dtype=int) if not isinstance(ends[1], complex) else None
            check("logspace", *ends, num, rtol=1e-12)
            if 0 not in ends:
                check("geomspace", *ends, num, rtol=1e-12)
    for axis in (0, 1, -1):
        check("linspace", [0, 1], [2, 5], 4, axis=axis)
        check("linspace", numpy.zeros((2, 3)), 5.0, 4, axis=axis)
        check("logspace", [0, 1], [2, 3], 4, axis=axis)
        check("logspace", 0, 2, 4, base=[2.0, 3.0], axis=axis)
        check("geomspace", [1, 2], [8, 64], 4, axis=axis)
    check("geomspace", 1, 1000, 4)
    check("geomspace", 1000, 1, 4, endpoint=False)
    check("geomspace", -1, -1000, 4)
    check("geomspace", 1j, 1000j, 4)
    check("geomspace", 1, 0, 4)
    check("geomspace", 1, 256, 9, dtype=int)
    check("linspace", 0, 10, 5, device="tpu")


def test_ranges_beyond_what_is_counted():
    inf = numpy.inf
    for arguments in (
        (inf, 18.2),
        (18.2, inf),
        (0, inf, inf),
        (5, 10, inf),
        (5, 0, -inf),
        (2**62, -(2**63)),
        (-12, 2**63 - 1),
        (2**63, 2**63 + 5),
        (0, 2**63, 2**62),
        (-(2**63), 2**63 - 1, 2**62),
        (300, 305),
        (0, 9.3e18),
        (2**64,),
    ):
        for dtype in (None, "i1", "i4", "i8", "u8", "f8"):
            if arguments == (-(2**63), 2**63 - 1, 2**62) or dtype != "i1" or arguments[0] == 300:
                check("arange", *arguments, dtype=dtype)
    for dtype in ("M8[D]", "m8[D]"):
        check("arange", 5, dtype=dtype)
    check("arange", numpy.datetime64("2020-01-01"), numpy.datetime64("2020-01-05"))


def test_linspace_has_the_type_of_its_ends():
    ends = [
        1,
        -3.75,
        True,
        numpy.float16(0.3),
        numpy.float32(0.1),
        numpy.float64(0.7),
        numpy.int8(3),
        numpy.int64(7),
        2j,
        numpy.complex64(1 + 1j),
        numpy.array(0.1, "f4"),
        numpy.array([1, 2], "f2"),
        [1, 2.5],
        numpy.array([1, 2]),
    ]
    for start in ends:
        for stop in ends:
            for num in (1, 3, 50, 1500):
                check("linspace", start, stop, num)


def test_arrays_from_objects():
    for value in (
        1,
        2.5,
        True,
        1j,
        [1, 2],
        [[1, 2], [3, 4]],
        [1, 2.5],
        [True, 2],
        [],
        [[]],
        (1, (2)),
        range(4),
        [numpy.float32(1), 2],
        [[1, 2], [3]],
        numpy.arange(3),
        [numpy.arange(3), [1, 2, 3]],
        "7",
    ):
        if value == "7" if isinstance(value, str) else False:
            continue
        for name in (
            "array",
            "asarray",
            "asanyarray",
            "ascontiguousarray",
            "asfortranarray",
            "copy",
            "require",
            "asarray_chkfinite",
        ):
            check(name, value)
        check("array", value, dtype="f4")
        check("array", value, ndmin=3)
        check("array", value, order="F")
    check("asarray_chkfinite", [1, numpy.nan])
    check("array", [1, 2], copy=False)
    check("array", numpy.arange(3), copy=False)
    check("array", numpy.arange(3), float, copy=False)
    check("astype", numpy.arange(3), float)
    check("astype", [1, 2], float)
    check("require", numpy.arange(6).reshape(2, 3), None, ["F", "W"])
    check("require", numpy.arange(6).reshape(2, 3), "f4", "C")
    check("require", numpy.arange(6).reshape(2, 3), None, ["C", "F"])
    a = tnp.arange(4)
    assert tnp.asarray(a) is a and tnp.array(a) is not a and tnp.asarray(a, copy=True) is not a
    assert tnp.ascontiguousarray(a) is a


def test_memory_and_text():
    check("frombuffer", b"\x01\x02\x03\x04", "u1")
    check("frombuffer", b"\x01\x02\x03\x04\x05\x06\x07\x08", "i2", 2, 2)
    check("fromiter", [1, 2, 3], float)
    check("fromiter", range(5), int, 3)
    check("fromstring", "1 2 3.5", sep=" ")
    check("fromstring", "1,2,3", dtype=int, sep=",")
    check("fromfunction", lambda i, j: i + 10 * j, (2, 3))
    check("fromfunction", lambda i, j: i == j, (3, 3), dtype=int)
    same(numpy.from_dlpack(numpy.arange(3.0)), tnp.from_dlpack(numpy.arange(3.0)), 0, "from_dlpack")


def test_names_without_elements():
    check("result_type", numpy.arange(3), 2.5)
    check("result_type", numpy.arange(3, dtype="f4"), 2.5)
    check("result_type", "i4", numpy.arange(3, dtype="i8"))
    check("can_cast", numpy.dtype("f8"), "f4")
    check("min_scalar_type", 300)
    check("min_scalar_type", numpy.arange(3))
    check("promote_types", "f4", "i8")
    check("common_type", numpy.arange(3), numpy.ones(3, "f4"))
    check("common_type", numpy.arange(3, dtype="F"))
    check("isscalar", numpy.arange(3))
    check("isscalar", 3)
    check("iterable", numpy.arange(3))
    check("array2string", numpy.arange(3))
    check("array_repr", numpy.arange(6.0).reshape(2, 3))
    check("array_str", numpy.arange(6.0).reshape(2, 3))
    check("broadcast_shapes", (2, 1), (3,))
