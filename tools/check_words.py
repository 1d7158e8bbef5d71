"""Code and documents use the field's words: none of those below, which once stood here for something that has a name."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORDS = {
    r"\b(?:un)?fold(?:s|ed|ing)?\b": "reduction, reduce (constant folding keeps its name)",
    r"\brunning fold\b": "scan",
    r"\bunplaced\b": "unallocated",
    r"\blean (?:form|kernel|program)\b": "fast-compile",
    r"\bcrossed\b": "transposed",
    r"\bbeside the program\b": "in the background",
    r"\bsomebody looks\b": "the result is read",
    r"\b(?:a|each|every|one|per) turn\b": "iteration",
}
ALLOWED = re.compile(r"constants?\b.*\bfold|\bfold\w*\b.*\bconstant|above the fold", re.I)


def main():
    found = False
    places = [
        *(ROOT / "src").rglob("*"),
        *(ROOT / "python").rglob("*.py"),
        *(ROOT / "docs").rglob("*.md"),
        *ROOT.glob("*.md"),
    ]
    for path in sorted(places):
        if path.suffix not in (".h", ".cpp", ".c", ".py", ".md"):
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for word, instead in WORDS.items():
                match = re.search(word, line, re.I)
                if match and not ALLOWED.search(line):
                    found = True
                    print(f"{path.relative_to(ROOT)}:{number}: {match.group(0)}: say {instead}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
