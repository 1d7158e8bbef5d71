"""
A year of weather by xarray
===========================

Daily temperatures on a grid, made on the spot, grouped by season and month. Objects of xarray hold tessera arrays as they hold NumPy's; only the line
that makes the array differs.
"""

import time

import matplotlib.pyplot as plt
import numpy
import pandas
import tessera.numpy
import xarray

latitude, longitude, day = numpy.arange(-89, 90, 2), numpy.arange(0, 360, 2), numpy.arange(365)
lat, lon = numpy.radians(latitude)[:, None], numpy.radians(longitude)[None, :]
land = 0.5 + 0.5 * numpy.tanh(4 * (numpy.sin(2 * lon + 1) * numpy.cos(lat) + 0.4 * numpy.sin(lat)))
season = -numpy.cos(2 * numpy.pi * (day - 25) / 365)[:, None, None]
temperature = 30 * numpy.cos(lat) ** 1.5 - 15 + 0 * lon + (4 + 16 * land) * numpy.sin(lat) * season
temperature += 3 * numpy.random.default_rng(7).standard_normal(temperature.shape)


def labelled(array):
    """The array with its coordinates."""
    time_axis = pandas.date_range("2025-01-01", periods=365)
    return xarray.DataArray(
        array, dims=("time", "lat", "lon"), coords={"time": time_axis, "lat": latitude, "lon": longitude}
    )


def summarise(data):
    """Means of seasons, and the weighted mean of the globe by month."""
    seasons = data.groupby("time.season").mean()
    weights = numpy.cos(numpy.radians(data.lat))
    globe = data.rolling(time=7, center=True).mean().weighted(weights).mean(("lat", "lon")).groupby("time.month").mean()
    return seasons, globe


def timed(data):
    """The least time of three calls, and the result as NumPy's."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        result = tuple(each.as_numpy() for each in summarise(data))
        times.append(time.perf_counter() - start)
    return min(times), result


theirs, expected = timed(labelled(temperature))
ours, (seasons, globe) = timed(labelled(tessera.numpy.asarray(temperature)))
xarray.testing.assert_allclose(seasons, expected[0])
print(f"{temperature.shape}: tessera {ours:.3f} s, NumPy {theirs:.3f} s")

# %%

figure = plt.figure(figsize=(9, 5.5), layout="constrained")
axes = figure.subplot_mosaic([["DJF", "JJA"], ["year", "year"]])
for name in ("DJF", "JJA"):
    seasons.sel(season=name).plot(ax=axes[name], vmin=-35, vmax=35, cmap="RdBu_r", add_colorbar=name == "JJA")
    axes[name].set_title(name)
globe.plot(ax=axes["year"], marker="o")
axes["year"].set(title="mean of the globe", ylabel="degrees Celsius")
plt.show()
