#!/usr/bin/env python3
"""Runs pandas' own tests, read from the installed package, with tessera.pandas in pandas' place; prints counts beside pandas'.

    tools/pandas_tests.py groupby/test_reductions.py reshape/merge    files or folders of pandas/tests
    tools/pandas_tests.py --failures ...                              and names what fails here but not in pandas

Frames of any size run natively where they can. pandas' own outcomes are kept in --folder from run to run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path

import numpy_tests
import pandas

TESTS = Path(pandas.__file__).parent / "tests"


def run(path: Path, module: str, seconds: int, scratch: Path) -> dict[str, tuple[str, str]]:
    """The outcome and last words of each test of a file."""
    options = ["--rootdir", str(TESTS.parent), "-c", str(TESTS.parent / "pyproject.toml")]
    return numpy_tests.run_file(path, module, seconds, scratch, options=options)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", help="files or folders below pandas/tests")
    parser.add_argument("--failures", action="store_true", help="name the tests that fail here and pass in pandas")
    parser.add_argument("--text", action="store_true", help="with their last words")
    parser.add_argument("--seconds", type=int, default=500, help="the time a file may take")
    parser.add_argument("--folder", type=Path, default=Path("build/pandas_tests"), help="where outcomes are kept")
    options = parser.parse_args()
    folder = options.folder.resolve()
    scratch = folder / f"scratch-{os.getpid()}"
    scratch.mkdir(parents=True, exist_ok=True)
    os.environ["TESSERA_PANDAS_ROWS"] = "1"
    files = []
    for path in options.paths:
        files += [TESTS / path] if path.endswith(".py") else sorted((TESTS / path).rglob("test_*.py"))
    print(f"{'file':52} {'pandas':>8} {'tessera':>8} {'share':>8}")
    totals = [0, 0]
    for file in files:
        name = str(file.relative_to(TESTS))
        kept = folder / f"pandas-{pandas.__version__}-{name.replace('/', '-')}.json"
        if not kept.exists():
            kept.write_text(json.dumps(run(file, "pandas", options.seconds, scratch)))
        wanted = [test for test, (outcome, _) in json.loads(kept.read_text()).items() if outcome == "passed"]
        found = run(file, "tessera.pandas", options.seconds, scratch)
        wrong = [(test, *found.get(test, ("missing", ""))) for test in wanted if found.get(test, ("",))[0] != "passed"]
        totals = [totals[0] + len(wanted), totals[1] + len(wanted) - len(wrong)]
        share = f"{(1 - len(wrong) / len(wanted)):.2%}" if wanted else "–"
        print(f"{name:52} {len(wanted):8} {len(wanted) - len(wrong):8} {share:>8}", flush=True)
        for test, outcome, text in wrong if options.failures or options.text else ():
            print(f"  {outcome} {test}")
            if options.text:
                print("    " + "\n    ".join(text.splitlines()[-12:]))
    print(f"{'total':52} {totals[0]:8} {totals[1]:8} {totals[1] / max(totals[0], 1):8.2%}")
    shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
