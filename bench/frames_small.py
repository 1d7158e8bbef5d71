"""tessera.pandas beside pandas on frames of 1,000 rows: what sixty calls cost, in processor time of this thread.

Prints a Markdown table: microseconds and pandas' time over ours, the least ratios first."""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
import pandas
import tessera.pandas as ours

CALLS = {
    "f.v + 1": lambda f: f.v + 1,
    "f.v * f.w": lambda f: f.v * f.w,
    "f.v > 0": lambda f: f.v > 0,
    "f[f.v > 0]": lambda f: f[f.v > 0],
    "f.v[f.v > 0]": lambda f: f.v[f.v > 0],
    "f[['v', 'w']]": lambda f: f[["v", "w"]],
    "f['v']": lambda f: f["v"],
    "f.assign": lambda f: f.assign(z=1),
    "f.head": lambda f: f.head(),
    "f.iloc[5]": lambda f: f.iloc[5],
    "f.loc[5:9]": lambda f: f.loc[5:9],
    "f.iloc[:, 1]": lambda f: f.iloc[:, 1],
    "f.v.iloc[5]": lambda f: f.v.iloc[5],
    "f.at[5, 'v']": lambda f: f.at[5, "v"],
    "f.copy": lambda f: f.copy(),
    "f.rename": lambda f: f.rename(columns={"v": "u"}),
    "f.drop": lambda f: f.drop(columns="v"),
    "f.set_index": lambda f: f.set_index("k"),
    "f.reset_index": lambda f: f.reset_index(),
    "f.sort_values": lambda f: f.sort_values("v"),
    "f.sort_values two": lambda f: f.sort_values(["k", "v"]),
    "f.sort_index": lambda f: f.sort_index(),
    "f.dropna": lambda f: f.dropna(),
    "f.fillna": lambda f: f.fillna(0),
    "f.isna": lambda f: f.isna(),
    "f.astype": lambda f: f[["v"]].astype("float32"),
    "f.sum": lambda f: f[["v", "w"]].sum(),
    "f.mean": lambda f: f[["v", "w"]].mean(),
    "f.std": lambda f: f[["v", "w"]].std(),
    "f.describe": lambda f: f.describe(),
    "f.quantile": lambda f: f.v.quantile(0.5),
    "f.v.sum": lambda f: f.v.sum(),
    "f.v.mean": lambda f: f.v.mean(),
    "f.v.max": lambda f: f.v.max(),
    "f.v.std": lambda f: f.v.std(),
    "f.v.median": lambda f: f.v.median(),
    "f.v.cumsum": lambda f: f.v.cumsum(),
    "f.v.diff": lambda f: f.v.diff(),
    "f.v.shift": lambda f: f.v.shift(),
    "f.v.rank": lambda f: f.v.rank(),
    "f.v.abs": lambda f: f.v.abs(),
    "f.v.round": lambda f: f.v.round(1),
    "f.v.clip": lambda f: f.v.clip(0, 1),
    "f.v.where": lambda f: f.v.where(f.v > 0),
    "f.k.unique": lambda f: f.k.unique(),
    "f.k.nunique": lambda f: f.k.nunique(),
    "f.k.value_counts": lambda f: f.k.value_counts(),
    "f.k.isin": lambda f: f.k.isin([1, 2]),
    "f.t.str.upper": lambda f: f.t.str.upper(),
    "f.t == 'a'": lambda f: f.t == "a3",
    "f.drop_duplicates": lambda f: f.drop_duplicates("k"),
    "groupby sum": lambda f: f.groupby("k").v.sum(),
    "groupby mean of all": lambda f: f[["k", "v", "w"]].groupby("k").mean(),
    "groupby agg": lambda f: f.groupby("k").agg({"v": "sum", "w": "max"}),
    "groupby size": lambda f: f.groupby("t").size(),
    "pivot_table": lambda f: f.pivot_table(index="k", columns="g", values="v"),
    "rolling mean": lambda f: f.v.rolling(10).mean(),
    "concat": lambda f: f.__class__._concat([f, f]),
    "melt": lambda f: f.melt(id_vars="k", value_vars=["v", "w"]),
    "to_numpy": lambda f: f[["v", "w"]].to_numpy(),
    "merge": lambda f: f.merge(f.other, on="k"),
}


def sample(module):
    """A frame of the module's class, with what the calls need beside it."""
    draw = np.random.default_rng(0)
    keys = draw.integers(0, 20, 1000)
    frame = module.DataFrame(
        {
            "k": keys,
            "g": keys % 3,
            "v": draw.normal(size=1000),
            "w": draw.normal(size=1000),
            "t": [f"a{k}" for k in keys],
        }
    )
    object.__setattr__(frame, "other", module.DataFrame({"k": np.arange(20), "z": draw.normal(size=20)}))
    return frame


def spent(call, frame, least_seconds: float) -> float:
    """Seconds of one call."""
    count, begin = 0, time.thread_time()
    while (passed := time.thread_time() - begin) < least_seconds:
        call(frame)
        count += 1
    return passed / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.02, help="of each call in a round")
    options = parser.parse_args()
    pandas.DataFrame._concat = staticmethod(pandas.concat)
    ours.DataFrame._concat = staticmethod(ours.concat)
    sides = sample(ours), sample(pandas)
    rows = []
    for name, call in CALLS.items():
        for frame in sides:
            call(frame)
        rounds = [[spent(call, frame, options.seconds) for frame in sides] for _ in range(options.rounds)]
        mine, theirs = (statistics.median(each) for each in zip(*rounds))
        rows.append((theirs / mine, name, mine, theirs))
    print("| call | tessera, us | pandas, us | pandas / tessera |\n|---|---|---|---|")
    for ratio, name, mine, theirs in sorted(rows):
        print(f"| `{name}` | {1e6 * mine:.1f} | {1e6 * theirs:.1f} | {ratio:.2f} |")
    print(f"\ngeometric mean {statistics.geometric_mean(row[0] for row in rows):.2f}, of {len(rows)} calls")


if __name__ == "__main__":
    main()
