#!/usr/bin/env python3
"""Writes python/tessera.egg-info: with it a checkout on PYTHONPATH has the entry points of an installed package.

Dask, for one, finds its array backends by them. What it writes is ignored by git; wheels get theirs from pyproject.toml.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def entry_points(project: dict) -> str:
    """The text of entry_points.txt."""
    groups = {"console_scripts": project.get("scripts", {}), **project.get("entry-points", {})}
    return "\n".join(
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items())
        for group, entries in groups.items()
    )


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    folder = ROOT / "python" / f"{project['name']}.egg-info"
    folder.mkdir(exist_ok=True)
    needs = "".join(f"Requires-Dist: {each}\n" for each in project["dependencies"])
    texts = {
        "PKG-INFO": f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n{needs}",
        "entry_points.txt": entry_points(project),
    }
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main()
