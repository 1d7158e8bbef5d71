"""`tessera run --legate`: the options of Legate's driver, what they become, and what is said of those that are not needed."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import MutableMapping, Sequence

# Options that take a number or a text, and do nothing here because nothing has to be reserved or bound.
_NOT_NEEDED = (
    "utility zcmem regmem cpu-bind mem-bind gpu-bind nic-bind max-exception-size min-cpu-chunk min-gpu-chunk min-omp-chunk "
    "field-reuse-fraction field-reuse-frequency window-size warmup-time eager-alloc-percentage color launcher-extra "
    "nsys-targets logging lg-prof offload-to consensus precise-exception-trace"
).split()
_NOT_NEEDED_FLAGS = (
    "no-replicate verbose bind-detail timing log-to-file keep-logs rlwrap freeze-on-error disable-mpi auto-config show-config "
    "show-memory-usage show-progress spy provenance cufft-force-init"
).split()
_NOT_THERE = {
    "gdb": "start it as gdb --args python -m tessera run ...",
    "cuda-gdb": "start it as cuda-gdb --args python -m tessera run ...",
    "memcheck": "start it as compute-sanitizer python -m tessera run ...",
    "valgrind": "start it as valgrind python -m tessera run ...",
    "nvprof": "use --nsys",
    "gasnet-trace": "there is no network between processes yet",
    "dry-run": "options are checked before the program starts in any case",
}


def _at_least(least: int):
    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected a whole number, not {text!r}") from None
        if value < least:
            raise argparse.ArgumentTypeError(f"expected {least} or more, not {text}")
        return value

    return parse


def add_to(run: argparse.ArgumentParser) -> None:
    """Adds Legate's options to a parser of `tessera run` that has --cpus already."""
    group = run.add_argument_group("Legate's options", "understood after --legate")
    group.add_argument("--gpus", type=_at_least(0), metavar="N", help="0: on the cores; N: on the first N GPUs")
    group.add_argument("--omps", type=_at_least(0), metavar="N", help="groups of threads")
    group.add_argument("--ompthreads", type=_at_least(1), metavar="N", help="threads of each group (4)")
    group.add_argument("--sysmem", type=_at_least(1), metavar="MB", help="the most memory of the host")
    group.add_argument("--numamem", type=_at_least(0), metavar="MB", help="more of it")
    group.add_argument("--fbmem", type=_at_least(1), metavar="MB", help="the most memory of the GPU")
    group.add_argument("--nodes", type=_at_least(1), default=1, metavar="N", help="1")
    group.add_argument("--ranks-per-node", type=_at_least(1), default=1, metavar="N", help="1")
    group.add_argument("--launcher", choices=("none", "mpirun", "jsrun", "srun"), default="none", help="none")
    group.add_argument("--dataflow", action="store_true", help="write legate_dataflow.svg, .dot and .html")
    group.add_argument("--event", action="store_true", help="write legate_event.svg, .dot and .html")
    group.add_argument("--profile", action="store_true", help="write legate_profile.html: what ran, when and where")
    group.add_argument("--log-dir", "--logdir", default=".", metavar="DIR", help="where these are written")
    group.add_argument("--nsys", action="store_true", help="run under Nsight Systems")
    group.add_argument("--nsys-extra", action="append", default=[], metavar="OPTION", help="an option for it")
    for name in _NOT_NEEDED:
        group.add_argument(f"--{name}", dest=f"not_needed_{name}", metavar="X", help=argparse.SUPPRESS)
    for name in _NOT_NEEDED_FLAGS:
        group.add_argument(f"--{name}", dest=f"not_needed_{name}", action="store_true", help=argparse.SUPPRESS)
    for name in _NOT_THERE:
        group.add_argument(f"--{name}", dest=f"not_there_{name}", action="store_true", help=argparse.SUPPRESS)


def with_configuration(words: Sequence[str], environ: MutableMapping[str, str]) -> list[str]:
    """The words after `run`, with those of LEGATE_CONFIG before them: what is said later wins."""
    return [*shlex.split(environ.get("LEGATE_CONFIG", "")), *words]


def problem(options: argparse.Namespace) -> str | None:
    """Why these options cannot be served, and what to write instead."""
    if options.launcher == "jsrun":
        return "--launcher jsrun is not there: mpirun and srun are"
    if options.nsys_extra and not options.nsys:
        return "--nsys-extra without --nsys"
    for name, instead in _NOT_THERE.items():
        if getattr(options, f"not_there_{name}"):
            return f"--{name} is not there: {instead}"
    return None


def remarks(options: argparse.Namespace) -> list[str]:
    """What is said of options that do nothing."""
    given = [name for name in (*_NOT_NEEDED, *_NOT_NEEDED_FLAGS) if getattr(options, f"not_needed_{name}")]
    if _has_ranks(options):
        given = [name for name in given if name not in ("launcher-extra", "verbose")]
    said = [f"--{name} is not needed" for name in given]
    if options.launcher is not None and not _has_ranks(options):
        said.append(f"--launcher {options.launcher} is not needed for one process")
    return said


def _has_ranks(options: argparse.Namespace) -> bool:
    return bool(options.nodes or options.ranks_per_node)


def devices_named(gpus: int) -> str:
    """What TESSERA_DEVICE says for so many GPUs."""
    return "cpu" if gpus == 0 else "gpu" if gpus == 1 else f"gpu:0-{gpus - 1}"


def settle(options: argparse.Namespace) -> None:
    """Makes tessera's own options of those of Legate."""
    if options.omps is not None or options.ompthreads is not None:
        groups = 1 if options.omps is None else options.omps
        threads = groups * (4 if options.ompthreads is None else options.ompthreads) + (options.cpus or 0)
        options.cpus = max(1, threads)
    if options.nodes == options.ranks_per_node == 1:
        options.nodes = options.ranks_per_node = None
    if options.launcher == "none":  # Legate's word for its own choice
        options.launcher = None
    extra = getattr(options, "not_needed_launcher-extra")
    options.launcher_extra = [extra] if extra is not None and _has_ranks(options) else []
    options.verbose = options.not_needed_verbose
    options.env, options.bind, options.output, options.deadline, options.dry_run = [], None, None, None, False
    in_folder = lambda name: os.path.join(options.log_dir, name)
    options.dataflow = in_folder("legate_dataflow.svg") if options.dataflow else None
    options.event = in_folder("legate_event.svg") if options.event else None
    options.profile_page = in_folder("legate_profile.html") if options.profile else None


def set_limits(options: argparse.Namespace) -> None:
    """Makes limits of the memory options."""
    from tessera import _core

    if options.sysmem or options.numamem:
        _core.set_memory_limit(((options.sysmem or 0) + (options.numamem or 0)) << 20, "cpu")
    if options.fbmem and options.gpus != 0:
        if _core.device_problem():
            return
        for number in range(options.gpus or 1):
            _core.set_memory_limit(options.fbmem << 20, f"gpu:{number}")


def nsys_command(options: argparse.Namespace, words: Sequence[str], executable: str) -> list[str]:
    """The command that runs the same under Nsight Systems."""
    own = len(words) - len(options.arguments) - 1
    kept, program = list(words[:own]), words[own:]
    kept = [word for word in kept if word != "--nsys" and not word.startswith("--nsys-extra=")]
    while "--nsys-extra" in kept:
        at = kept.index("--nsys-extra")
        del kept[at : at + 2]
    return ["nsys", "profile", *options.nsys_extra, executable, "-m", "tessera", "run", *kept, *program]
