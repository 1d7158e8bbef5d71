"""Runs the user's program in this process, as `python PROGRAM ...` would."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from types import ModuleType
from typing import TYPE_CHECKING

from tessera import set_fallback_mode
from tessera.cli import environment

if TYPE_CHECKING:
    from tessera.graphs.explanation import Explanation


def run(options: argparse.Namespace) -> int:
    """Runs the program; returns its exit code."""
    if options.legate and options.nsys:
        return _under_nsys(options)
    if options.launcher == "none" or os.environ.pop("TESSERA_AS_RANK", None):
        return _as_rank(options)
    if options.nodes or options.ranks_per_node:
        from tessera.cli.ranks import driver

        return driver.run(options, options.words)
    from tessera.cli.ranks import commands

    if not options.legate and (found := commands.problem(options, os.environ)):
        print(f"tessera run: {found}", file=sys.stderr)
        return 2
    return _run_here(options)


def _as_rank(options: argparse.Namespace) -> int:
    """This process is one of those that a launcher started: the program runs in a child that it watches."""
    from tessera.cli.ranks import commands, supervisor

    if found := commands.problem(options, os.environ) or commands.not_launched(options, os.environ):
        print(f"tessera run: {found}", file=sys.stderr)
        return 2
    os.environ.update(commands.variables_of_rank(options, os.environ, commands.usable_cores()))
    supervisor.become_rank(options.output or "leader")
    from tessera.cli.ranks import program

    return program.run(lambda: _run_here(options))


def _run_here(options: argparse.Namespace) -> int:
    environment.apply(options, os.environ)
    if options.fallback is not None:
        set_fallback_mode(options.fallback)  # the variable was read when this command was imported
    if not options.module and not os.path.exists(options.program):
        print(f"tessera run: no such file: {options.program}", file=sys.stderr)
        return 2
    pictures = _pictures(options)
    for path in pictures.values():
        if not os.path.isdir(os.path.dirname(path) or "."):
            print(f"tessera run: {path}: there is no folder {os.path.dirname(path)}", file=sys.stderr)
            return 2
    counted = None
    if options.coverage:
        from tessera.cli import counting

        counted = counting.install()
        if options.networkx:
            from tessera.networkx import report

            report.start()
        if options.pandas:
            from tessera.pandas import report as pandas_report

            pandas_report.reset()
    if options.legate:
        _serve_legate(options)
    traced = None
    if pictures or options.explain:
        from tessera.graphs.explanation import Explanation

        traced = Explanation().__enter__()
    sys.argv = [options.program, *options.arguments]
    code, has_failed = 0, True
    try:
        _execute(options)
        has_failed = False
    except SystemExit as exit_request:
        code, has_failed = _exit_code(exit_request), False
    finally:
        _finish(options, counted, has_failed)
        if traced is not None:
            code = _show(options, traced, pictures) or code
    return code


def _pictures(options: argparse.Namespace) -> dict[str, str]:
    """The files to write, by what they show."""
    found = {
        "dataflow": options.dataflow,
        "event": options.event,
        "profile": getattr(options, "profile_page", None),
        "explain": options.explain_file,
    }
    return {kind: path for kind, path in found.items() if path is not None}


def _show(options: argparse.Namespace, traced: Explanation, pictures: dict[str, str]) -> int:
    """Writes the graphs and the explanation of what ran; 1 where one cannot be written."""
    from tessera.graphs import history, profile_page
    from tessera.graphs.graph import Graph

    traced.__exit__()
    graph = Graph()
    graph.trace = traced.trace
    code = 0
    for kind, path in pictures.items():
        try:
            if kind == "profile":
                profile_page.save(traced, os.path.basename(options.program), path)
            elif kind == "explain":
                history.save(traced.trace, path)
            else:
                graph.save(path, kind)
        except (RuntimeError, OSError) as error:
            print(f"tessera run: --{kind}: {error}", file=sys.stderr)
            code = 1
    if options.explain:
        print(f"\n{traced}", file=sys.stderr, end="")
    return code


def _serve_legate(options: argparse.Namespace) -> None:
    from tessera import legate
    from tessera.cli import legate_options

    for remark in legate_options.remarks(options):
        print(f"tessera run: {remark}", file=sys.stderr)
    legate_options.set_limits(options)
    legate.install()


def _under_nsys(options: argparse.Namespace) -> int:
    import shutil
    import subprocess

    from tessera.cli import legate_options

    if shutil.which("nsys") is None:
        print("tessera run: --nsys: there is no nsys on the path; install NVIDIA Nsight Systems", file=sys.stderr)
        return 2
    command = legate_options.nsys_command(options, options.words, sys.executable)
    return subprocess.run(command, env={**os.environ, "LEGATE_CONFIG": ""}).returncode


def _execute(options: argparse.Namespace) -> None:
    replaced = [name for name in ("numpy", "numba", "pandas") if getattr(options, name)]
    if replaced:
        from tessera.cli import redirect

        redirect.install(*replaced)
        if "numba" in replaced:
            redirect.follow(replaced)
    if options.module:
        sys.path[0] = os.getcwd()
        _run_module(options, bool(replaced))
    elif os.path.isdir(options.program):
        runpy.run_path(options.program, run_name="__main__")
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(options.program))
        run_file(options.program, bool(replaced))


def run_file(path: str, redirected: bool = False) -> None:
    """Runs a program as the main module."""
    import io

    with io.open_code(os.path.abspath(path)) as file:
        code = compile(file.read(), path, "exec")
    main = ModuleType("__main__")
    main.__file__ = path
    main.__builtins__ = __builtins__
    sys.modules["__main__"] = main
    if redirected:
        from tessera.cli import redirect

        redirect.run_code(code, main.__dict__)
    else:
        exec(code, main.__dict__)


def _run_module(options: argparse.Namespace, redirected: bool) -> None:
    if not redirected:
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
        return
    from tessera.cli import redirect

    runpy.run_module(
        options.program, init_globals={"__builtins__": redirect.patched_builtins()}, run_name="__main__", alter_sys=True
    )


def _exit_code(request: SystemExit) -> int:
    if request.code is None:
        return 0
    if isinstance(request.code, int):
        return request.code
    print(request.code, file=sys.stderr)
    return 1


def _finish(options: argparse.Namespace, counted: object, has_failed: bool) -> None:
    core = sys.modules.get("tessera._core")
    # Of several ranks the others may never do what is pending here, and their difference would hide the failure.
    if core is not None and not (has_failed and core.size() > 1):
        core.synchronize()
    sys.stdout.flush()
    if options.coverage:
        from tessera.cli import counting

        counting.report(counted, sys.stderr)
        if options.networkx:
            from tessera.networkx import report

            report.write(sys.stderr)
        if options.pandas:
            from tessera.pandas import report as pandas_report

            pandas_report.write(sys.stderr)
    if options.stats:
        from tessera.cli import statistics

        statistics.report(sys.stderr)
