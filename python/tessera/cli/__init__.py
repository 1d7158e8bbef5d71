"""The `tessera` command: run, plan, jupyter, doctor, build-kernels, config, coverage."""

from __future__ import annotations

from collections.abc import Sequence

from tessera.cli.arguments import parse


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code."""
    options = parse(argv)
    if options.command == "run":
        from tessera.cli.launcher import run

        return run(options)
    if options.command == "plan":
        from tessera.cli.launcher import run_file
        from tessera.cli.ranks.forecast import plan

        return plan(options, run_file)
    if options.command == "doctor":
        from tessera.cli.doctor import doctor

        return doctor(as_json=options.json)
    if options.command == "config":
        from tessera.cli.config import cmake_dir

        return cmake_dir()
    if options.command == "build-kernels":
        from tessera.cli.build_kernels import build

        return build(options)
    if options.command == "jupyter":
        from tessera.cli.jupyter import jupyter

        return jupyter(options)
    if options.jit:
        from tessera.cli import compiled_names

        return compiled_names.report(options.missing)
    if options.distributed:
        from tessera.cli import distributed_names

        return distributed_names.report(options.missing)
    from tessera.cli.coverage_report import report

    return report(
        as_json=options.json,
        family=options.family,
        missing_only=options.missing,
        page=options.html,
        programs=options.programs,
    )
