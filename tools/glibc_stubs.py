#!/usr/bin/env python3
"""Libraries to link against that have what glibc had at a version: tools/glibc_stubs.py 2.28 FOLDER [--compiler clang-19]

A library linked against them runs with every glibc from that version on. glibc keeps the old versions of its symbols, so this
machine's own says what there was: of each symbol the newest version up to that one. The functions are empty, only their names
and versions are read.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

SYSTEM = Path("/lib/x86_64-linux-gnu")
# On old systems threads and dlopen are in libraries of their own. The symbols are asked of libc all the same, since they are found in
# any library that is loaded; these only have to be.
APART = ("libpthread.so.0", "libdl.so.2")
SYMBOL = re.compile(
    r"\s*\d+:\s+\w+\s+(?P<size>\d+)\s+(?P<type>\w+)\s+(?:GLOBAL|WEAK)\s+DEFAULT\s+\d+\s+(?P<name>[\w.]+)@@?GLIBC_(?P<version>[\d.]+)"
)


def as_numbers(version):
    return tuple(int(part) for part in version.split("."))


def symbols_of(library, newest):
    """What the library has at that version: {name: (version, type, size)}."""
    text = subprocess.run(
        ["readelf", "--dyn-syms", "--wide", library], check=True, capture_output=True, text=True
    ).stdout
    found = {}
    for symbol in filter(None, map(SYMBOL.match, text.splitlines())):
        version = as_numbers(symbol["version"])
        if version <= newest and version > found.get(symbol["name"], ((),))[0]:
            found[symbol["name"]] = (version, symbol["type"], int(symbol["size"]))
    return found


def assembly(symbols):
    for name, (_, kind, size) in sorted(symbols.items()):
        yield f".globl {name}\n"
        if kind in ("FUNC", "IFUNC"):
            yield f".text\n.type {name}, @function\n{name}:\n"
        else:
            section = '.section .tbss,"awT",@nobits' if kind == "TLS" else ".bss"
            yield f"{section}\n.type {name}, @object\n.size {name}, {size}\n{name}: .zero {size}\n"


def version_script(symbols):
    """Each version with its symbols; hides nothing that is not there."""
    previous = ""
    for version in sorted({symbol[0] for symbol in symbols.values()}):
        names = "; ".join(sorted(name for name, symbol in symbols.items() if symbol[0] == version))
        node = "GLIBC_" + ".".join(map(str, version))
        yield f"{node} {{ global: {names}; }}{previous};\n"
        previous = f" {node}"


def write_stub(folder, soname, symbols, compiler):
    source, script = folder / f"{soname}.s", folder / f"{soname}.map"
    source.write_text("".join(assembly(symbols)) + '.section .note.GNU-stack,"",@progbits\n')
    script.write_text("".join(version_script(symbols)))
    versions = [f"-Wl,--version-script={script}"] if symbols else []
    subprocess.run([compiler, "-shared", "-nostdlib", f"-Wl,-soname,{soname}", *versions, source, "-o", folder / soname], check=True)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--compiler", default="clang-19")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for soname in ("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"):
        write_stub(folder, soname, symbols_of(SYSTEM / soname, as_numbers(options.version)), options.compiler)
    for soname in APART:
        write_stub(folder, soname, {}, options.compiler)
    nonshared = subprocess.run(
        [options.compiler, "-print-file-name=libc_nonshared.a"], check=True, capture_output=True, text=True
    ).stdout.strip()
    stubs = " ".join(str(folder / soname) for soname in ("libc.so.6", *APART))
    (folder / "libc.so").write_text(f"GROUP({stubs} {nonshared} AS_NEEDED({folder / 'ld-linux-x86-64.so.2'}))\n")
    for name in ("libm", "libpthread", "libdl", "librt"):
        soname = {"libm": "libm.so.6"}.get(name, "libc.so.6")
        (folder / f"{name}.so").write_text(f"INPUT({folder / soname})\n")


if __name__ == "__main__":
    main()
