"""Where host or device is chosen for an operation: in the engine's dispatch, and nowhere else.

Choices that still stand elsewhere are counted, room by room, and may only get fewer: the number is compared with KNOWN,
which is lowered with every routine that moves to the table.
"""

import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src" / "tessera"
# The dispatch itself, and code that shares or reports memory instead of computing.
ELSEWHERE = (
    "engine/call/",
    "engine/device/placement/",
    "engine/device/run/",
    "engine/devices.cpp",
    "bind/interop/",
    "bind/engine/",
)
CHOICE = re.compile(r"\b(place_call|chosen_device|choose_device)\(|\bdevice_[a-z_]+\((Engine::instance\(\)|engine,)")
KNOWN = {}


def choices():
    """Room -> lines with a choice, outside the dispatch and without declarations."""
    found = {}
    for path in sorted(SOURCE.rglob("*.cpp")):
        name = str(path.relative_to(SOURCE))
        if name.startswith(ELSEWHERE) or path.stem.endswith("_test"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if CHOICE.search(line):
                found.setdefault(name.split("/")[0], []).append(f"{name}:{number}: {line.strip()}")
    return found


def main():
    found = choices()
    failed = False
    for room in sorted(found.keys() | KNOWN.keys()):
        now, known = len(found.get(room, [])), KNOWN.get(room, 0)
        if now == known:
            continue
        failed = True
        if now < known:
            print(
                f"{room}: {now} choices of host or device, fewer than the {known} in tools/check_dispatch.py: lower the number"
            )
        else:
            print(f"{room}: {now} choices of host or device outside the engine's dispatch, {known} before:")
            print("\n".join("  " + line for line in found[room]))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
