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


def _add_rank_options(run: argparse.ArgumentParser) -> None:
    group = run.add_argument_group(
        "several processes", "the program runs once in each, and large arrays are cut over all"
    )
    group.add_argument("--nodes", type=_positive, metavar="N", help="machines (1)")
    group.add_argument("--ranks-per-node", type=_positive, metavar="N", help="processes on each (1)")
    group.add_argument(
        "--launcher",
        choices=("mpirun", "srun", "none"),
        help="what starts them: MPI's own launcher unless given; none: they are started already, and this is one of them",
    )
    group.add_argument(
        "--launcher-extra", action="append", default=[], metavar="OPTIONS", help="options for it: '--hostfile hosts'"
    )
    group.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="a variable for all of them")
    group.add_argument("--bind", choices=("none", "core", "numa"), help="what each is bound to (none)")
    group.add_argument(
        "--output", choices=("leader", "all"), help="whose output is shown: rank 0's, or all, each line with its rank"
    )
    group.add_argument(
        "--deadline", type=_positive, metavar="S", help="seconds without progress that end it (TESSERA_DEADLINE, 600)"
    )
    group.add_argument("--dry-run", action="store_true", help="show the launcher's command and the variables only")
    group.add_argument("--verbose", action="store_true", help="show them before it starts")


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"expected 0 or more, not {text}")
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
        "--numba", action="store_true", help="let `import numba` in the program's own files mean tessera's functions"
    )
    run.add_argument(
        "--networkx", action="store_true", help="let NetworkX's functions run natively where that pays (its backend)"
    )
    run.add_argument(
        "--pandas", action="store_true", help="let `import pandas` in the program's own files mean tessera.pandas"
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
        "--explain",
        action="store_true",
        help="say at the end, line by line, where the work ran and why; --explain=FILE writes the facts instead",
    )
    run.add_argument("--explain-file", help=argparse.SUPPRESS)
    if not for_legate:
        run.add_argument(
            "--dataflow", metavar="OUT", help="write what ran as a graph of operations: .svg, .dot or .html"
        )
        run.add_argument("--event", metavar="OUT", help="write when it ran and what waited for what, in the same way")
        run.add_argument(
            "--profile",
            dest="profile_page",
            metavar="OUT.html",
            help="write a page: what ran when and where, and what each line took",
        )
    run.add_argument(
        "--legate",
        action="store_true",
        help="run a program for Legate: its imports of cupynumeric and legate, and its driver's options (with --legate --help)",
    )
    if for_legate:
        legate_options.add_to(run)
    else:
        run.add_argument(
            "--gpus",
            type=_count,
            metavar="N",
            help="0: on the cores; N: on the first N GPUs (TESSERA_DEVICE); with ranks, 1: each with a GPU",
        )
        _add_rank_options(run)
    run.add_argument("-m", "--module", dest="module", action="store_true", help="PROGRAM is a module's name")
    run.add_argument("program", metavar="PROGRAM", help="a Python file, a folder with __main__.py, or a module with -m")
    run.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="the program's own arguments")

    jupyter = commands.add_parser(
        "jupyter",
        help="install a Jupyter kernel",
        description="Install a Jupyter kernel in which tessera has these settings; list such kernels; remove one.",
    )
    jupyter.add_argument("--name", help="the kernel's name: letters, digits, . _ -")
    jupyter.add_argument("--display-name", help="what notebooks call it")
    jupyter.add_argument("--cpus", type=_positive, metavar="N", help="threads for parallel work (TESSERA_CPUS)")
    jupyter.add_argument(
        "--gpus", type=_count, metavar="N", help="0: on the cores; N: on the first N GPUs (TESSERA_DEVICE)"
    )
    jupyter.add_argument("--fallback", choices=("warn", "silent", "error"), help="TESSERA_FALLBACK")
    jupyter.add_argument(
        "--prefix", help="install under this folder, not in the user's (a virtual environment: its sys.prefix)"
    )
    jupyter.add_argument("--list", action="store_true", help="list the kernels that this command installed")
    jupyter.add_argument("--uninstall", action="store_true", help="remove the kernel --name")

    doctor = commands.add_parser("doctor", help="check this installation", description="Check this installation.")
    doctor.add_argument("--json", action="store_true", help="write JSON")

    build = commands.add_parser(
        "build-kernels",
        help="compile kernels in CUDA C++ ahead of time",
        description="Compile a file of CUDA C++ to one file for many architectures, which cuda.RawModule(path=) loads.",
    )
    build.add_argument("source", metavar="SOURCE.cu")
    build.add_argument("-o", "--output", metavar="FILE", help="SOURCE.fatbin unless given")
    build.add_argument(
        "--arch",
        action="append",
        default=[],
        metavar="sm_90,compute_90",
        help="machine code for sm_*, PTX for compute_*; all that the compiler knows unless given",
    )
    build.add_argument(
        "-n", "--name-expression", action="append", default=[], help="an instance of a template: 'scale<float>'"
    )
    build.add_argument("-I", dest="include", action="append", default=[], metavar="FOLDER")
    build.add_argument("-D", dest="define", action="append", default=[], metavar="NAME=VALUE")
    build.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="OPTION",
        help="for the compiler, as in --option=-use_fast_math",
    )

    plan = commands.add_parser(
        "plan",
        help="say what a program would do on many places that are not there",
        description="Record a Python program here, and say what so many places would compute and send, and how long. Arrays "
        "that would be cut have no memory here: looks at them give zeros.",
    )
    plan.add_argument("program", metavar="PROGRAM", nargs="?")
    plan.add_argument("arguments", nargs="*", metavar="...", help="the program's own arguments; options after --")
    plan.add_argument("--places", type=_positive, metavar="N", help="how many")
    plan.add_argument("--per-node", type=_positive, default=8, metavar="N", help="how many are on one node (8)")
    plan.add_argument("--machine", metavar="FILE", help="the machine's constants, as JSON (docs/ranks.md)")
    plan.add_argument(
        "--compute", action="store_true", help="compute everything in this process, too, so that looks are right"
    )
    plan.add_argument("--picture", metavar="FILE", help="draw the time of each line, as SVG")
    plan.add_argument("--measure", metavar="FILE", help="measure this machine's constants instead, and write them")

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
    coverage.add_argument("--html", metavar="OUT", help="write a page, beside the lists of NumPy, CuPy and cuPyNumeric")
    coverage.add_argument(
        "programs",
        nargs="*",
        metavar="PROGRAM.py",
        help="list the names that these programs use instead, by their source",
    )
    coverage.add_argument("--family", help="only this family of names")
    coverage.add_argument(
        "--jit", action="store_true", help="list which functions of NumPy are compiled in functions with @jit instead"
    )
    coverage.add_argument(
        "--distributed",
        action="store_true",
        help="list which native names compute arrays that are cut over ranks where their parts are instead",
    )
    coverage.add_argument("--missing", action="store_true", help="only the names that run in NumPy")
    return parser


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of a command line; exits with usage when it makes no sense."""
    options = _parse(argv)
    for name in ("dataflow", "event"):
        path = getattr(options, name, None)
        if path is not None and os.path.splitext(path)[1] not in (".svg", ".dot", ".html"):
            make_parser().error(f"--{name} {path}: graphs are written as .svg, .dot or .html")
    if options.command == "jupyter" and not options.list and options.name is None:
        make_parser().error("jupyter: --name says which kernel; --list lists them")
    return options


_WITH_VALUE = ("--cpus", "--fallback", "--dataflow", "--event", "--profile", "--gpus")


def _with_explain_file(words: list[str]) -> list[str]:
    """--explain=FILE as an option of its own: the parser would take the program for the file of --explain alone."""
    for at, word in enumerate(words[1:], 1):
        if word.startswith("--explain="):
            return [*words[:at], "--explain-file" + word[len("--explain") :], *words[at + 1 :]]
        if not word.startswith("-") and words[at - 1] not in _WITH_VALUE:
            break  # the program
    return words


def _parse_plain(words: list[str]) -> argparse.Namespace:
    options = make_parser().parse_args(words)
    options.words = words[1:]
    return options


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    words = _with_explain_file(list(sys.argv[1:] if argv is None else argv))
    if words[:1] != ["run"] or "--legate" not in words:
        return _parse_plain(words)
    words = ["run", *legate_options.with_configuration(words[1:], os.environ)]
    parser = make_parser(for_legate=True)
    options = parser.parse_args(words)
    if not options.legate:  # it is one of the program's own arguments
        return _parse_plain(_with_explain_file(list(sys.argv[1:] if argv is None else argv)))
    if found := legate_options.problem(options):
        parser.error(found)
    legate_options.settle(options)
    options.words = words[1:]
    return options
