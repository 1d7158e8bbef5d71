#!/usr/bin/env python3
"""Runs NetworkX's own tests, read from the installed package, through the backend; prints counts beside NetworkX's.

    tools/networkx_tests.py                        every folder of tests
    tools/networkx_tests.py algorithms/centrality  some folders
    tools/networkx_tests.py --failures ...         and names what fails here but not in NetworkX

Each test runs three times: in NetworkX alone (kept in --folder from run to run), through the backend where NetworkX
computes what the backend refuses, and through the backend alone, where a test that needs more is skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path

import networkx
import numpy_tests

INSTALLED = Path(networkx.__file__).parent
MODES = {
    "fallback": {"NETWORKX_TEST_BACKEND": "tessera", "NETWORKX_FALLBACK_TO_NX": "1"},
    "alone": {"NETWORKX_TEST_BACKEND": "tessera", "NETWORKX_FALLBACK_TO_NX": ""},
}


def folders() -> list[str]:
    """All that have tests."""
    return sorted(str(path.parent.relative_to(INSTALLED)) for path in INSTALLED.glob("**/tests") if path.is_dir())


def run(folder: str, environment: dict[str, str], seconds: int, scratch: Path) -> dict[str, tuple[str, str]]:
    """The outcome and last words of each test of a folder."""
    os.environ.update({"NETWORKX_TEST_BACKEND": "", "NETWORKX_FALLBACK_TO_NX": "", **environment})
    return numpy_tests.run_file(INSTALLED / folder / "tests", "networkx", seconds, scratch)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", help="folders of networkx that have tests")
    parser.add_argument("--failures", action="store_true", help="name the tests that fail here and pass in NetworkX")
    parser.add_argument("--text", action="store_true", help="with their last words")
    parser.add_argument("--seconds", type=int, default=600, help="the time a folder may take")
    parser.add_argument("--folder", type=Path, default=Path("build/networkx_tests"), help="where outcomes are kept")
    options = parser.parse_args()
    scratch = options.folder.resolve() / f"scratch-{os.getpid()}"
    scratch.mkdir(parents=True, exist_ok=True)
    os.environ.pop("NETWORKX_BACKEND_PRIORITY", None)
    print(f"{'folder':36} {'NetworkX':>9} {'with fallback':>14} {'alone':>7} {'failed':>7} {'crashed':>8}")
    totals = [0] * 5
    for folder in options.folders or folders():
        kept = options.folder / f"networkx-{networkx.__version__}-{folder.replace('/', '-')}.json"
        if not kept.exists():
            kept.write_text(json.dumps(run(folder, {}, options.seconds, scratch)))
        wanted = [test for test, (outcome, _) in json.loads(kept.read_text()).items() if outcome == "passed"]
        found = {mode: run(folder, environment, options.seconds, scratch) for mode, environment in MODES.items()}
        row = [len(wanted)] + [sum(found[mode].get(test, ("",))[0] == "passed" for test in wanted) for mode in MODES]
        wrong = [
            (mode, test, *found[mode].get(test, ("missing", "")))
            for mode in MODES
            for test in wanted
            if found[mode].get(test, ("missing",))[0] not in ("passed", *(["skipped"] * (mode == "alone")))
        ]
        row += [sum(each[2] == kind for each in wrong) for kind in ("failed", "crashed")]
        totals = [a + b for a, b in zip(totals, row, strict=True)]
        print(f"{folder:36} {row[0]:9} {row[1]:14} {row[2]:7} {row[3]:7} {row[4]:8}", flush=True)
        for mode, test, outcome, text in wrong if options.failures or options.text else ():
            print(f"  {mode}: {outcome} {test}")
            if options.text:
                print("    " + "\n    ".join(text.splitlines()))
    print(f"{'total':36} {totals[0]:9} {totals[1]:14} {totals[2]:7} {totals[3]:7} {totals[4]:8}")
    shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
