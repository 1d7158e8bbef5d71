"""Cycles in uneven records: the Lomb-Scargle periodogram of sunspots and of carbon dioxide at Mauna Loa.

Both records come with statsmodels. The method is that of N. R. Lomb (1976) and J. D. Scargle (1982).

    python examples/sunspots.py --periods 4000
"""

import argparse

import _report
import numpy
import tessera.numpy as np


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


def lomb_scargle(xp, times, values, periods):
    """Normalised power in [0, 1] of values (n) sampled at times (n) for each period (m)."""
    t = xp.asarray(times)[None, :]
    y = xp.asarray(values - values.mean())[None, :]
    omega = (2 * numpy.pi / xp.asarray(periods))[:, None]
    phase = omega * t
    delay = xp.arctan2(xp.sum(xp.sin(2 * phase), axis=1), xp.sum(xp.cos(2 * phase), axis=1))[:, None] / 2
    c, s = xp.cos(phase - delay), xp.sin(phase - delay)
    power = xp.sum(y * c, axis=1) ** 2 / xp.sum(c * c, axis=1) + xp.sum(y * s, axis=1) ** 2 / xp.sum(s * s, axis=1)
    return power / xp.sum(y * y)


def detrended(times, values):
    """The values less their quadratic trend."""
    return values - numpy.polyval(numpy.polyfit(times - times.mean(), values, 2), times - times.mean())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--periods", type=int, default=3000, help="periods tried")
    args, _ = parser.parse_known_args()
    records = (
        ("sunspots", "number", *load_sunspots(), (2.0, 40.0), 11.0, 0.6),
        ("carbon dioxide", "parts per million", *load_carbon_dioxide(), (0.3, 4.0), 1.0, 0.02),
    )
    fig = _report.figure(11, 7)
    for row, (name, unit, times, values, span, expected, tolerance) in zip(fig.subplots(2, 2), records):
        flat = detrended(times, values)
        periods = numpy.geomspace(*span, args.periods)
        lomb_scargle(np, times, flat, periods[:50])
        ours = _report.timed(lomb_scargle, np, times, flat, periods)
        theirs = _report.timed(lomb_scargle, numpy, times, flat, periods)
        _report.compare(f"{name}, {times.size} values x {periods.size} periods", ours, theirs, rtol=1e-7)
        found = float(periods[ours[1].argmax()])
        print(f"{name}: strongest cycle {found:.2f} years")
        if abs(found - expected) > tolerance:
            raise SystemExit(f"{name}: expected a cycle of {expected} years, found {found:.2f}")
        row[0].plot(times, values, lw=0.8)
        row[0].set(title=name, xlabel="year", ylabel=unit)
        row[1].semilogx(periods, ours[1], lw=0.9)
        row[1].axvline(found, color="tab:red", lw=0.8, ls="--", label=f"{found:.2f} years")
        row[1].set(title="Lomb-Scargle power", xlabel="period in years")
        ticks = [t for t in (0.3, 0.5, 1, 2, 4, 5, 10, 20, 40) if span[0] <= t <= span[1]]
        row[1].set_xticks(ticks, [f"{t:g}" for t in ticks])
        row[1].set_xticks([], minor=True)
        row[1].legend()
    _report.save(fig, "sunspots.png")


if __name__ == "__main__":
    main()
