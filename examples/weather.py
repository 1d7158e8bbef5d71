"""A year of gridded weather by month and season with xarray, over NumPy's arrays and over tessera's.

The temperatures are made on the spot: a warm equator, seasons that lag the sun, continents that swing further than oceans, weather.

    python examples/weather.py --degrees 2
"""

import argparse

import _report
import numpy
import pandas
import tessera.numpy
import xarray


def make_year(degrees):
    """Daily temperatures of 2025 in degrees Celsius on a grid of so many degrees, as NumPy's array (day, latitude, longitude)."""
    random = numpy.random.default_rng(7)
    latitude = numpy.arange(-90 + degrees / 2, 90, degrees)
    longitude = numpy.arange(0, 360, degrees)
    day = numpy.arange(365)
    lat, lon = numpy.radians(latitude)[:, None], numpy.radians(longitude)[None, :]
    land = 0.5 + 0.5 * numpy.tanh(4 * (numpy.sin(2 * lon + 1) * numpy.cos(lat) + 0.4 * numpy.sin(lat)))
    mean = 30 * numpy.cos(lat) ** 1.5 - 15 + 0 * lon
    swing = (4 + 16 * land) * numpy.sin(lat)
    season = -numpy.cos(2 * numpy.pi * (day - 25) / 365)[:, None, None]
    weather = 3 * random.standard_normal((365, *mean.shape))
    return day, latitude, longitude, mean + swing * season + weather


def labelled(temperature, latitude, longitude):
    """The array with its coordinates."""
    return xarray.DataArray(
        temperature,
        dims=("time", "lat", "lon"),
        coords={"time": pandas.date_range("2025-01-01", periods=365), "lat": latitude, "lon": longitude},
        name="temperature",
        attrs={"units": "°C"},
    )


def summarise(data):
    """Means of each season, anomalies' spread by month, and the mean of the globe by month, weighted by area."""
    seasons = data.groupby("time.season").mean()
    monthly = data.groupby("time.month")
    spread = (monthly - monthly.mean()).groupby("time.month").std()
    area = numpy.cos(numpy.radians(data.lat))
    smooth = data.rolling(time=7, center=True).mean()
    globe = smooth.weighted(area).mean(("lat", "lon")).groupby("time.month").mean()
    return seasons, spread, globe


def arrays(summary):
    """The data of what summarise() gives."""
    return tuple(each.data for each in summary)


def draw(seasons, globe):
    """Maps of the seasons and the globe's year."""
    figure = _report.figure(10, 7)
    axes = figure.subplot_mosaic([["DJF", "MAM"], ["JJA", "SON"], ["year", "year"]])
    for season in ("DJF", "MAM", "JJA", "SON"):
        seasons.sel(season=season).as_numpy().plot(
            ax=axes[season], vmin=-35, vmax=35, cmap="RdBu_r", add_colorbar=season == "MAM"
        )
        axes[season].set_title(season)
    globe.as_numpy().plot(ax=axes["year"], marker="o")
    axes["year"].set_title("mean of the globe")
    _report.save(figure, "weather.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--degrees", type=float, default=2.0, help="the grid's spacing")
    args, _ = parser.parse_known_args()
    _, latitude, longitude, temperature = make_year(args.degrees)
    theirs = labelled(temperature, latitude, longitude)
    ours = labelled(tessera.numpy.asarray(temperature), latitude, longitude)
    arrays(summarise(ours))  # kernels compile
    _report.compare(
        f"365 days, {latitude.size} x {longitude.size}",
        _report.timed(lambda: arrays(summarise(ours))),
        _report.timed(lambda: arrays(summarise(theirs))),
    )
    seasons, _, globe = summarise(ours)
    assert all(type(each.data) is tessera.numpy.ndarray for each in (seasons, globe))
    draw(seasons, globe)


if __name__ == "__main__":
    main()
