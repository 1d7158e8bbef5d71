"""Sources of a room are compiled in groups that change with each new source: a type in an unnamed namespace has a name that no other source of
the room gives a type of its own there.
"""

import collections
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src" / "tessera"
# Each is compiled alone, or once for each instruction set.
APART = ("ir/loops/",)
SKIPPED = re.compile(r"set_source_files_properties\(([^)]*?)PROPERTIES[^)]*SKIP_UNITY_BUILD_INCLUSION", re.DOTALL)
NAMED = re.compile(r"namespace ([\w:]+) \{")
TYPE = re.compile(r"(?:struct|class|enum class|enum) (\w+)[^;]*$")


def types_of(path):
    """(namespace, name) of each type in an unnamed namespace of the source."""
    namespace, unnamed = "", False
    for line in path.read_text().splitlines():
        if match := NAMED.match(line):
            namespace = match[1]
        elif line.startswith("namespace {"):
            unnamed = True
        elif line == "}  // namespace":
            unnamed = False
        elif unnamed and (match := TYPE.match(line)):
            yield namespace, match[1]


def main():
    wrong = []
    for room in sorted(path.parent for path in SOURCE.glob("*/CMakeLists.txt")):
        lists = (room / "CMakeLists.txt").read_text()
        alone = {word for found in SKIPPED.findall(lists) for word in found.split()}
        sources = collections.defaultdict(list)
        for path in sorted(room.rglob("*.cpp")):
            file = path.relative_to(room).as_posix()
            if (
                file in alone
                or f"{room.name}/{file}".startswith(APART)
                or file.endswith("_test.cpp")
                or "tests/" in file
            ):
                continue
            for found in types_of(path):
                sources[found].append(file)
        wrong += [
            f"{room.name}: {namespace}::{name} is a type of its own in {' and '.join(files)}"
            for (namespace, name), files in sources.items()
            if len(set(files)) > 1
        ]
    print("\n".join(wrong), end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
