"""Functions that compiled functions call on the host: results' types are found by calls with samples."""

import subprocess
import sys

import numpy as np
import pytest
from tessera.errors import TypingError, UnsupportedError

from tessera import guvectorize, jit, vectorize

x = np.array([3.0, -1.0, 2.0, 5.0])
square = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])


def tri(a):
    return np.tri(3, 4, k=1), np.tri(a.shape[0])


def split(a):
    low, high = np.split(a, 2)
    return low, high


def geometric(a):
    return np.geomspace(1, 100, 5), np.logspace(0, 2, 3)


def named(a):
    return np.cov(a, a * 2, rowvar=True, bias=True), np.isclose(a, a + 1e-9, equal_nan=True)


def shapes(a):
    return np.broadcast_to(a, (2, 4)), np.swapaxes(a.reshape(2, 2), 0, 1), np.expand_dims(a, 0)


def methods(a):
    return a.clip(0, 2), a.round(1), a.take(np.array([1, 3]))


def polynomials(a):
    return np.polyfit(a, a * 2, 1), np.roots(a) + 0j


def decomposed(a):
    return np.linalg.norm(a, axis=0), np.linalg.multi_dot((a, a, a))


@pytest.mark.parametrize("function", [tri, split, geometric, named, shapes, methods, polynomials])
def test_results_are_numpys(function):
    compare(jit(function)(x.copy()), function(x.copy()))


def test_matrices():
    compare(jit(decomposed)(square), decomposed(square))


def compare(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_arguments_that_a_function_changes():
    @jit
    def change(a, m):
        np.fill_diagonal(m, 7.0)
        np.put(a, np.array([0, 2]), np.array([10.0, 20.0]))
        np.random.shuffle(a)
        return a.sum()

    a, m = x.copy(), square.copy()
    np.random.seed(4)
    total = change(a, m)
    expected, matrix = x.copy(), square.copy()
    np.random.seed(4)
    assert total == change.py_func(expected, matrix)
    assert a.tolist() == expected.tolist() and m.tolist() == matrix.tolist()


def test_samples_draw_no_random_numbers():
    @jit
    def choose(n):
        return np.random.choice(n, 3)

    np.random.seed(1)
    first = choose(10)
    np.random.seed(1)
    assert first.tolist() == np.random.choice(10, 3).tolist()


def test_what_depends_on_values_is_refused():
    def parts(a, n):
        return np.tensordot(a, a, n)

    def text(a):
        return np.array2string(a)

    def save(a):
        np.save("name", a)

    with pytest.raises(TypingError, match="depends on the values of its arguments"):
        jit(parts)(x, 2)
    with pytest.raises(TypingError, match="returns str"):
        jit(text)(x)
    with pytest.raises(UnsupportedError, match="save is not part of kernels"):
        jit(save)(x)


def test_errors_of_values_arrive():
    @jit
    def inverse(a):
        return np.linalg.tensorinv(a, ind=1)

    assert np.allclose(inverse(square), np.linalg.inv(square))
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        inverse(np.zeros((2, 2)))


@vectorize
def plus(a, b):
    return a + b


@guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def total(a, out):
    out[0] = 0.0
    for i in range(a.shape[0]):
        out[0] += a[i]


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_extremes_of_nothing_and_of_all_kinds(name):
    text = f"def reduce(a):\n    return np.{name}(a)\n"
    names = {"np": np}
    exec(text, names)
    reduce = jit(names["reduce"], source=text)
    for values in ([2, 7, 1], [True, False], [1 + 2j, 1 + 3j, 0j], [0.5, np.nan]):
        assert str(reduce(np.array(values))) == str(getattr(np, name)(np.array(values)).item())
    with pytest.raises(ValueError, match="which has no identity|of an empty sequence"):
        reduce(np.array([]))


def test_ufuncs_and_their_methods():
    @jit
    def use(a, i, m):
        np.add.at(a, i, 1.0)
        plus.at(a, i, 1.0)
        return plus.reduce(a), np.multiply.outer(a, a), total(m), np.maximum.accumulate(a)

    a, again = x.copy(), x.copy()
    i = np.array([1, 1, 0])
    found = use(a, i, square)
    np.add.at(again, i, 2.0)
    assert a.tolist() == again.tolist()
    assert found[0] == again.sum() and np.allclose(found[2], square.sum(1))
    assert found[1].tolist() == np.multiply.outer(again, again).tolist()
    assert found[3].tolist() == np.maximum.accumulate(again).tolist()


def test_a_users_ufunc_changes_numpys_arrays_in_place():
    a = x.copy()
    plus.at(a, [0, 0, 3], 1.5)
    expected = x.copy()
    np.add.at(expected, [0, 0, 3], 1.5)
    assert a.tolist() == expected.tolist()


def indices(a, m, i):
    b = a.copy()
    b[m] = -1.0
    b[i] += 10
    c = a.reshape(2, 2)
    c = np.vstack((c, c * 2))
    d = c.copy()
    d[np.array([0, 2])] = 5.0
    return a[m], a[i], b, c[:, np.array([1, 0])], c[np.array([1, 1])], d


@pytest.mark.parametrize("place", [[3, -1, 3], [], [0]])
def test_arrays_as_indices(place):
    i = np.array(place, "int64")
    compare(jit(indices)(x, x > 1, i), indices(x, x > 1, i))


def test_indices_outside_raise_as_numpys_do():
    @jit(boundscheck=True)
    def take(a, i):
        return a[i]

    with pytest.raises(IndexError):
        take(x, np.array([0, 4]))
    with pytest.raises(IndexError):
        take(square, np.array([0, 3]))


def test_generalised_ufuncs_along_axes_and_without_results():
    m = np.arange(12.0).reshape(3, 4)
    assert total(m, axis=0).tolist() == m.sum(0).tolist()
    assert total(m, axes=[(0,), ()]).tolist() == m.sum(0).tolist()

    @guvectorize(["void(float64[:], float64)"], "(n),()", writable_args=(0,))
    def add_to(a, b):
        for i in range(a.shape[0]):
            a[i] += b

    add_to(m, 1.0)
    assert m.tolist() == (np.arange(12.0).reshape(3, 4) + 1).tolist()
    narrow = m.astype("float32")
    add_to(narrow, 1.0)
    assert narrow.tolist() == (m + 1).tolist()


def test_lists_as_indices():
    @jit
    def pick(m):
        rows = m[[0, 2]]
        one = m[0, 2]
        m[[1]] = 0.0
        return rows, m[:, [1]], one

    again = square.copy()
    expected = pick.py_func(again)
    m = square.copy()
    found = pick(m)
    compare(found[:2], expected[:2])
    assert found[2] == expected[2] and m.tolist() == again.tolist()


def test_axes_that_are_not_constant():
    @jit
    def both(m, axes):
        return np.add.reduce(m, axes)

    cube = np.arange(24.0).reshape(2, 3, 4)
    assert both(cube, (0, 2)).tolist() == cube.sum((0, 2)).tolist()


def test_lists_of_arrays_of_two_dtypes():
    @jit
    def select(conditions, choices):
        return np.select(conditions, choices, 0)

    a = np.arange(6)
    conditions, choices = [a > 3, a < 2], [a, a**2]
    assert select(conditions, choices).tolist() == np.select(conditions, choices, 0).tolist()


def test_vdot_takes_the_conjugate():
    a, b = np.array([1 + 2j, 3]), np.array([2 - 1j, 1j])
    assert jit(lambda a, b: np.vdot(a, b))(a, b) == np.vdot(a, b)
    assert jit(lambda a, b: np.vdot(a, b))(a.real.copy(), b.imag.copy()) == np.vdot(a.real, b.imag)


def arrays_of_a_number(v):
    return (
        np.asfortranarray(v),
        np.ascontiguousarray(v),
        np.atleast_2d(v),
        np.expand_dims(v, 0),
        np.repeat(v, 3),
        np.unique(v),
    )


def sums_beside_an_array(a, v):
    return np.append(a, v), np.full_like(a, 0) + np.interp(v, a, a), np.heaviside(a, v)


HALF = np.float32(0.5)


def of_a_constant(a):
    return np.asfortranarray(HALF), np.append(a, HALF)


@pytest.mark.parametrize(
    "kind", [np.float16, np.float32, np.float64, np.int8, np.uint16, np.int32, np.int64, np.uint64]
)
def test_numbers_keep_their_dtypes_in_functions_of_the_host(kind):
    for value in (kind(3), kind(0)):
        compare_exactly(jit(arrays_of_a_number)(value), arrays_of_a_number(value))
        for dtype in ("float16", "float32", "float64"):
            a = np.array([0, 1, 4, 9], dtype)
            # In ufuncs, as in Numba's, all integers beside float32 are like Python's own.
            own = int(value) if dtype == "float32" and np.dtype(kind).kind in "iu" else value
            wanted = (*sums_beside_an_array(a, value)[:2], np.heaviside(a, own))
            compare_exactly(jit(sums_beside_an_array)(a, value), wanted)
    for element in (np.array(2, kind), np.array([2, 5], kind)):
        compare_exactly((jit(lambda a: np.ascontiguousarray(a))(element),), (np.ascontiguousarray(element),))


@pytest.mark.parametrize("value", [np.complex64(1 + 2j), 1 + 2j, True, 2.5, 7])
def test_complex_numbers_and_pythons_keep_theirs(value):
    compare_exactly(jit(arrays_of_a_number)(value), arrays_of_a_number(value))


def test_constants_keep_their_dtypes_in_functions_of_the_host():
    for dtype in ("float16", "float32", "float64"):
        a = np.array([0, 1, 4, 9], dtype)
        compare_exactly(jit(of_a_constant)(a), of_a_constant(a))


def compare_exactly(found, expected):
    for got, wanted in zip(found, expected, strict=True):
        got = np.asarray(got)
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        assert got.tobytes() == wanted.tobytes()


def test_functions_of_modules_that_numpy_has_not_loaded(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import tessera, tessera.numpy as np\n\n\n"
        "@tessera.jit\ndef spectrum(x):\n    return np.fft.fft(x)\n\n\n"
        "print(spectrum(np.ones(4)).tolist())\n"
    )
    ended = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120)
    assert ended.stdout == "[(4+0j), 0j, 0j, 0j]\n", ended.stderr
