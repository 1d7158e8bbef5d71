"""Sources of a room are compiled in groups that change with each new source: a type, an alias, or a function with the same parameters in an unnamed
namespace has a name that neither another source of the room gives one of its own there, nor one of the room's headers a type.
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
TYPE = re.compile(r"(?:(?:struct|class|enum class|enum) (\w+)[^;]*$|using (\w+) = )")
FUNCTION = re.compile(r"(?! |return |else |if |template)[\w:<>,&* ]+?[ &*](\w+)\(([^()]*)\) (?:const )?\{")
PARAMETER = re.compile(r"^(.*?[&* ])\w+$")


def lines_of(path):
    """(namespace, whether it is in an unnamed one, line) of each line at the level of a namespace."""
    namespace, unnamed = "", False
    for line in path.read_text().splitlines():
        if match := NAMED.match(line):
            namespace = match[1]
        elif line.startswith("namespace {"):
            unnamed = True
        elif line == "}  // namespace":
            unnamed = False
        else:
            yield namespace, unnamed, line


def names_of(path):
    """((namespace, name), what may be said twice) of each type and alias in an unnamed namespace of the source, and of each function, whose name
    has its parameters; templates may have one name."""
    before = ""
    for namespace, unnamed, line in lines_of(path):
        if not unnamed:
            continue
        if match := TYPE.match(line):
            yield (namespace, match[1] or match[2]), line if match[2] else path
        elif (match := FUNCTION.match(line)) and not before.startswith("template"):
            parameters = [PARAMETER.sub(r"\1", word.strip()).strip() for word in match[2].split(",")]
            yield (namespace, f"{match[1]}({', '.join(parameters)})"), path
        before = line


def types_of(path):
    """(namespace, name) of each type that the header declares."""
    for namespace, _, line in lines_of(path):
        if match := TYPE.match(line):
            yield namespace, match[1] or match[2]


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
            for found, said in names_of(path):
                sources[found].append((said, file))
        for path in sorted(room.rglob("*.h")):
            for found in set(types_of(path)) & set(sources):
                sources[found].append((path, path.relative_to(room).as_posix()))
        wrong += [
            f"{room.name}: {namespace}::{name} is another thing in each of {' and '.join(dict.fromkeys(file for _, file in found))}"
            for (namespace, name), found in sources.items()
            if len({said for said, _ in found}) > 1 and len({file for _, file in found}) > 1
        ]
    print("\n".join(wrong), end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
