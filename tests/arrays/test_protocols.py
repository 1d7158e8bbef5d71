"""Other libraries take tessera arrays, and tessera takes theirs."""

from __future__ import annotations

import array as typed_arrays
import copyreg
import io
import pickle

import numpy as np
import pytest
import tessera.numpy as tnp


@pytest.fixture
def array():
    return tnp.array(np.arange(12.0).reshape(3, 4))


def test_asarray_shares_memory_both_ways(array):
    view = np.asarray(array)
    array[0, 0] = 50
    assert view[0, 0] == 50
    view[1, 1] = 60
    assert array[1, 1] == 60
    array += 1
    assert view[0, 0] == 51
    assert float((array * 2)[1, 1]) == 122


def test_array_protocol_casts_and_copies(array):
    assert np.asarray(array, dtype=np.int32).dtype == np.int32
    assert not np.shares_memory(np.array(array), np.asarray(array))
    assert np.shares_memory(np.asarray(array, copy=False), np.asarray(array))
    with pytest.raises(ValueError):
        array.__array__(np.int32, copy=False)


def test_results_of_pending_work_are_settled_before_export(array):
    assert np.asarray(array * 2 + 1)[2, 3] == 23


def test_copy_false_pins_and_shares():
    theirs = np.zeros(5)
    ours = tnp.asarray(theirs, copy=False)
    ours[2] = 7
    assert theirs[2] == 7
    theirs[3] = 8
    assert ours[3] == 8
    ours += 1
    assert theirs[0] == 1
    assert tnp.asarray(theirs)[0] == 1
    tnp.asarray(theirs)[0] = 99
    assert theirs[0] == 1


def test_the_buffer_protocol_reads_and_writes(array):
    view = memoryview(array)
    assert view.shape == (3, 4) and view.strides == (32, 8) and view.format == "d" and not view.readonly
    view[1, 2] = 33.0
    assert array[1, 2] == 33
    assert bytes(memoryview(array.T)) == np.asarray(array).T.tobytes()
    array.flags.writeable = False
    assert memoryview(array).readonly


def test_the_array_interface_describes_the_memory(array):
    interface = array.__array_interface__
    assert interface["shape"] == (3, 4) and interface["typestr"] == "<f8"

    class Holder:
        __array_interface__ = interface

    np.testing.assert_array_equal(np.asarray(Holder()), np.asarray(array))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "float16", "float64", "complex64"])
def test_dlpack_goes_both_ways(dtype):
    theirs = np.arange(6).astype(dtype).reshape(2, 3)
    ours = tnp.array(theirs)
    exported = np.from_dlpack(ours)
    np.testing.assert_array_equal(exported, theirs)
    imported = tnp.from_dlpack(theirs)
    np.testing.assert_array_equal(np.asarray(imported), theirs)
    theirs[0, 0] = 1
    assert imported[0, 0] == 1
    assert ours.__dlpack_device__() == (1, 0)


def test_dlpack_tells_read_only_memory_and_copies_on_demand(array):
    array.flags.writeable = False
    assert not np.from_dlpack(array).flags.writeable
    with pytest.raises(BufferError):
        array.__dlpack__()
    assert np.from_dlpack(array, copy=True).flags.writeable
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    assert not tnp.from_dlpack(frozen).flags.writeable


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "layout", [lambda a: a, lambda a: a.T, lambda a: a[:, ::2]], ids=["dense", "fortran", "strided"]
)
def test_pickles_restore(array, protocol, layout):
    restored = pickle.loads(pickle.dumps(layout(array), protocol))
    assert type(restored) is tnp.ndarray
    np.testing.assert_array_equal(np.asarray(restored), np.asarray(layout(array)))
    assert restored.flags.f_contiguous == layout(array).copy("K").flags.f_contiguous


def test_protocol_five_moves_the_elements_out_of_band(array):
    buffers = []
    text = pickle.dumps(array, 5, buffer_callback=buffers.append)
    assert len(buffers) == 1 and len(text) < 400
    np.testing.assert_array_equal(np.asarray(pickle.loads(text, buffers=buffers)), np.asarray(array))


def test_numpy_ufuncs_run_natively(array):
    assert type(np.exp(array)) is tnp.ndarray
    assert type(np.add.reduce(array)) is tnp.ndarray
    out = np.zeros((3, 4))
    assert np.add(array, 1, out=out) is out
    assert out[0, 0] == 1
    native = tnp.zeros((3, 4))
    assert np.multiply(array, 2, out=native) is native
    assert native[0, 1] == 2


def test_numpy_functions_dispatch(array):
    for result in (
        np.concatenate([array, array]),
        np.where(array > 3, array, 0),
        np.mean(array, axis=0),
        np.sort(array),
    ):
        assert type(result) is tnp.ndarray
    assert np.sum(array) == 66


def test_the_array_namespace_is_tessera_numpy(array):
    assert array.__array_namespace__() is tnp
    assert array.__array_namespace__(api_version="2024.12") is tnp
    with pytest.raises(ValueError):
        array.__array_namespace__(api_version="1999.1")
    assert array.device == "cpu" and array.to_device("cpu") is array


def test_names_that_cupy_and_cunumeric_users_write(array):
    assert type(array.get()) is np.ndarray and type(array.to_numpy()) is np.ndarray


def test_npy_files_round_trip(array):
    file = io.BytesIO()
    np.save(file, array)
    file.seek(0)
    np.testing.assert_array_equal(np.load(file), np.asarray(array))


def test_a_class_that_asks_to_be_deferred_to_is(array):
    class Other:
        __array_ufunc__ = None

        def __radd__(self, left):
            return "mine"

    assert array + Other() == "mine"


def test_scipy_takes_tessera_arrays(array):
    ndimage = pytest.importorskip("scipy.ndimage")
    linalg = pytest.importorskip("scipy.linalg")
    np.testing.assert_allclose(ndimage.gaussian_filter(array, 1), ndimage.gaussian_filter(np.asarray(array), 1))
    square = array[:, :3] + tnp.eye(3) * 5
    np.testing.assert_allclose(np.asarray(linalg.inv(square)), np.linalg.inv(np.asarray(square)))


def test_scikit_learn_takes_tessera_arrays(array):
    linear_model = pytest.importorskip("sklearn.linear_model")
    x = tnp.array(np.random.default_rng(0).normal(size=(20, 2)))
    y = x[:, 0] * 2 + x[:, 1]
    model = linear_model.LinearRegression().fit(x, y)
    np.testing.assert_allclose(model.coef_, [2, 1])


def test_matplotlib_takes_tessera_arrays(array):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    line = axes.plot(array[0], array[1])[0]
    axes.imshow(array)
    axes.contour(array)
    axes.hist(array.ravel())
    np.testing.assert_array_equal(line.get_xdata(), np.asarray(array[0]))
    figure.canvas.draw()
    pyplot.close(figure)


def test_xarray_takes_tessera_arrays(array):
    xarray = pytest.importorskip("xarray")
    data = xarray.DataArray(array, dims=("x", "y"))
    np.testing.assert_allclose(np.asarray((data * 2).mean("x")), np.asarray(array).mean(0) * 2)
    np.testing.assert_array_equal(np.asarray(data.isel(x=1)), np.asarray(array)[1])


class GivesArray:
    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)


def test_objects_that_give_an_array_may_stand_in_lists():
    rows = [GivesArray(tnp.arange(3.0)), GivesArray(tnp.ones(3))]
    assert tnp.array(rows).tolist() == [[0, 1, 2], [1, 1, 1]] and tnp.asarray([rows, rows]).shape == (2, 2, 3)
    assert tnp.add(rows, 1).tolist() == [[1, 2, 3], [2, 2, 2]] and tnp.array(rows, dtype="i4").dtype == "i4"
    assert tnp.vstack(rows).shape == (2, 3) and tnp.may_share_memory(rows[0], tnp.ones(2)) is False


def test_memory_is_shared_with_what_it_is_a_view_of():
    buffer = bytearray(range(8))
    for memory in (memoryview(buffer), buffer, typed_arrays.array("d", [1.0, 2.0])):
        seen = tnp.asarray(memory)
        seen[0] = 77
        assert memory[0] == 77 and not seen.flags.owndata
        assert tnp.array(memory).flags.owndata
    assert tnp.asarray(memoryview(buffer), dtype="f8").flags.owndata


@pytest.mark.parametrize("shape", [(0,), (0, 0), (0, 3), (2, 0, 4)])
def test_buffers_without_elements_are_without_gaps(shape):
    view = memoryview(tnp.empty(shape))
    assert view.c_contiguous and view.strides == memoryview(np.empty(shape)).strides
    buffers = []
    pickled = pickle.dumps(tnp.empty(shape), protocol=5, buffer_callback=buffers.append)
    assert b"".join([b"x", *map(memoryview, buffers)]) == b"x"
    assert pickle.loads(pickled, buffers=buffers).shape == shape
