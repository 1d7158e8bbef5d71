"""CompileError is what a function's compilation ends with: nothing in `kernel` catches it, nor all that is thrown. What inference cannot say
yet is `Unresolved`, which is caught in one place.
"""

import pathlib
import re
import sys

KERNEL = pathlib.Path(__file__).resolve().parent.parent / "src" / "tessera" / "kernel"
# Where what a statement throws ends.
UNRESOLVED = "lower/lowering.h"
CATCH = re.compile(r"catch\s*\(\s*(?:const\s+)?([\w:]+|\.\.\.)")


def main():
    wrong = []
    for path in sorted([*KERNEL.rglob("*.cpp"), *KERNEL.rglob("*.h")]):
        file = path.relative_to(KERNEL).as_posix()
        if file.endswith("_test.cpp"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for caught in CATCH.findall(line):
                if caught in ("CompileError", "Error", "std::exception", "...") or (
                    caught == "Unresolved" and file != UNRESOLVED
                ):
                    wrong.append(f"kernel/{file}:{number}: {caught} is caught")
    print("\n".join(wrong), end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
