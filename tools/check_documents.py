"""Documents name files that are there: links, and paths in code marks relative to the root, to src or to src/tessera."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BASES = (ROOT, ROOT / "src", ROOT / "src" / "tessera", ROOT / "python")
PATH = re.compile(r"`((?:[\w.-]+/)+[\w-]+\.(?:h|cpp|c|py|md|sh|txt|toml))(?::\d+)?`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
MADE = ("softsign", "activation.cpp")  # what CONTRIBUTING.md tells the reader to write


def main():
    found = False
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "bench").glob("*.md")]
    for document in sorted(documents):
        room = document.stem.replace("-", "/") if document.parent.name == "rooms" else ""
        bases = (*BASES, ROOT / "src" / "tessera" / room, document.parent)
        in_block = False
        for number, line in enumerate(document.read_text().splitlines(), 1):
            in_block ^= line.lstrip().startswith("```")
            names = PATH.findall(line)
            missing = [n for n in names if not n.endswith(MADE) and not any((base / n).exists() for base in bases)]
            missing += [
                link
                for link in LINK.findall("" if in_block else line)
                if not re.match(r"\w+:", link) and not (document.parent / link).exists()
            ]
            for name in missing:
                found = True
                print(f"{document.relative_to(ROOT)}:{number}: there is no {name}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
