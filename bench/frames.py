"""tessera.pandas beside pandas, polars and DuckDB: db-benchmark's group-bys and joins, and single operations.

Run by `make bench-frames`; prints Markdown tables. `--rows` sets the rows, 2,000,000 unless given; the database is made in memory."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import statistics
import time
from collections.abc import Callable

os.environ.setdefault("POLARS_MAX_THREADS", "2")

import duckdb
import numpy as np
import pandas
import polars
import tessera.pandas as ours


def table(rows: int, groups: int, seed: int = 108) -> pandas.DataFrame:
    """db-benchmark's G1 table."""
    draw = np.random.default_rng(seed)
    many = max(rows // groups, 1)
    return pandas.DataFrame(
        {
            "id1": pandas.array([f"id{k:03}" for k in range(1, groups + 1)], dtype="str").take(
                draw.integers(0, groups, rows)
            ),
            "id2": pandas.array([f"id{k:03}" for k in range(1, groups + 1)], dtype="str").take(
                draw.integers(0, groups, rows)
            ),
            "id3": pandas.array([f"id{k:010}" for k in range(1, many + 1)], dtype="str").take(
                draw.integers(0, many, rows)
            ),
            "id4": draw.integers(1, groups + 1, rows),
            "id5": draw.integers(1, groups + 1, rows),
            "id6": draw.integers(1, many + 1, rows),
            "v1": draw.integers(1, 6, rows),
            "v2": draw.integers(1, 16, rows),
            "v3": draw.uniform(0, 100, rows).round(6),
        }
    )


def _two_largest(frame):
    ordered = frame[["id6", "v3"]].sort_values("v3", ascending=False, kind="stable")
    return ordered.groupby("id6").head(2)


def _squared_correlation(frame):
    return frame[["id2", "id4", "v1", "v2"]].groupby(["id2", "id4"]).corr().iloc[0::2][["v2"]] ** 2


# Question: of pandas (and of ours), of polars, of DuckDB.
GROUPS = {
    "sum v1 by id1": (
        lambda f: f.groupby("id1", sort=False).agg({"v1": "sum"}),
        lambda p: p.group_by("id1").agg(polars.col("v1").sum()),
        "SELECT id1, sum(v1) FROM x GROUP BY id1",
    ),
    "sum v1 by id1, id2": (
        lambda f: f.groupby(["id1", "id2"], sort=False).agg({"v1": "sum"}),
        lambda p: p.group_by("id1", "id2").agg(polars.col("v1").sum()),
        "SELECT id1, id2, sum(v1) FROM x GROUP BY id1, id2",
    ),
    "sum v1, mean v3 by id3": (
        lambda f: f.groupby("id3", sort=False).agg({"v1": "sum", "v3": "mean"}),
        lambda p: p.group_by("id3").agg(polars.col("v1").sum(), polars.col("v3").mean()),
        "SELECT id3, sum(v1), avg(v3) FROM x GROUP BY id3",
    ),
    "mean v1:v3 by id4": (
        lambda f: f.groupby("id4", sort=False).agg({"v1": "mean", "v2": "mean", "v3": "mean"}),
        lambda p: p.group_by("id4").agg(polars.col("v1", "v2", "v3").mean()),
        "SELECT id4, avg(v1), avg(v2), avg(v3) FROM x GROUP BY id4",
    ),
    "sum v1:v3 by id6": (
        lambda f: f.groupby("id6", sort=False).agg({"v1": "sum", "v2": "sum", "v3": "sum"}),
        lambda p: p.group_by("id6").agg(polars.col("v1", "v2", "v3").sum()),
        "SELECT id6, sum(v1), sum(v2), sum(v3) FROM x GROUP BY id6",
    ),
    "median, std v3 by id4, id5": (
        lambda f: f.groupby(["id4", "id5"], sort=False).agg({"v3": ["median", "std"]}),
        lambda p: p.group_by("id4", "id5").agg(polars.col("v3").median().alias("m"), polars.col("v3").std().alias("s")),
        "SELECT id4, id5, median(v3), stddev(v3) FROM x GROUP BY id4, id5",
    ),
    "max v1 - min v2 by id3": (
        lambda f: f.groupby("id3", sort=False).agg({"v1": "max", "v2": "min"}).assign(r=lambda g: g.v1 - g.v2)[["r"]],
        lambda p: p.group_by("id3").agg((polars.col("v1").max() - polars.col("v2").min()).alias("r")),
        "SELECT id3, max(v1) - min(v2) FROM x GROUP BY id3",
    ),
    "two largest v3 by id6": (
        _two_largest,
        lambda p: p.group_by("id6").agg(polars.col("v3").top_k(2)).explode("v3"),
        "SELECT id6, v3 FROM (SELECT id6, v3, row_number() OVER (PARTITION BY id6 ORDER BY v3 DESC) r FROM x) WHERE r <= 2",
    ),
    "correlation v1, v2 by id2, id4": (
        _squared_correlation,
        lambda p: p.group_by("id2", "id4").agg((polars.corr("v1", "v2") ** 2).alias("r")),
        "SELECT id2, id4, corr(v1, v2) ** 2 FROM x GROUP BY id2, id4",
    ),
    "sum v3, count by id1:id6": (
        lambda f: f.groupby(["id1", "id2", "id3", "id4", "id5", "id6"], sort=False).agg({"v3": "sum", "v1": "size"}),
        lambda p: p.group_by("id1", "id2", "id3", "id4", "id5", "id6").agg(polars.col("v3").sum(), polars.len()),
        "SELECT id1, id2, id3, id4, id5, id6, sum(v3), count(*) FROM x GROUP BY id1, id2, id3, id4, id5, id6",
    ),
}

SINGLE = {
    "filter, product, sum": (
        lambda f: (f.v3[f.v3 > 50] * 2).sum(),
        lambda p: p.filter(polars.col("v3") > 50).select((polars.col("v3") * 2).sum()),
        "SELECT sum(v3 * 2) FROM x WHERE v3 > 50",
    ),
    "filter of the frame, assign, sum": (
        lambda f: f[f.v3 > 50].assign(z=f.v1 * f.v3).z.sum(),
        lambda p: p.filter(polars.col("v3") > 50).select((polars.col("v1") * polars.col("v3")).sum()),
        "SELECT sum(v1 * v3) FROM x WHERE v3 > 50",
    ),
    "pivot_table of id4, id5": (
        lambda f: f.pivot_table(index="id4", columns="id5", values="v3", aggfunc="mean"),
        lambda p: p.pivot("id5", index="id4", values="v3", aggregate_function="mean"),
        None,
    ),
    "sort by id4, v3": (
        lambda f: f[["id4", "v3"]].sort_values(["id4", "v3"]),
        lambda p: p.select("id4", "v3").sort("id4", "v3"),
        None,
    ),
    "rolling mean of 100": (
        lambda f: f.v3.rolling(100).mean(),
        lambda p: p.select(polars.col("v3").rolling_mean(100)),
        None,
    ),
    "value_counts of id3": (
        lambda f: f.id3.value_counts(),
        lambda p: p["id3"].value_counts(sort=True),
        "SELECT id3, count(*) n FROM x GROUP BY id3 ORDER BY n DESC",
    ),
    "drop_duplicates of id1, id2": (
        lambda f: f.drop_duplicates(["id1", "id2"]),
        lambda p: p.unique(["id1", "id2"], keep="first", maintain_order=True),
        None,
    ),
}


def by_time(rows: int) -> pandas.DataFrame:
    """A value each second."""
    times = pandas.date_range("2026-01-01", periods=rows, freq="s", name="time")
    return pandas.DataFrame({"v": np.random.default_rng(3).normal(size=rows)}, index=times)


OF_TIMES = {
    "resample by the hour, mean": (
        lambda f: f.v.resample("h").mean(),
        lambda p: p.group_by_dynamic("time", every="1h").agg(polars.col("v").mean()),
        "SELECT date_trunc('hour', time) AS start, avg(v) FROM x GROUP BY start",
    ),
}


def joins(frame: pandas.DataFrame) -> dict:
    """Questions like db-benchmark's joins: small, middle and large right sides."""
    draw = np.random.default_rng(1)
    sides = {}
    for name, column in (("small", "id4"), ("large", "id6"), ("texts", "id3")):
        keys = pandas.Series(frame[column].unique())
        sides[name] = (
            column,
            keys.sample(frac=0.9, random_state=1).to_frame(column).assign(w=draw.random(int(round(len(keys) * 0.9)))),
        )
    result = {}
    for how, name in (("inner", "small"), ("inner", "large"), ("left", "large"), ("inner", "texts")):
        column, side = sides[name]
        theirs, mine = polars.from_pandas(side), ours.DataFrame(side)
        result[f"{how} join with {len(side):,} rows by {column}"] = (
            lambda f, column=column, how=how, side=side, mine=mine: f.merge(
                mine if isinstance(f, ours.DataFrame) and type(f) is ours.DataFrame else side, on=column, how=how
            ),
            lambda p, column=column, how=how, theirs=theirs: p.join(theirs, on=column, how=how),
            None,
        )
    return result


def measure(title: str, questions: dict, frame: pandas.DataFrame, rounds: int, clock: Callable[[], float]) -> None:
    """Medians of rounds in which each library runs once, so that what else the machine does hits all alike."""
    named = frame.reset_index() if frame.index.name else frame
    mine, of_polars, database = ours.DataFrame(frame), polars.from_pandas(named), duckdb.connect()
    database.execute("SET threads = 2")
    database.register("arrow", of_polars.to_arrow())
    database.execute("CREATE TABLE x AS SELECT * FROM arrow")
    print(f"| {title}, ms | tessera | pandas | polars | DuckDB | pandas / tessera |\n|---|---|---|---|---|---|")
    ratios = []
    for name, (work, polars_work, query) in questions.items():
        works = [lambda: settled(work(mine)), lambda: work(frame), lambda: polars_work(of_polars)]
        if query:
            works.append(lambda: database.sql(query).to_arrow_table())
        times: list[list[float]] = [[] for _ in works]
        for _ in range(rounds):
            for each, spent in zip(works, times):
                begin = clock()
                each()
                spent.append(1e3 * (clock() - begin))
        found = [statistics.median(each) for each in times]
        ratios.append([other / found[0] for other in found[1:]])
        shown = [f"{each:.1f}" for each in found] + ["–"] * (4 - len(found))
        print(f"| {name} | {' | '.join(shown)} | {found[1] / found[0]:.2f} |", flush=True)
    for at, peer in enumerate(("pandas", "polars", "DuckDB")):
        known = [row[at] for row in ratios if len(row) > at]
        if known:
            print(f"\ngeometric mean of {peer} / tessera: {statistics.geometric_mean(known):.2f}", end="")
    print("\n", flush=True)


def settled(result) -> None:
    """Reads what is only recorded."""
    if isinstance(result, ours.Series):
        len(result.array)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--single", action="store_true", help="single operations only")
    parser.add_argument("--processor", action="store_true", help="processor time of all threads, for busy machines")
    options = parser.parse_args()
    clock = time.process_time if options.processor else time.perf_counter
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("pandas", "polars", "duckdb"))
    print(f"{options.rows:,} rows, {versions}, medians of {options.rounds} rounds\n")
    frame = table(options.rows, 100)
    if not options.single:
        measure("group-by", GROUPS, frame, options.rounds, clock)
        measure("join", joins(frame), frame, options.rounds, clock)
    measure("operation", SINGLE, frame, options.rounds, clock)
    measure("operation on times", OF_TIMES, by_time(options.rows), options.rounds, clock)


if __name__ == "__main__":
    main()
