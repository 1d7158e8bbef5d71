"""Each room includes only the rooms its tessera_room(... DEPENDS ...) line names, the folders of engine only those before
them, and vendor headers stay at home."""

import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src" / "tessera"
ROOMS = "base profile layout tile ir mapping lanes ops kernel codegen runtime comm library graph plan routines eager engine bind".split()
# codegen and bind build libraries of their own; their rows stand here. Every room also sees the compiler's interface.
DEPENDS = {
    "codegen": "base layout ir lanes",
    "bind": "base profile layout ops ir kernel runtime library graph eager routines engine",
}
# The folders of engine; "." is the room's own.
ENGINE_FOLDERS = "support source kernels device/ranks device/memory device/launch host device/run device/placement device/tiled record . call random"
VENDOR = {
    "llvm/": "codegen",
    "nanobind/": "bind",
    "Python.h": "bind",
    "numpy/": "bind",
    "cuda.h": "runtime",
    "ducc0/": "library",
    "xbyak/": "lanes",
}
# Words that name one target, and the folders that may.
WORDS = re.compile(r"nvvm|nvptx|InlineAsm|\bsm_", re.IGNORECASE)
WORD_HOMES = "codegen/target/nvptx codegen/cuda_cpp library/clang runtime/cuda library/cuda codegen/samples".split()
# Part of the name under which measured facts are kept.
WORD_FILES = ["engine/device/placement/machine_facts.cpp"]
# Headers by which code names one target, and the only folder that may.
TARGETS = {
    "llvm/IR/IntrinsicsNVPTX.h": "codegen/target/nvptx",
    "llvm/IR/InlineAsm.h": "codegen/target/nvptx",
}


def depends():
    """Room -> rooms it may include, read from the CMake lines that build it."""
    rooms = {room: set(text.split()) for room, text in DEPENDS.items()}
    for room in ROOMS:
        path = SOURCE / room / "CMakeLists.txt"
        found = (
            re.search(
                r"tessera_room\(\s*(\w+)(?:\s+DEPENDS\s+([a-z \n]+?))?\s*(?:SOURCES|TESTS|LIBRARIES|\))",
                path.read_text(),
            )
            if path.exists()
            else None
        )
        if found:
            rooms[found.group(1)] = set((found.group(2) or "").split())
    return rooms


def main():
    allowed = depends()
    order = ENGINE_FOLDERS.split()
    problems = []
    for path in sorted(SOURCE.rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        room = path.relative_to(SOURCE).parts[0]
        test = path.stem.endswith("_test")
        own = path.relative_to(SOURCE)
        may_name_target = test or str(own) in WORD_FILES or any(own.is_relative_to(home) for home in WORD_HOMES)
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = "" if line.startswith("#include") else line.split("//")[0]
            if not may_name_target and (word := WORDS.search(code)):
                problems.append(f"{path.relative_to(SOURCE.parent.parent)}:{number}: {word[0]} names one target")
            include = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            if not include:
                continue
            target = include.group(1)
            where = f"{path.relative_to(SOURCE.parent.parent)}:{number}"
            if target.startswith("tessera/"):
                other = target.split("/")[1]
                if room == other == "engine" and not test:
                    own = str(path.relative_to(SOURCE / "engine").parent)
                    included = str(pathlib.PurePath(target).relative_to("tessera/engine").parent)
                    if order.index(included) > order.index(own):
                        problems.append(f"{where}: {own} comes before {included} in engine and may not include it")
                if other != room and other not in allowed.get(room, set()) and not test:
                    problems.append(f"{where}: {room} may not include {other}")
            if target in TARGETS and not path.is_relative_to(SOURCE / TARGETS[target]):
                problems.append(f"{where}: {target} belongs to {TARGETS[target]}")
            for vendor, home in VENDOR.items():
                if target.startswith(vendor) and room != home:
                    problems.append(f"{where}: {vendor} belongs to {home}")
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
