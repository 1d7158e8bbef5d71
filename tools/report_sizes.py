"""How large files and functions are, beside what STYLE asks for. A report: judgement decides what to split."""

import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE, HEADER, FUNCTION = 500, 200, 60  # lines
STATEMENT = re.compile(r"\s*(?:if|else|for|while|switch|do|try|namespace|struct|class|enum|union|extern|case|return)\b")


def functions(lines):
    """(first line, length) of the bodies in a file that clang-format has formatted: a body ends at its own indentation."""
    start, k = 0, 0
    while k < len(lines):
        line = lines[k]
        if not line.strip() or line.lstrip().startswith(("//", "#")):
            start = k + 1
        elif line.rstrip().endswith("{"):
            head = "\n".join(lines[start : k + 1])
            indent = len(lines[start]) - len(lines[start].lstrip())
            name = head.partition("(")[0].replace("operator=", "")
            is_body = (
                head.count("(") == head.count(")") > 0 and "=" not in name and not STATEMENT.match(head) and indent <= 2
            )
            end = next((j for j in range(k + 1, len(lines)) if lines[j].startswith(" " * indent + "}")), None)
            if is_body and end is not None:
                yield k + 1, end - k + 1
                k = end
            start = k + 1
        elif line.rstrip().endswith((";", "}", ":")):
            start = k + 1
        k += 1


def main():
    files = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in (".h", ".cpp", ".c"))
    sizes = {path: len(path.read_text().splitlines()) for path in files}
    ordered = sorted(sizes.values())
    nine_tenths = ordered[len(ordered) * 9 // 10]
    print(f"{len(files)} files: median {statistics.median(ordered):.0f} lines, nine in ten under {nine_tenths}")
    for path, size in sorted(sizes.items(), key=lambda item: -item[1]):
        limit = HEADER if path.suffix == ".h" else FILE
        if size > limit:
            print(f"  {size:5} of {limit}  {path.relative_to(ROOT)}")
    long = []
    for path in files:
        if not path.stem.endswith("_test"):
            for line, size in functions(path.read_text().splitlines()):
                if size > FUNCTION:
                    long.append((size, f"{path.relative_to(ROOT)}:{line}"))
    print(f"{len(long)} functions of more than {FUNCTION} lines")
    for size, where in sorted(long, reverse=True):
        print(f"  {size:5}  {where}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
