"""Views that compiled functions make are views where NumPy's are: stores arrive in the argument, strides are NumPy's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tessera.numpy as tnp
from tessera.errors import TypingError

from tessera import jit

GRID = np.arange(12.0).reshape(3, 4)
CUBE = np.arange(24.0).reshape(2, 3, 4)

VIEWS: list[Callable[..., Any]] = [
    lambda x: x.ravel(),
    lambda x: np.ravel(x),
    lambda x: x.reshape(2, -1),
    lambda x: x.reshape((x.size,)),
    lambda x: np.reshape(x, (-1, 2)),
    lambda x: x.T,
    lambda x: x.transpose(),
    lambda x: np.transpose(x, (1, 0)),
    lambda x: x.transpose(1, 0),
    lambda x: np.swapaxes(x, 0, 1),
    lambda x: np.moveaxis(x, 0, 1),
    lambda x: np.flip(x),
    lambda x: np.flipud(x),
    lambda x: np.fliplr(x),
    lambda x: np.flip(x, 1),
    lambda x: np.rot90(x),
    lambda x: np.expand_dims(x, 1),
    lambda x: np.squeeze(x[:1], 0),
    lambda x: x[1:].ravel(),
    lambda x: np.atleast_3d(x),
    lambda x: x.view(np.int64),
    lambda x: x.view(np.float32),
    lambda x: x.ravel().view(np.uint8)[3:],
    lambda x: np.split(x, 2, axis=1)[1],
    lambda x: x[::-1, ::2],
]


def _layout(array: Any) -> tuple[Any, ...]:
    """Strides of axes of one element say nothing."""
    return array.dtype, array.shape, [step for step, extent in zip(array.strides, array.shape) if extent > 1]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("view", VIEWS)
def test_views_are_numpys(view: Any, order: str) -> None:
    grid = np.array(GRID, order=order)
    try:
        expected = view(grid)
    except ValueError:
        pytest.skip("NumPy refuses it for this order")
    found = jit(view)(grid)
    assert _layout(found) == _layout(expected)
    np.testing.assert_array_equal(found, expected)
    assert np.shares_memory(found, grid) == np.shares_memory(expected, grid)


def _stored(view: Any) -> Any:
    made = jit(view)

    @jit
    def store(x: Any) -> Any:
        part = made(x)
        part[0] = 1
        return x[0, 0], part

    return store


@pytest.mark.parametrize("view", VIEWS)
def test_stores_arrive_in_the_argument(view: Any) -> None:
    found, expected = GRID.copy(), GRID.copy()
    view(expected)[0] = 1
    first, _ = _stored(view)(found)
    np.testing.assert_array_equal(found, expected)
    assert first == expected[0, 0]


@pytest.mark.parametrize("view", VIEWS)
def test_views_of_arrays_that_the_function_makes(view: Any) -> None:
    made = jit(view)

    @jit
    def function(n: int) -> Any:
        x = np.arange(12.0).reshape(3, n)
        part = made(x)
        part[0] = 5
        return x, part

    x, part = function(4)
    expected = GRID.copy()
    view(expected)[0] = 5
    np.testing.assert_array_equal(x, expected)
    np.testing.assert_array_equal(part, view(expected))


def test_views_of_tesseras_arrays() -> None:
    @jit
    def function(x: Any) -> Any:
        y = x.ravel()
        y[0] = 7
        z = np.flip(x)
        z[0, 0] = 8
        return y, z

    x = tnp.array(GRID)
    y, z = function(x)
    assert isinstance(y, tnp.ndarray) and isinstance(z, tnp.ndarray)
    assert float(x[0, 0]) == 7 and float(x[2, 3]) == 8
    x[0, 1] = 9
    assert float(y[1]) == 9


def test_what_is_not_in_one_piece_is_copied() -> None:
    @jit
    def function(x: Any) -> Any:
        y = x[:, ::2].ravel()
        y[:] = -1
        return y

    x = GRID.copy()
    assert function(x).tolist() == [-1.0] * 6
    np.testing.assert_array_equal(x, GRID)


def test_shapes_of_what_is_as_far_apart() -> None:
    @jit
    def function(x: Any) -> Any:
        y = x[:, ::2].reshape(-1)
        y[1] = -1
        z = x[:1, 1::2].reshape(2, 1)
        z[1] = -2
        return y, z

    found, expected = GRID.copy(), GRID.copy()
    parts, wanted = function(found), function.py_func(expected)
    np.testing.assert_array_equal(found, expected)
    for part, one in zip(parts, wanted):
        np.testing.assert_array_equal(part, one)
        assert part.strides[0] == one.strides[0]


def test_a_view_is_read_before_it_is_overwritten() -> None:
    @jit
    def reverse(x: Any) -> None:
        x[:] = np.flip(x)

    @jit
    def shift(x: Any) -> None:
        flat = x.ravel()
        flat[1:] = flat[:-1]
        x[1] = flat[:4] + x[2]

    x, y = np.arange(5.0), GRID.copy()
    reverse(x)
    assert x.tolist() == [4, 3, 2, 1, 0]
    shift(y)
    expected = GRID.copy()
    shift.py_func(expected)
    np.testing.assert_array_equal(y, expected)


def test_a_view_and_its_array_in_one_loop() -> None:
    @jit
    def function(x: Any) -> float:
        bits = x.view(np.int64)
        total = 0.0
        for i in range(x.size):
            bits[i] += 1 << 52
            total += x[i]
        return total

    x = np.arange(1.0, 100.0)
    assert function(x) == 2 * np.arange(1.0, 100.0).sum()


def test_places_in_order() -> None:
    @jit
    def function(x: Any) -> float:
        x.flat[5] = -3
        x.flat[-1] = 100
        x.flat[0] += 2
        return x.flat[5]

    x = GRID.copy().T
    expected = x.copy()
    function.py_func(expected)
    assert function(x) == -3
    np.testing.assert_array_equal(x, expected)
    with pytest.raises(IndexError, match="out of bounds"):
        jit(lambda x: x.flat[12])(GRID)


def test_strides_of_arguments() -> None:
    strides = jit(lambda x: (x.strides, x.T.strides, x[:, ::2].strides, x[0].strides))
    for order in "CF":
        x = np.array(CUBE, order=order)
        assert strides(x) == strides.py_func(x)


def test_empty_views() -> None:
    flat, turned = jit(lambda x: x.ravel()), jit(lambda x: np.flip(x))
    for shape in ((0, 3), (3, 0)):
        assert flat(np.ones(shape)).shape == (0,)
        assert turned(np.ones(shape)).shape == shape


def test_axes_that_depend_on_extents() -> None:
    with pytest.raises(TypingError, match="axis=0"):
        jit(lambda x: np.squeeze(x))(GRID)


def test_read_only_arguments() -> None:
    @jit
    def read(x: Any) -> float:
        return x.ravel()[2] + np.zeros(2)[0]

    @jit
    def write(x: Any) -> None:
        x.ravel()[2] = 1

    x = GRID.copy()
    x.flags.writeable = False
    assert read(x) == 2
    with pytest.raises(ValueError, match="read-only"):
        write(x)


def test_parts_of_complex_numbers() -> None:
    @jit
    def function(z: Any) -> Any:
        real, imag = z.real, z.imag
        imag[0] = 7
        real[1:] *= 2
        return real, imag, z[0]

    z, expected = np.arange(4) + 1j, np.arange(4) + 1j
    found, wanted = function(z), function.py_func(expected)
    np.testing.assert_array_equal(z, expected)
    for one, other in zip(found[:2], wanted[:2]):
        assert one.strides == other.strides and np.shares_memory(one, z)
        np.testing.assert_array_equal(one, other)
    assert found[2] == wanted[2]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("cut", [lambda x: x, lambda x: x.T, lambda x: x[:, 1], lambda x: x[1:], lambda x: x[:, :1]])
def test_flags(cut: Any, order: str) -> None:
    flags = jit(lambda x: (cut(x).flags.c_contiguous, cut(x).flags.f_contiguous, cut(x).flags.contiguous))
    x = np.array(GRID, order=order)
    part = cut(x).flags
    cut = jit(cut)
    assert flags(x) == (part.c_contiguous, part.f_contiguous, part.contiguous)


def test_what_numpy_returns_as_read_only() -> None:
    @jit
    def repeated(n: int) -> Any:
        return np.broadcast_to(np.arange(n), (2, n))

    for found in (jit(lambda x: np.broadcast_to(x, (2, 3)))(np.arange(3)), repeated(3)):
        assert not found.flags.writeable and found.tolist() == [[0, 1, 2]] * 2


def test_results_in_arrays_that_are_passed() -> None:
    @jit
    def function(x: Any, y: Any, out: Any) -> Any:
        found = np.dot(x, y, out=out)
        out[0, 0] += 1
        return found

    for module in (np, tnp):
        x, out = module.array(GRID), module.zeros((3, 3))
        again = out.copy()
        found = function(x, module.array(GRID.T.copy()), out)
        expected = GRID @ GRID.T
        expected[0, 0] += 1
        np.testing.assert_array_equal(np.asarray(found), expected)
        np.testing.assert_array_equal(np.asarray(out), expected)
        assert float(again.sum()) == 0


def test_the_address_of_an_array() -> None:
    address = jit(lambda x: (x.ctypes.data, x[1:].ctypes.data))
    assert address(GRID) == address.py_func(GRID)
