"""What the command line means: plain options, no effects."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from tessera import __version__
from tessera.cli import legate_options


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, not {text}")
    return value


def make_parser(for_legate: bool = False) -> argparse.ArgumentParser:
    """The parser of all subcommands; `run` with Legate's options if asked for."""
    parser = argparse.ArgumentParser(prog="tessera", description="Run array programs with tessera.")
    parser.add_argument("--version", action="version", version=f"tessera {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)

    run = commands.add_parser(
        "run", help="run a Python program", description="Run a Python program with tessera.", allow_abbrev=False
    )
    run.add_argument("--cpus", type=_positive, metavar="N", help="threads for parallel work (TESSERA_CPUS)")
    run.add_argument(
        "--numpy", action="store_true", help="let `import numpy` in the program's own files mean tessera.numpy"
    )
    run.add_argument(
        "--fallback",
        choices=("warn", "silent", "error"),
        help="what a call without native form does (TESSERA_FALLBACK)",
    )
    run.add_argument(
        "--coverage", action="store_true", help="list at the end which names ran native and which in NumPy"
    )
    run.add_argument("--stats", action="store_true", help="list at the end what the engine did")
    run.add_argument(
        "--legate",
        action="store_true",
        help="run a program for Legate: its imports of cupynumeric and legate, and its driver's options (with --legate --help)",
    )
    if for_legate:
        legate_options.add_to(run)
    run.add_argument("-m", "--module", dest="module", action="store_true", help="PROGRAM is a module's name")
    run.add_argument("program", metavar="PROGRAM", help="a Python file, a folder with __main__.py, or a module with -m")
    run.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="the program's own arguments")

    doctor = commands.add_parser("doctor", help="check this installation", description="Check this installation.")
    doctor.add_argument("--json", action="store_true", help="write JSON")

    config = commands.add_parser(
        "config", help="say where files of the package are", description="Say where files of the package are."
    )
    config.add_argument(
        "--cmake-dir", action="store_true", required=True, help="the folder that CMake's tessera_DIR names (C++)"
    )

    coverage = commands.add_parser(
        "coverage",
        help="list which NumPy names are native",
        description="List which of NumPy's public names are native.",
    )
    coverage.add_argument("--json", action="store_true", help="write JSON")
    coverage.add_argument("--family", help="only this family of names")
    coverage.add_argument("--missing", action="store_true", help="only the names that run in NumPy")
    return parser


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of a command line; exits with usage when it makes no sense."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] != ["run"] or "--legate" not in words:
        return make_parser().parse_args(words)
    words = ["run", *legate_options.with_configuration(words[1:], os.environ)]
    parser = make_parser(for_legate=True)
    options = parser.parse_args(words)
    if not options.legate:  # it is one of the program's own arguments
        return make_parser().parse_args(argv)
    if found := legate_options.problem(options):
        parser.error(found)
    legate_options.settle(options)
    options.words = words[1:]
    return options
