"""The array object: attributes, methods and slots behave as NumPy's."""

from __future__ import annotations

import copy
import gc
import weakref

import numpy as np
import pytest
import tessera.numpy as tnp

from tessera import _core

ALL_DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
ALL_DTYPES += ["float16", "float32", "float64", "complex64", "complex128"]


def pair(shape=(2, 3, 4), dtype="float64"):
    array = np.arange(int(np.prod(shape))).astype(dtype).reshape(shape).copy()
    return tnp.array(array), array


def same(ours, theirs):
    assert isinstance(ours, tnp.ndarray) == isinstance(theirs, np.ndarray), (type(ours), type(theirs))
    if isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    else:
        assert type(ours) is type(theirs)
    np.testing.assert_array_equal(np.asarray(ours), theirs)


LAYOUTS = {
    "dense": lambda a: a,
    "transposed": lambda a: a.T,
    "strided": lambda a: a[:, ::2],
    "reversed": lambda a: a[::-1],
    "sliced": lambda a: a[1:, 1:, 1:],
    "newaxis": lambda a: a[:, None],
    "empty": lambda a: a[:0],
}
ATTRIBUTES = ["shape", "strides", "ndim", "size", "itemsize", "nbytes", "dtype"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_attributes_equal_numpys(layout, attribute):
    ours, theirs = (LAYOUTS[layout](a) for a in pair())
    assert getattr(ours, attribute) == getattr(theirs, attribute)


FLAGS = [
    "c_contiguous",
    "f_contiguous",
    "owndata",
    "writeable",
    "aligned",
    "writebackifcopy",
    "behaved",
    "carray",
    "farray",
    "fnc",
    "forc",
]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_flags_equal_numpys(layout):
    ours, theirs = (LAYOUTS[layout](a) for a in pair())
    for flag in FLAGS:
        assert getattr(ours.flags, flag) == getattr(theirs.flags, flag), flag
    for key in ["C", "F", "C_CONTIGUOUS", "WRITEABLE", "OWNDATA", "FORC"]:
        assert ours.flags[key] == theirs.flags[key], key
    assert str(ours.flags) == str(theirs.flags)


@pytest.mark.parametrize("dtype", ALL_DTYPES)
def test_text_equals_numpys(dtype):
    ours, theirs = pair((2, 3), dtype)
    assert repr(ours) == repr(theirs)
    assert str(ours) == str(theirs)
    assert f"{tnp.array(2.5):.3f}" == "2.500"


METHODS = {
    "reshape": lambda a: a.reshape(4, -1),
    "reshape tuple": lambda a: a.reshape((3, 8)),
    "reshape fortran": lambda a: a.reshape((3, 8), order="F"),
    "ravel": lambda a: a.ravel(),
    "ravel fortran": lambda a: a.ravel("F"),
    "ravel k": lambda a: a.ravel("K"),
    "flatten": lambda a: a.flatten(),
    "flatten fortran": lambda a: a.flatten("F"),
    "transpose": lambda a: a.transpose(),
    "transpose axes": lambda a: a.transpose(1, 0, 2),
    "transpose tuple": lambda a: a.transpose((2, -3, 1)),
    "swapaxes": lambda a: a.swapaxes(0, 2),
    "squeeze": lambda a: a[:1].squeeze(),
    "squeeze axis": lambda a: a[:1, :1].squeeze(axis=1),
    "diagonal": lambda a: a.diagonal(),
    "diagonal offset": lambda a: a.diagonal(1, 1, 2),
    "astype": lambda a: a.astype("int16"),
    "astype complex": lambda a: a.astype(complex),
    "copy": lambda a: a.copy(),
    "copy fortran": lambda a: a.copy("F"),
    "view bytes": lambda a: a.view("uint8"),
    "view complex": lambda a: a.view(complex),
    "real": lambda a: a.view(complex).real,
    "imag": lambda a: a.view(complex).imag,
    "T": lambda a: a.T,
    "mT": lambda a: a.mT,
    "byteswap": lambda a: a.byteswap(),
    "conj": lambda a: a.conj(),
    "__copy__": copy.copy,
    "__deepcopy__": copy.deepcopy,
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_give_numpys_arrays(name):
    ours, theirs = (METHODS[name](a) for a in pair())
    same(ours, theirs)
    assert ours.strides == theirs.strides
    assert ours.flags.writeable == theirs.flags.writeable
    assert (ours.base is None) == (theirs.base is None)


FUNCTIONS = {
    "sum": lambda a: a.sum(),
    "sum axis": lambda a: a.sum(axis=1),
    "prod": lambda a: a.prod(axis=(0, 2)),
    "min": lambda a: a.min(),
    "max keepdims": lambda a: a.max(axis=0, keepdims=True),
    "mean": lambda a: a.mean(axis=-1),
    "std": lambda a: a.std(),
    "var": lambda a: a.var(axis=0, ddof=1),
    "any": lambda a: a.any(),
    "all": lambda a: a.all(axis=0),
    "argmin": lambda a: a.argmin(),
    "argmax": lambda a: a.argmax(axis=1),
    "cumsum": lambda a: a.cumsum(axis=1),
    "cumprod": lambda a: a.cumprod(),
    "round": lambda a: (a / 3).round(2),
    "clip": lambda a: a.clip(2, 7),
    "take": lambda a: a.take([0, 5, 3]),
    "compress": lambda a: a.compress([True, False, True], axis=1),
    "repeat": lambda a: a.repeat(2, axis=0),
    "argsort": lambda a: a[..., ::-1].argsort(),
    "searchsorted": lambda a: a.ravel().searchsorted([2.5, 3]),
    "trace": lambda a: a.trace(),
    "dot": lambda a: a.ravel().dot(a.ravel()),
    "choose": lambda a: (
        np.array([0, 1, 0]).choose([1, 2]) if isinstance(a, np.ndarray) else tnp.array([0, 1, 0]).choose([1, 2])
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_computing_methods_give_numpys_values(name):
    ours, theirs = (FUNCTIONS[name](a) for a in pair())
    assert getattr(ours, "shape", ()) == getattr(theirs, "shape", ())
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-15)


IN_PLACE = {
    "sort": lambda a: a[::-1].sort(axis=0),
    "fill": lambda a: a.fill(3),
    "put": lambda a: a.put([0, 5], [7, 8]),
    "shape": lambda a: setattr(a, "shape", (4, 6)),
    "real": lambda a: setattr(a, "real", 5),
    "flat": lambda a: setattr(a, "flat", [1, 2]),
    "byteswap": lambda a: a.byteswap(inplace=True),
    "partition": lambda a: a.partition(2),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_methods_that_work_in_place(name):
    ours, theirs = pair()
    IN_PLACE[name](ours)
    IN_PLACE[name](theirs)
    same(ours, theirs)


def test_resize_in_place_pads_with_zeros():
    ours, theirs = pair((3,))
    ours.resize((2, 3))
    theirs.resize((2, 3), refcheck=False)
    same(ours, theirs)
    view = ours[0]
    with pytest.raises(ValueError, match="does not own its data"):
        view.resize(2)


BINARY = [
    "__add__",
    "__sub__",
    "__mul__",
    "__truediv__",
    "__floordiv__",
    "__mod__",
    "__pow__",
    "__lt__",
    "__le__",
    "__eq__",
    "__ne__",
]
BINARY += ["__gt__", "__ge__", "__radd__", "__rsub__", "__rtruediv__", "__rpow__"]


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(
    "other", [2, 2.5, np.float32(3), np.array([1.0, 2, 3]), [1, 2, 3]], ids=["int", "float", "scalar", "array", "list"]
)
def test_operators_equal_numpys(name, other):
    ours, theirs = pair((2, 3))
    same(getattr(ours + 1, name)(other), getattr(theirs + 1, name)(other))


@pytest.mark.parametrize(
    "name", ["__and__", "__or__", "__xor__", "__lshift__", "__rshift__", "__invert__", "__neg__", "__abs__", "__pos__"]
)
def test_integer_operators_equal_numpys(name):
    ours, theirs = pair((2, 3), "int32")
    arguments = () if name in ("__invert__", "__neg__", "__abs__", "__pos__") else (3,)
    same(getattr(ours, name)(*arguments), getattr(theirs, name)(*arguments))


def test_in_place_operators_keep_the_object():
    ours, theirs = pair((2, 3))
    before = ours
    for array in (ours, theirs):
        view = array[0]
        array += 1
        array *= array
        array -= view
        array /= 2
        array **= 2
        array //= 3
    assert ours is before
    same(ours, theirs)


def test_in_place_casts_are_refused_as_by_numpy():
    ours, theirs = pair((3,), "int64")
    for array in (ours, theirs):
        with pytest.raises(TypeError, match="same_kind"):
            array += 1.5


def test_mixed_operands_come_back_as_tessera_arrays():
    ours, theirs = pair((2, 3))
    for result in (theirs + ours, ours + theirs, np.float64(2) * ours, 2 * ours, np.add(ours, 1), np.sqrt(ours)):
        assert type(result) is tnp.ndarray
    same(theirs - ours, theirs - theirs)


def test_truth_and_numbers():
    assert bool(tnp.array([3])) and not tnp.array(0)
    assert int(tnp.array(3.7)) == 3 and float(tnp.array(2)) == 2.0 and complex(tnp.array(1 + 2j)) == 1 + 2j
    assert [1, 2, 3][tnp.array(1)] == 2
    with pytest.raises(ValueError, match="ambiguous"):
        bool(tnp.array([1, 2]))
    with pytest.raises(TypeError, match="only integer scalar arrays"):
        [1, 2][tnp.array(1.0)]
    with pytest.raises(TypeError, match="unsized"):
        len(tnp.array(1))
    with pytest.raises(TypeError, match="unhashable"):
        hash(tnp.array([1]))
    assert 2 in tnp.array([1, 2]) and 5 not in tnp.array([1, 2])


def test_item_and_tolist_give_python_objects():
    ours, theirs = pair()
    assert ours.tolist() == theirs.tolist()
    assert type(ours.item(3)) is float and ours.item(3) == theirs.item(3)
    assert ours.item(1, 2, 3) == theirs.item(1, 2, 3) == ours.item((1, 2, 3))
    assert ours.tobytes() == theirs.tobytes() and ours.T.tobytes("F") == theirs.T.tobytes("F")


def test_views_of_views_name_the_owner_as_base():
    a = tnp.zeros((4, 4))
    assert a.base is None
    assert a[1:].base is a and a[1:][1:].base is a
    assert a.reshape(16)[2:].base is a


def test_weak_references_and_death():
    a = tnp.zeros(3)
    reference = weakref.ref(a)
    del a
    gc.collect()
    assert reference() is None


def test_subclasses_survive_slicing_and_are_finalized():
    class Tagged(tnp.ndarray):
        def __array_finalize__(self, parent):
            self.tag = getattr(parent, "tag", "fresh")

    a = Tagged((2, 2))
    assert a.tag == "fresh"
    a.tag = "mine"
    a[...] = 1
    assert type(a[0]) is Tagged and a[0].tag == "mine"
    assert type(tnp.zeros(3).view(Tagged)) is Tagged
    assert type(a + a) in (Tagged, tnp.ndarray)


def test_the_constructor_takes_buffers_and_strides():
    memory = bytearray(np.arange(6.0).tobytes())
    a = tnp.ndarray((2,), float, memory, offset=8, strides=(16,))
    np.testing.assert_array_equal(np.asarray(a), [1, 3])
    a[0] = 9
    assert np.frombuffer(memory)[1] == 9
    assert tnp.ndarray((2, 3), "int8").shape == (2, 3)


def test_writeability_is_inherited_and_guarded():
    a = tnp.zeros(3)
    a.flags.writeable = False
    assert not a[1:].flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        a[1:].flags.writeable = True
    a.flags.writeable = True
    a[0] = 1
    with pytest.raises(ValueError):
        a.diagonal if a.ndim > 1 else tnp.broadcast_to(a, (2, 3)).__setitem__(0, 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda a: a.reshape(5, 5),
        lambda a: a.reshape(-1, -1),
        lambda a: a.transpose(0, 0, 1),
        lambda a: a.transpose(0, 1),
        lambda a: a.swapaxes(0, 3),
        lambda a: a.squeeze(0),
        lambda a: a.view("complex256"),
        lambda a: a[..., :3].view("complex128"),
        lambda a: a.item(),
        lambda a: a.item(100),
        lambda a: a.astype("int8", casting="safe"),
        lambda a: a.diagonal(0, 1, 1),
    ],
)
def test_bad_calls_raise_numpys_exceptions(call):
    ours, theirs = pair()
    try:
        call(theirs)
    except Exception as error:
        with pytest.raises(type(error)):
            call(ours)
    else:
        call(ours)


@pytest.mark.parametrize("shape", [(300, 50), (40, 2000), (5000, 3), (9, 60, 40)])
@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex128"])
def test_copies_of_transposed_views_are_in_c_order(shape, dtype):
    ours, theirs = pair(shape, dtype)
    views = [
        lambda x: x.T,
        lambda x: x[2:, 1:].T,
        lambda x: x[::-1].T,
        lambda x: x[:3].T,
        lambda x: x.T[::-2, ::3],
        lambda x: x[2:5, ::2].T,
    ]
    for view in views:
        same(view(ours).copy(), view(theirs).copy())
        assert view(ours).copy().flags.c_contiguous


def test_an_update_of_a_whole_array_takes_no_further_memory():
    a = tnp.ones(200_000)
    b = tnp.ones(200_000)
    a += b  # the first computation makes what a device keeps for events
    float(a[0]), float(b[0])

    def taken():
        counters = _core.counters()
        return counters["bytes_allocated"] + counters["bytes_reused"]

    before = taken()
    for _ in range(5):
        a += b
        a[0].item()
    tnp.multiply(a, 0.5, out=a)
    assert a[-1] == 3.5
    assert taken() == before


def test_what_somebody_still_holds_is_not_overwritten():
    a = tnp.arange(200_000.0)
    float(a[0])
    view = a[::2]
    kept = a.copy()
    b = a * 2.0
    a += 1
    c = view + a[::2]
    assert np.array_equal(b, np.arange(200_000.0) * 2)
    assert np.array_equal(kept, np.arange(200_000.0))
    assert np.array_equal(c, 2 * (np.arange(200_000.0)[::2] + 1))


def test_an_update_waits_for_what_a_copy_left_untouched():
    a = tnp.arange(700.0).reshape(7, 100)
    b = tnp.zeros((7, 100))
    c = tnp.zeros((7, 98))
    float(a[0, 0]), float(b[0, 0]), float(c[0, 0])
    c += b[:, 1:99] * 0.5
    b[...] = a
    b[-1] = 1
    a[:, 2:100] = c - 1
    expected = np.arange(700.0).reshape(7, 100)
    expected[-1] = 1
    assert np.array_equal(b, expected)
