"""xarray over tessera's arrays and over Dask's of them: NumPy's answers, and the arrays stay what they are."""

from __future__ import annotations

import warnings

import numpy
import pytest

xarray = pytest.importorskip("xarray")

import dask.array as da  # noqa: E402
import pandas  # noqa: E402
import tessera.numpy as np  # noqa: E402

from tessera import _fallback  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::tessera.FallbackWarning", "ignore:Duplicate dimension")

VALUES = numpy.random.default_rng(0).normal(size=(366, 6, 8))
# A single chunk along what xarray or Dask wants whole for NumPy's arrays, too.
WHOLE = {"interpolate_na"}


def weather(data):
    return xarray.DataArray(
        data,
        dims=("time", "lat", "lon"),
        coords={
            "time": pandas.date_range("2020-01-01", periods=366),
            "lat": numpy.linspace(-50, 50, 6),
            "lon": numpy.arange(8.0) * 10,
        },
        name="t2m",
    )


def few(x):
    return x.isel(time=slice(0, 20))


def points(dims, values):
    return xarray.DataArray(values, dims=dims)


OPERATIONS = {
    "arithmetic": lambda x: (x + 1.5) * x - x.mean("time"),
    "numpy ufunc": lambda x: numpy.sin(x),
    "comparison": lambda x: x > 0.5,
    "std": lambda x: x.std("lat"),
    "mean of all": lambda x: x.mean(),
    "groupby of one axis": lambda x: x.isel(lat=0, lon=0).groupby("time.month").mean(),
    "max of two": lambda x: x.max(("lat", "lon")),
    "median": lambda x: x.median("lon"),
    "quantile": lambda x: x.quantile([0.1, 0.5], "lon"),
    "cumsum": lambda x: x.cumsum("time"),
    "argmax": lambda x: x.argmax("time"),
    "groupby": lambda x: x.groupby("time.month").mean(),
    "groupby anomaly": lambda x: x.groupby("time.month") - x.groupby("time.month").mean(),
    "groupby std": lambda x: x.groupby("time.season").std(),
    "groupby map": lambda x: x.groupby("time.season").map(lambda g: g.sum("time")),
    "groupby bins": lambda x: x.groupby_bins("lat", [-60, 0, 60]).sum(),
    "groupby of a dataset": lambda x: x.to_dataset().groupby("time.month").max()["t2m"],
    "resample": lambda x: x.resample(time="MS").mean(),
    "resample up": lambda x: few(x).resample(time="12h").ffill(),
    "resample interpolated": lambda x: few(x).resample(time="12h").interpolate("linear"),
    "rolling": lambda x: x.rolling(time=5, center=True, min_periods=2).mean(),
    "rolling max": lambda x: x.rolling(lon=3).max(),
    "rolling construct": lambda x: x.rolling(lon=3).construct("w").sum("w"),
    "rolling reduce": lambda x: x.rolling(time=3).reduce(np.mean),
    "coarsen": lambda x: x.coarsen(lat=2, lon=4).mean(),
    "coarsen trim": lambda x: x.coarsen(time=7, boundary="trim").max(),
    "coarsen construct": lambda x: x.coarsen(lon=4).construct(lon=("a", "b")),
    "interp": lambda x: x.interp(lat=[-10.0, 3.0, 20.0]),
    "interp of two": lambda x: x.interp(lat=[-10.0, 3.0], lon=[5.0, 12.0]),
    "interp nearest": lambda x: x.interp(lat=[-10.0, 20.0], method="nearest"),
    "interpolate_na": lambda x: x.where(x > -1).interpolate_na("time"),
    "where": lambda x: x.where(x > 0),
    "where other": lambda x: x.where(x > 0, -1.0),
    "where drop": lambda x: x.where(x.lat > 0, drop=True),
    "where of three": lambda x: xarray.where(x > 0, x, -x),
    "fillna": lambda x: x.where(x > 0).fillna(2.0),
    "ffill": lambda x: few(x).where(few(x) > 0).ffill("time"),
    "dropna": lambda x: x.where(x.lon > 15).dropna("lon"),
    "clip": lambda x: x.clip(-1, 1),
    "reindex": lambda x: x.reindex(lat=[-50.0, 0.0, 50.0]),
    "reindex nearest": lambda x: x.reindex(lat=[-45.0, 0.0, 45.0], method="nearest"),
    "align": lambda x: xarray.align(x, x.isel(lat=slice(0, 3)), join="outer")[1],
    "apply_ufunc": lambda x: xarray.apply_ufunc(np.tanh, x, dask="allowed"),
    "apply_ufunc of rows": lambda x: xarray.apply_ufunc(
        lambda rows: rows.mean(-1), x, input_core_dims=[["lon"]], dask="parallelized", output_dtypes=[float]
    ),
    "apply_ufunc vectorized": lambda x: xarray.apply_ufunc(
        lambda row: row.max() - row[0], few(x), input_core_dims=[["lon"]],
        vectorize=True, dask="parallelized", output_dtypes=[float],
    ),
    "outer indexing": lambda x: x.isel(time=[3, 1, 2], lat=0),
    "indexing by points": lambda x: x.isel(lat=points("p", [0, 1]), lon=points("p", [2, 3])),
    "label": lambda x: x.sel(time="2020-03"),
    "label nearest": lambda x: x.sel(lon=33, method="nearest"),
    "stack": lambda x: x.stack(p=("lat", "lon")).unstack("p"),
    "concat": lambda x: xarray.concat([x, x], "time"),
    "combine_first": lambda x: x.where(x > 0).combine_first(x),
    "dot": lambda x: xarray.dot(x, x, dim="time"),
    "weighted": lambda x: x.weighted(numpy.cos(numpy.deg2rad(x.lat))).mean(("lat", "lon")),
    "diff, shift, roll": lambda x: x.diff("time").shift(time=2).roll(lon=2),
    "pad": lambda x: x.pad(lon=2, mode="wrap").pad(lat=(1, 2)),
    "polyfit": lambda x: x.polyfit("time", 1)["polyfit_coefficients"],
    "differentiate": lambda x: x.differentiate("lon"),
    "integrate": lambda x: x.integrate("lon"),
    "corr": lambda x: xarray.corr(x, x * x, "time"),
    "full_like": lambda x: xarray.full_like(x, 3.0),
    "map_blocks": lambda x: x.map_blocks(lambda block: block * 2),
    "astype": lambda x: x.astype("f4"),
    "to_array": lambda x: x.to_dataset().to_array(),
}  # fmt: skip


@pytest.mark.parametrize("over", ["tessera", "dask"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_answers_are_numpy_s_in_tessera_s_arrays(operation, over):
    function = OPERATIONS[operation]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = function(weather(VALUES))
        except ImportError as error:  # bottleneck, for some
            pytest.skip(str(error))
        chunks = (366, 6, 8) if operation in WHOLE else (122, 3, 8)
        data = np.asarray(VALUES) if over == "tessera" else da.from_array(np.asarray(VALUES), chunks=chunks)
        found = function(weather(data))
        if over == "dask":
            assert isinstance(found.data, da.Array) and type(found.data._meta) is np.ndarray
            found = found.compute()
    assert type(found.data) is np.ndarray
    assert found.dims == expected.dims and found.dtype == expected.dtype
    numpy.testing.assert_allclose(numpy.asarray(found.data), expected.data, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("over", ["tessera", "dask"])
@pytest.mark.parametrize("limit", [None, 1, 3])
@pytest.mark.parametrize("method", ["ffill", "bfill"])
def test_filling_needs_no_bottleneck(method, limit, over):
    values = numpy.where(VALUES[:60, 0] > -0.3, numpy.nan, VALUES[:60, 0])
    data = np.asarray(values) if over == "tessera" else da.from_array(np.asarray(values), chunks=(20, 4))
    found = getattr(xarray.DataArray(data, dims=("time", "lon")), method)("time", limit=limit)
    expected = getattr(pandas.DataFrame(values), method)(limit=limit).to_numpy()
    assert type(found.compute().data) is np.ndarray
    numpy.testing.assert_array_equal(found.values, expected)


def test_what_runs_in_scipy_says_so():
    _fallback.reset_fallback_statistics()
    weather(np.asarray(VALUES)).interp(lat=[3.0])
    assert any(name.startswith("xarray.apply_ufunc") for name in _fallback.fallback_statistics())


def test_as_numpy_and_values_are_numpy_s():
    x = weather(np.asarray(VALUES))
    assert type(x.as_numpy().data) is numpy.ndarray and type(x.values) is numpy.ndarray
    assert numpy.array_equal(x.values, VALUES)


@pytest.mark.parametrize("over", ["tessera", "dask"])
def test_text_and_html_show_the_array_without_changing_it(over):
    x = weather(np.asarray(VALUES) if over == "tessera" else da.from_array(np.asarray(VALUES), chunks=(122, 6, 8)))
    held = x.data
    for object_ in (x, x.to_dataset(), x.variable):
        assert "time" in repr(object_) and "time" in object_._repr_html_()
    assert x.data is held and type(held) is (np.ndarray if over == "tessera" else da.Array)
    numpy.testing.assert_array_equal(x.values, VALUES)


def test_plots_take_tessera_s_arrays():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    x = weather(np.asarray(VALUES))
    mesh = x.isel(time=0).plot()
    numpy.testing.assert_array_equal(mesh.get_array().reshape(6, 8), VALUES[0])
    pyplot.figure()
    (line,) = x.isel(lat=0, lon=0).plot()
    numpy.testing.assert_array_equal(line.get_ydata(), VALUES[:, 0, 0])
    pyplot.figure()
    counts, edges, _ = x.plot.hist()
    numpy.testing.assert_array_equal(counts, numpy.histogram(VALUES, edges)[0])
    panels = x.isel(time=slice(0, 2)).plot(col="time")
    for k, axes in enumerate(panels.axs.flat):
        numpy.testing.assert_array_equal(axes.collections[0].get_array().reshape(6, 8), VALUES[k])
    pyplot.close("all")


@pytest.mark.parametrize("over", ["tessera", "dask"])
@pytest.mark.parametrize("engine", ["scipy", "netcdf4", "zarr"])
def test_files_keep_the_values(engine, over, tmp_path):
    if engine != "scipy":
        pytest.importorskip({"netcdf4": "netCDF4", "zarr": "zarr"}[engine])
    data = np.asarray(VALUES) if over == "tessera" else da.from_array(np.asarray(VALUES), chunks=(122, 6, 8))
    dataset = weather(data).to_dataset()
    path = tmp_path / "weather"
    dataset.to_zarr(path) if engine == "zarr" else dataset.to_netcdf(path, engine=engine)
    with xarray.open_dataset(path, engine=engine) as back:
        assert numpy.array_equal(back["t2m"].values, VALUES)


def test_files_opened_under_the_backend_have_tessera_s_chunks(tmp_path):
    import dask

    weather(VALUES).to_dataset().to_netcdf(tmp_path / "weather", engine="scipy")
    with dask.config.set({"array.backend": "tessera"}):
        with xarray.open_dataset(tmp_path / "weather", engine="scipy", chunks={"time": 122}) as back:
            mean = back["t2m"].groupby("time.month").mean()
            assert type(mean.data._meta) is np.ndarray and type(mean.compute().data) is np.ndarray
    numpy.testing.assert_allclose(mean.values, weather(VALUES).groupby("time.month").mean().values)
