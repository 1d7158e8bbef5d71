"""Every operation of both tables on every device: the same bits as on the host, whatever the operands' types and layouts.
Routines that write in place are called through the functions that use them.

What the host computes is compared with NumPy elsewhere (`tests/ufunc`, `tests/numpy_surface`). An op that is added to the
table is here at once; a routine needs a line in ROUTINES, and the last test fails until it has one.
"""

from __future__ import annotations

import warnings

import numpy
import pytest
import tessera.numpy as np
from ufunc_samples import NAMES, loops_of, native, operands

import tessera
from tessera import _core

DEVICES = ["simulated", "auto:simulated"] + (["gpu", "auto"] if _core.devices() else [])
ROWS, COLUMNS = 31, 53  # more elements than run at once, and no multiple of a vector


@pytest.fixture(params=DEVICES)
def where(request):
    return request.param


def without_payloads(array):
    """Its bytes with all NaNs alike: payloads and signs of NaNs are the processor's (docs/differences.md)."""
    if array.dtype.kind in "fc":
        array = numpy.ascontiguousarray(array).reshape(-1).view(array.real.dtype)
        array = numpy.where(numpy.isnan(array), numpy.array(numpy.nan, array.dtype), array)
    return array.tobytes()


def on(device, call):
    """The bytes, dtypes and shapes of the results; or the error."""
    with tessera.device(device), warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = call()
            results = result if isinstance(result, (tuple, list)) else [result]
            return [(r.dtype.str, r.shape, without_payloads(r)) for r in map(numpy.asarray, results)]
        except Exception as error:
            return type(error), str(error)


def without_nan_parts(x):
    """C leaves the sign of zeros and infinities open where a part of a complex operand is a NaN."""
    return numpy.where(numpy.isnan(x), x.dtype.type(1 + 2j), x) if x.dtype.kind == "c" else x


LAYOUTS = {
    "line": lambda x: x,
    "rows": lambda x: x.reshape(ROWS, COLUMNS),
    "transposed": lambda x: x.reshape(ROWS, COLUMNS).T,
    "every third": lambda x: x.reshape(ROWS, COLUMNS)[:, ::3],
    "reversed": lambda x: x.reshape(ROWS, COLUMNS)[::-1, ::-1],
    "one column": lambda x: x.reshape(ROWS, COLUMNS)[:, :1],
    "zero-dimensional": lambda x: x[7:8].reshape(()),
    "empty": lambda x: x[:0].reshape(0, 5),
}


def assert_same_bits(device, call, what, *, may_fail=False):
    expected, actual = on("cpu", call), on(device, call)
    assert may_fail or isinstance(expected, list), f"{what}: {expected}"
    assert actual == expected, f"{what} on {device}"


@pytest.mark.parametrize("name", NAMES)
def test_ufunc(name, where):
    f, host = native(name), getattr(numpy, name)
    for loop in loops_of(host):
        given = [np.asarray(without_nan_parts(x)) for x in operands(host, loop, ROWS * COLUMNS)]
        for layout, view in LAYOUTS.items():
            assert_same_bits(where, lambda view=view, given=given: f(*map(view, given)), f"{loop}, {layout}")
        if len(given) == 2:
            outer = [given[0].reshape(ROWS, COLUMNS)[:, :1], given[1][:COLUMNS]]
            assert_same_bits(where, lambda outer=outer: f(*outer), f"{loop}, column and row")
            assert_same_bits(where, lambda given=given: f(given[0], given[1][0]), f"{loop}, array and number")


@pytest.mark.parametrize("code", "?bHilefdFD")
@pytest.mark.parametrize(
    "name", ["add", "multiply", "minimum", "maximum", "logical_and", "logical_or", "bitwise_xor", "fmax"]
)
def test_reduction(name, code, where):
    f = native(name)
    given = np.asarray(operands(numpy.add, 2 * code + "->" + code, ROWS * COLUMNS)[0])
    refuses = name == "bitwise_xor" and code in "efdFD"
    for layout, view in LAYOUTS.items():
        x = view(given)
        for axis in [None, *range(x.ndim)]:
            may_fail = refuses or x.size == 0  # minima have no identity
            for what, call in {
                "array": lambda x=x, axis=axis: f.reduce(x, axis=axis),
                "sum": lambda x=x, axis=axis: f.reduce(x + x, axis=axis, keepdims=True),
            }.items():
                assert_same_bits(where, call, f"{what}, {layout}, axis {axis}", may_fail=may_fail)


def draw(code, shape, seed=0):
    rng = numpy.random.default_rng(seed)
    size = int(numpy.prod(shape))
    if code in "fd":
        values = rng.integers(-40, 40, size) / 8
        values[:: max(1, size // 7)] = numpy.nan
    else:
        values = rng.integers(0, 2 if code == "?" else 50, size)
    return np.asarray(values.astype(code).reshape(shape))


LARGE, WIDE = (40_009,), (97, 411)  # worth a device
CODES = "?bHlfd"


def each(*argument_lists, codes=CODES, shapes=(LARGE, WIDE, (0, 3), (1,))):
    """Calls with an array of each type and shape, and a view of one, before the other arguments."""
    for code in codes:
        for shape in shapes:
            a = draw(code, shape)
            for rest in argument_lists:
                yield (a, *rest)
                yield (a[::-1], *rest)


def counts(code="l", shape=LARGE, most=4):
    return np.asarray(numpy.random.default_rng(3).integers(0, most, shape).astype(code))


KEYS = (LARGE, WIDE)
INT64, FLOAT32, FLOAT64, COMPLEX128 = 7, 11, 12, 14  # dtypes as routines take them


def matrices(shape, seed=0, *, positive=False):
    """Well-conditioned ones."""
    a = numpy.random.default_rng(seed).normal(size=shape)
    n = shape[-1]
    return np.asarray(a @ numpy.swapaxes(a, -1, -2) + n * numpy.eye(n) if positive else a)


NODES, LONG_ROW = 3_000, 2_000


def rows(seed=0):
    """Offsets, targets and weights of rows of neighbours without loops: each row in increasing order, both ways, one of them long."""
    rng = numpy.random.default_rng(seed)
    u, v = rng.integers(0, NODES, 9_000), rng.integers(0, NODES, 9_000)
    u, v = numpy.concatenate([u, numpy.full(LONG_ROW, 5)]), numpy.concatenate([v, numpy.arange(LONG_ROW)])
    keys = numpy.unique(numpy.concatenate([u * NODES + v, v * NODES + u])[numpy.tile(u != v, 2)])
    offsets = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(keys // NODES, minlength=NODES))])
    weights = rng.integers(1, 40, len(keys)) / 7
    return np.asarray(offsets), np.asarray((keys % NODES).astype(numpy.int32)), np.asarray(weights)


def shares(seed):
    x = numpy.random.default_rng(seed).random(NODES)
    return np.asarray(x / x.sum())


def two_directions(seed=0):
    offsets, targets, _ = rows(seed)
    return offsets, targets, offsets, targets


NETWORKS = {
    "advance": lambda: [(*rows()[:2], counts(most=NODES))],
    "breadth_first": lambda: [(*rows()[:2], counts(shape=(3,), most=NODES)), (*rows()[:2], counts(shape=(2,)), 2)],
    "common_neighbours": lambda: [(*rows()[:2], counts(most=NODES), counts(most=NODES)[::-1])],
    "component_labels": lambda: [two_directions(), (*two_directions(1), False)],
    "core_numbers": lambda: [(*two_directions(), False), two_directions()],
    "eigenvector_centrality": lambda: [(*rows(), shares(1)), (*rows(), shares(1), False, 1e-9, 20)],
    "katz_centrality": lambda: [(*rows(), shares(1), shares(2), weighted, 1e-4) for weighted in (True, False)],
    "neighbour_minimum": lambda: [(*rows()[:2], shares(1), rows()[2]), (*rows()[:2], *[counts(shape=(NODES,))] * 2, False)],
    "neighbour_sum": lambda: [(*rows()[:2], shares(1), rows()[2], weighted) for weighted in (True, False)],
    "page_rank": lambda: [(*rows(), *map(shares, range(4)), weighted) for weighted in (True, False)],
    "rows_of_edges": lambda: [(counts(most=NODES), NODES)],
    "shortest_lengths": lambda: [(*rows(), counts(shape=(2,))), (*rows()[:2], np.arange(rows()[1].size), counts(shape=(2,)))],
    "triangles": lambda: [rows()[:2]],
}  # fmt: skip
ROUTINES = NETWORKS | {
    "argmax": lambda: each((0,), (), shapes=(*KEYS, (1,))),
    "argmin": lambda: each((0,), (), shapes=(*KEYS, (1,))),
    "argpartition": lambda: each(([3],), ([0, 40],), shapes=KEYS),
    "argsort": lambda: each(()),
    "bincount": lambda: [(counts(), ()), (counts()[::2], (), 7)],
    "bounds": lambda: [(counts(),), (counts("h", most=30_000)[::-1],)],
    "correlate": lambda: [
        (draw("d", LARGE), draw("d", (17,), 1), 0, 39_993),
        (draw("f", (300,)), draw("f", (9,)), 4, 300),
    ],
    "count_nonzero": lambda: each(()),
    "interp": lambda: [(draw("d", LARGE), np.arange(9.0), draw("d", (9,), 5))],
    "lexsort": lambda: [([draw("l", LARGE), draw("d", LARGE, 2)],)],
    "mask_select": lambda: each((draw("?", WIDE, 9),), shapes=(WIDE,)),
    "nonzero": lambda: each((), shapes=(*KEYS, (0, 3))),
    "order_places": lambda: each(([3],), ([0, 40],), shapes=KEYS),
    "partition": lambda: each(([3],), ([0, 40],), shapes=KEYS),
    "repeat": lambda: [(draw("d", LARGE), counts(), 0), (draw("B", WIDE)[:, ::-1], counts("l", (97,)), 0)],
    "repeat_each": lambda: each((0, 3), shapes=KEYS),
    "scan": lambda: [(draw("l", LARGE), 0, 0, INT64), (draw("l", WIDE)[:, ::-1], 0, 1, INT64)],
    "searchsorted": lambda: [(np.sort(draw("l", LARGE)), draw("l", WIDE, 4)), (np.arange(9.0), draw("d", LARGE), True)],
    "searchsorted_by": lambda: [(draw("l", LARGE), draw("l", WIDE, 4), np.argsort(draw("l", LARGE)))],
    "sort": lambda: each(()),
    "gather": lambda: [
        (draw("d", WIDE), [counts(most=97)], 0, 0, 0, [0]),
        (draw("B", WIDE)[::-1], [counts(most=411)], 1, 0, 0, [1]),
    ],
    "index_draw": lambda: [(0, FLOAT64, 7, 1, 3, 0, 0, [40_009])],
    "stream_draw": lambda: (
        [
            (np.asarray([1, 2, 3, 5, 0, 0], dtype="uint64"), 0, method, dtype, False, 0, 0, [40_009])
            for method, dtype in ((0, FLOAT64), (3, FLOAT64), (4, FLOAT32), (0, FLOAT32))
        ]
        + [
            (np.asarray([1, 2, 3, 5, 0, 0, kept, 2**62], dtype="uint64"), 0, 5, FLOAT64, False, 0, 0, [40_009])
            for kept in (0, 1)
        ]
    ),
    "ravel_multi_index": lambda: [([counts(most=97), counts(most=411)], [97, 411])],
    "squares_about_mean": lambda: [(matrices((1, 70_001, 61)), FLOAT64)],
    "take": lambda: each((counts(most=3), 0), shapes=KEYS),
    "take_within": lambda: each((counts(most=500), 0, True), (counts(most=500),), shapes=KEYS),
}
SQUARE, TALL = (2, 150, 150), (9_000, 40)
# What vendors' libraries compute is the same but for rounding.
ROUNDED = {
    "matmul": lambda: [
        (matrices(SQUARE), matrices(SQUARE, 1), FLOAT64),
        (matrices(TALL).T, matrices(TALL, 1), FLOAT64),
    ],
    "vecdot": lambda: [(matrices(TALL), matrices(TALL, 1), FLOAT64)],
    "matvec": lambda: [(matrices(TALL), matrices((40,)), FLOAT64)],
    "vecmat": lambda: [(matrices((9_000,)), matrices(TALL), FLOAT64)],
    "dot": lambda: [(matrices(TALL), matrices((40, 70)), FLOAT64), (counts(), counts()[::-1], INT64)],
    "vdot": lambda: [(matrices(TALL), matrices(TALL, 1), FLOAT64)],
    "fft": lambda: [(matrices((64, 1_000)), 0, 1, 1_000), (matrices((64, 1_000)), 0, 0, 64, 0.5)],
    "solve": lambda: [(matrices(SQUARE, positive=True), matrices((2, 150, 3)), FLOAT64)],
    "inv": lambda: [(matrices(SQUARE, positive=True), FLOAT64)],
    "det": lambda: [(matrices((150, 150)) / 10, FLOAT64)],
    "slogdet": lambda: [(matrices(SQUARE), FLOAT64)],
    "lstsq": lambda: [(matrices(TALL), matrices((9_000, 2)), FLOAT64, 1e-12)],
    "cholesky": lambda: [(matrices(SQUARE, positive=True), FLOAT64), (matrices(SQUARE, positive=True), FLOAT64, True)],
    "qr_packed": lambda: [(matrices(SQUARE), FLOAT64)],
    "qr": lambda: [(matrices(TALL), FLOAT64, 0)],
    "svd": lambda: [(matrices(TALL), FLOAT64, 0), (matrices((150, 200)), FLOAT64, 0)],
    "eigh": lambda: [(matrices(SQUARE, positive=True), FLOAT64, False, False)],
    "eig": lambda: [(matrices((20, 20)), FLOAT64, False)],
}


def test_every_routine_has_calls():
    assert sorted(ROUTINES | ROUNDED) == sorted(name for name, _, _ in _core.routines())


@pytest.mark.parametrize("name", ROUTINES)
def test_routine(name, where):
    function = getattr(tessera.routines, name)

    def call(arguments):
        result = function(*arguments)
        return result[..., arguments[1]] if name == "order_places" else result  # the other elements are anywhere

    for arguments in ROUTINES[name]():
        assert_same_bits(where, lambda arguments=arguments: call(arguments), f"{name} of {arguments}")


@pytest.mark.parametrize("name", ROUNDED)
def test_rounded_routine(name, where):
    function = getattr(tessera.routines, name)
    for arguments in ROUNDED[name]():
        results = []
        for device in ["cpu", where]:
            with tessera.device(device):
                result = function(*arguments)
                results.append([numpy.asarray(r) for r in (result if isinstance(result, (tuple, list)) else [result])])
        for expected, actual in zip(*results, strict=True):
            assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
            numpy.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9 * numpy.abs(expected).max(initial=1))


def put(array, index, values, mode="raise"):
    np.put(array, index, values, mode=mode)


def store(array, index, values):
    array[index] = values


WRITES = {
    "by numbers": lambda a, i, v: store(a, i, v),
    "one value by numbers": lambda a, i, v: store(a, i, v[:1]),
    "by mask": lambda a, i, v: store(a, a == a, a[a == a][::-1].copy()),
    "overlapping": lambda a, i, v: store(a, i, a[: i.size]),
    "put": lambda a, i, v: put(a, i, v),
    "put, clipped": lambda a, i, v: put(a, i - a.size, v, "clip"),
    "put, wrapped": lambda a, i, v: put(a, i + a.size, v, "wrap"),
    "add.at": lambda a, i, v: np.add.at(a, i, v),
    "maximum.at": lambda a, i, v: np.maximum.at(a, i, v),
}


@pytest.mark.parametrize("size", [12, 3_000, 40_009])
@pytest.mark.parametrize("code", "BhlfdD")
@pytest.mark.parametrize("write", WRITES)
def test_write(write, code, size, where):
    rng = numpy.random.default_rng(size)
    given = rng.integers(0, 90, size).astype(code)
    numbers, values = rng.integers(0, size, size // 2), rng.integers(0, 90, size // 2).astype(code)

    def call(layout):
        array = np.asarray(given)
        view = array[::-1] if layout == "reversed" else array
        WRITES[write](view, np.asarray(numbers), np.asarray(values))
        return array

    for layout in ["dense", "reversed"]:
        assert_same_bits(where, lambda layout=layout: call(layout), f"{write}, {layout}")
    expected = given.copy()
    if write.startswith("put"):
        mode = {"put": "raise", "put, clipped": "clip", "put, wrapped": "wrap"}[write]
        shift = {"put": 0, "put, clipped": -size, "put, wrapped": size}[write]
        numpy.put(expected, numbers + shift, values, mode=mode)
    elif write.endswith(".at"):
        getattr(numpy, write[:-3]).at(expected, numbers, values)
    else:
        WRITES[write](expected, numbers, values)
    with tessera.device(where):
        numpy.testing.assert_array_equal(numpy.asarray(call("dense")), expected)
