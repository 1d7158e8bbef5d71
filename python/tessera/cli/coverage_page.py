"""`tessera coverage --html`: NumPy's names, where each runs, and who else lists them."""

from __future__ import annotations

import html

from tessera import coverage
from tessera.cli import published_names

_CLASSES = {"Generator": "random.Generator", "ndarray": "ndarray", "ufunc": "ufunc"}


def listed(name: str, names: set[str]) -> str:
    """Whether a reference lists the name: "yes", "no", or "its class" where it lists only that."""
    if name in names:
        return "yes"
    owner = _CLASSES.get(name.partition(".")[0])
    has_members = any(each.startswith(f"{name.partition('.')[0]}.") for each in names)
    return "its class" if "." in name and owner in names and not has_members else "no"


def _program(path: str, used: dict[str, list[int]], entries: dict[str, coverage.Entry]) -> str:
    """The section of one program: the names that it uses, those that run in NumPy first."""
    others = published_names.lists()
    known = [entries[name] for name in used if name in entries]
    native = sum(entry.native for entry in known)
    head = _row(["name", "lines", "tessera", *others, "why not"], "th")
    rows = [
        _row(
            [
                entry.name,
                ", ".join(map(str, used[entry.name])),
                "native" if entry.native else "in NumPy",
                *(listed(entry.name, names) for names in others.values()),
                entry.reason,
            ]
        )
        for entry in sorted(known, key=lambda entry: (entry.native, entry.name))
    ]
    elsewhere = ", ".join(name for name in used if name not in entries)
    note = f"<p>Types, constants and names that NumPy lacks: {html.escape(elsewhere)}</p>" if elsewhere else ""
    title = f"{html.escape(path)}: {native} of {len(known)} names native"
    return f"<h2>{title}</h2><table>{head}{''.join(rows)}</table>{note}\n"


def page(found: list[coverage.Entry], programs: dict[str, dict[str, list[int]]] | None = None) -> str:
    """The whole page, without scripts or links; `programs` have the names that they use, and their lines."""
    others = published_names.lists()
    families: dict[str, list[coverage.Entry]] = {}
    for entry in found:
        families.setdefault(entry.family, []).append(entry)
    heads = ["NumPy", "tessera", *others]
    summary, sections = [], []
    for family, entries in families.items():
        counted = [entry for entry in entries if entry.counted]
        cells = [str(len(counted)), str(sum(entry.native for entry in counted))]
        cells += [_count([listed(entry.name, names) for entry in counted]) for names in others.values()]
        summary.append(_row([family, *cells]))
        rows = [
            _row(
                [
                    entry.name,
                    "native" if entry.native else "in NumPy",
                    *(listed(entry.name, names) for names in others.values()),
                    entry.reason if entry.counted else f"not counted: {entry.reason}",
                ]
            )
            for entry in entries
        ]
        head = _row(["name", *heads[1:], "why not"], "th")
        sections.append(
            f"<details><summary>{html.escape(family)}</summary><table>{head}{''.join(rows)}</table></details>"
        )
    by_name = {entry.name: entry for entry in found}
    each = "".join(_program(path, used, by_name) for path, used in (programs or {}).items())
    what = "of the names that these programs use" if programs else "of NumPy's names"
    native, total = coverage.summary(found).get("all", (0, 0))
    read = ", ".join(f"{library}'s reference of {when}" for library, when in published_names.READ.items())
    return f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>Coverage</title>
<style>body {{ font-family: sans-serif }} td, th {{ padding: 0 1em 0 0; text-align: left }}</style></head>
<body><h1>{native} of {total} {what} are native</h1>
<p>Beside them what {html.escape(read)} list; "its class" counts classes whose members a reference does not list one by one.</p>
<table>{_row(["family", *heads], "th")}{"".join(summary)}</table>
{each}{"".join(sections)}
</body></html>
"""


def _count(states: list[str]) -> str:
    by_class = states.count("its class")
    return str(states.count("yes")) + (f" and {by_class} by its class" if by_class else "")


def _row(cells: list[str], tag: str = "td") -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>\n"
