"""clang-tidy over every source, with the checks of .clang-tidy. A source that passed is not checked again until it, a header or
the list changes.

    tools/tidy.py [BUILD]

BUILD (build/tidy) is a folder for a configured tree that is never built. Sources are checked in the groups of a unity build: most of
the time goes into headers.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-19"
# Instances of templates, which are checked where they are defined; sources of others.
SKIPPED = ("/ir/loops/", "/nanobind-static")


def configure(build):
    build.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [
            *("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
            *(
                "-DCMAKE_CXX_COMPILER=clang++-19",
                "-DCMAKE_C_COMPILER=clang-19",
                f"-DPython_EXECUTABLE={sys.executable}",
            ),
            *("-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"),
            *("-DTESSERA_TESTS=OFF", f"-DTESSERA_PACKAGE_DIR={build / 'package'}"),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    entries = json.loads((build / "compile_commands.json").read_text())
    names = sorted({entry["file"] for entry in entries if "/src/tessera/" in entry["file"]})
    units = [pathlib.Path(name) for name in names if not any(part in name for part in SKIPPED)]
    return [unit for unit in units if unit.exists()]  # some are made by the build


def texts(unit):
    """The unit's text and, of a group, that of its sources."""
    text = unit.read_text()
    included = re.findall(r'#include "(.*\.(?:cpp|c|cxx))"', text)
    return [text, *(pathlib.Path(name).read_text() for name in included)]


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "tidy").resolve()
    passed = build / "passed"
    passed.mkdir(parents=True, exist_ok=True)
    shared = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    for header in sorted((ROOT / "src").rglob("*.h")):
        shared.update(header.read_bytes())

    def check(unit):
        key = shared.copy()
        for text in texts(unit):
            key.update(text.encode())
        stamp = passed / key.hexdigest()
        if stamp.exists():
            return ""
        done = subprocess.run([TIDY, "-p", build, "--quiet", unit], capture_output=True, text=True)
        if done.returncode == 0:
            stamp.touch()
            return ""
        return done.stdout or done.stderr

    units = configure(build)
    problems = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(check, units):
            problems.update(re.split(r"\n(?=/)", text.strip()) if text else ())
    if problems:
        print("\n".join(sorted(problems)))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
