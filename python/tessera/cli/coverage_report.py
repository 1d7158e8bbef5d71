"""`tessera coverage`: the table of native and other names."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence


def _programs(paths: Sequence[str]) -> dict[str, dict[str, list[int]]]:
    """The names and lines of each program. Raises OSError, SyntaxError or UnicodeDecodeError."""
    from tessera.cli import program_names

    found = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found[path] = program_names.used(file.read())
    return found


def report(
    as_json: bool = False,
    family: str | None = None,
    missing_only: bool = False,
    page: str | None = None,
    programs: Sequence[str] = (),
) -> int:
    """Prints the table, of all names or of those that some programs use; 2 when a family or a program cannot be read."""
    from tessera import coverage

    found = coverage.entries()
    try:
        used = _programs(programs)
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        print(f"tessera coverage: {error}", file=sys.stderr)
        return 2
    if programs:
        names = {name for each in used.values() for name in each}
        found = [entry for entry in found if entry.name in names]
    families = sorted({entry.family for entry in found})
    if family is not None:
        if family not in families:
            print(f"tessera coverage: no family {family!r}; there are {', '.join(families)}", file=sys.stderr)
            return 2
        found = [entry for entry in found if entry.family == family]
    if page is not None:
        from tessera.cli import coverage_page

        try:
            with open(page, "w", encoding="utf-8") as file:
                file.write(coverage_page.page([entry for entry in found if not (missing_only and entry.native)], used))
        except OSError as error:
            print(f"tessera coverage: --html: {error}", file=sys.stderr)
            return 2
    if as_json:
        json.dump(coverage.as_json(found), sys.stdout, indent=1)
        print()
        return 0
    current = None
    totals = coverage.summary(found)
    for entry in found:
        if missing_only and entry.native:
            continue
        if entry.family != current:
            current = entry.family
            native, total = totals.get(current, (0, 0))
            print(f"\n{current}: {native} of {total} native" if total else f"\n{current}: not counted")
        where = "native" if entry.native else "NumPy"
        note = entry.reason if entry.counted else f"not counted: {entry.reason or 'outside the goal'}"
        print(f"  {entry.name:32} {where:7} {note}".rstrip())
    native, total = totals.get("all", (0, 0))
    if total:
        print(f"\n{native} of {total} names native ({100 * native / total:.1f}%)")
    return 0
