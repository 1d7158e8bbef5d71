"""Cycles in uneven records: the Lomb-Scargle periodogram of sunspots and of carbon dioxide at Mauna Loa, and the powers that noise
alone exceeds with a probability of 10%, 1% and 0.1%.

Both records come with statsmodels. The method is that of N. R. Lomb (1976) and J. D. Scargle (1982), the levels are R. V. Baluev's (2008).

    python examples/sunspots.py --periods 4000
"""

import argparse
import math

import _report
import numpy
import scipy.signal
from tessera.scipy import signal


def load_sunspots():
    """Years and yearly sunspot numbers since 1700."""
    import statsmodels.datasets

    data = statsmodels.datasets.sunspots.load().data
    return data["YEAR"].to_numpy(dtype=float), data["SUNACTIVITY"].to_numpy(dtype=float)


def load_carbon_dioxide():
    """Decimal years and weekly parts per million at Mauna Loa; weeks without a measurement are left out."""
    import statsmodels.datasets

    data = statsmodels.datasets.co2.load().data["co2"].dropna()
    dates = data.index.to_numpy()
    years = dates.astype("datetime64[Y]")
    start = years.astype("datetime64[D]")
    length = ((years + 1).astype("datetime64[D]") - start).astype(float)
    return 1970 + years.astype(float) + (dates.astype("datetime64[D]") - start).astype(float) / length, data.to_numpy(
        dtype=float
    )


CHANCES = (0.1, 0.01, 0.001)


def powers(signal, times, values, freqs):
    """Normalised power in [0, 1] of values (n) sampled at times (n) for each angular frequency (m), about a fitted mean."""
    return signal.lombscargle(times, values, freqs, normalize=True, floating_mean=True)


def detrended(times, values):
    """The values less their quadratic trend."""
    return values - numpy.polyval(numpy.polyfit(times - times.mean(), values, 2), times - times.mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--periods", type=int, default=3000, help="frequencies tried")
    args, _ = parser.parse_known_args()
    records = (
        ("sunspots", "number", *load_sunspots(), (2.0, 40.0), 11.0, 0.6),
        ("carbon dioxide", "parts per million", *load_carbon_dioxide(), (0.3, 4.0), 1.0, 0.02),
    )
    fig = _report.figure(11, 7)
    for row, (name, unit, times, values, span, expected, tolerance) in zip(fig.subplots(2, 2), records):
        flat = detrended(times, values)
        freqs = numpy.linspace(2 * math.pi / span[1], 2 * math.pi / span[0], args.periods)
        powers(signal, times, flat, freqs)
        ours = _report.timed(powers, signal, times, flat, freqs)
        theirs = _report.timed(powers, scipy.signal, times, flat, freqs)
        _report.compare(
            f"{name}, {times.size} values x {freqs.size} frequencies", ours, theirs, rtol=1e-7, peer="SciPy"
        )
        periods, power = 2 * math.pi / freqs, ours[1]
        found = float(periods[power.argmax()])
        levels = numpy.asarray(
            signal.lombscargle_false_alarm_level(CHANCES, times, flat, maximum_frequency=2 * math.pi / span[0])
        )
        print(
            f"{name}: strongest cycle {found:.2f} years; noise reaches {levels[-1]:.3f} once in {1 / CHANCES[-1]:.0f}"
        )
        if abs(found - expected) > tolerance or power.max() < levels[-1]:
            raise SystemExit(f"{name}: expected a cycle of {expected} years above {levels[-1]}, found {found:.2f}")
        row[0].plot(times, values, lw=0.8)
        row[0].set(title=name, xlabel="year", ylabel=unit)
        row[1].semilogx(periods, power, lw=0.9)
        row[1].axvline(found, color="tab:red", lw=0.8, ls="--", label=f"{found:.2f} years")
        for level, chance, style in zip(levels, CHANCES, (":", "-.", "--")):
            row[1].axhline(level, color="tab:gray", lw=0.8, ls=style, label=f"noise: {chance:.1%}")
        row[1].set(title="Lomb-Scargle power", xlabel="period in years")
        ticks = [t for t in (0.3, 0.5, 1, 2, 4, 5, 10, 20, 40) if span[0] <= t <= span[1]]
        row[1].set_xticks(ticks, [f"{t:g}" for t in ticks])
        row[1].set_xticks([], minor=True)
        row[1].legend()
    _report.save(fig, "sunspots.png")


if __name__ == "__main__":
    main()
