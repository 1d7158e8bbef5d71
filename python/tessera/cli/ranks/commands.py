"""The command line and the variables by which a launcher starts ranks: values in, values out."""

from __future__ import annotations

import argparse
import os
import secrets
import shlex
from collections.abc import Mapping, Sequence

from tessera.cli.ranks import processor
from tessera.cli.ranks.finding import Mpi, launched_as

_BINDINGS = {"core": "core", "numa": "numa"}
_SRUN_BINDINGS = {"core": "cores", "numa": "ldoms", "none": "none"}


def problem(options: argparse.Namespace, environ: Mapping[str, str]) -> str | None:
    """Why these options make no sense together, before anything is launched."""
    if options.nodes is None and options.ranks_per_node is None:
        for name in ("launcher", "bind", "output", "deadline"):
            if getattr(options, name) is not None:
                return f"--{name} without --ranks-per-node: there is one process"
        for name in ("launcher_extra", "env"):
            if getattr(options, name):
                return f"--{name.replace('_', '-')} without --ranks-per-node: there is one process"
        if options.dry_run:
            return "--dry-run without --ranks-per-node: nothing would be launched"
        return None
    if found := processor.problem(options.gpus, environ.get("TESSERA_DEVICE") or "auto"):
        return found
    for name in ("dataflow", "event", "profile_page", "explain_file"):
        if getattr(options, name, None):
            return f"--{name.split('_')[0]} with --ranks-per-node: run one process for it"
    for pair in options.env:
        if "=" not in pair or pair.startswith("="):
            return f"--env {pair}: expected NAME=VALUE"
    if options.launcher in (None, "mpirun") and (options.nodes or 1) > 1 and not options.launcher_extra:
        if not any(name in environ for name in ("SLURM_JOB_ID", "PBS_NODEFILE", "LSB_HOSTS", "HYDRA_HOST_FILE")):
            return (
                f"--nodes {options.nodes}: nothing says which hosts; inside a job of a scheduler they are known, else "
                '--launcher-extra "-f HOSTFILE" (MPICH) or "--hostfile HOSTFILE" (Open MPI) names them'
            )
    return None


def refusal(mpi: Mpi, environ: Mapping[str, str], user: int) -> str | None:
    """Why this launcher would refuse."""
    allowed = all(environ.get(name) == "1" for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"))
    if mpi.kind == "openmpi" and user == 0 and not allowed:
        return (
            "Open MPI does not launch for root: use another account, or set OMPI_ALLOW_RUN_AS_ROOT=1 and "
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
        )
    return None


def not_launched(options: argparse.Namespace, environ: Mapping[str, str]) -> str | None:
    """Why this process is no rank of those that the options speak of."""
    wanted = (options.nodes or 1) * (options.ranks_per_node or 1)
    launched = launched_as(environ)
    if launched is None:
        return "--launcher none: no launcher started this process (it has no PMI_RANK, OMPI_COMM_WORLD_RANK or SLURM_PROCID)"
    if launched[1] not in (0, wanted):
        return (
            f"--launcher none: {launched[1]} processes were launched, and --nodes and --ranks-per-node ask for {wanted}"
        )
    return None


def variables_of_rank(options: argparse.Namespace, environ: Mapping[str, str], cores: int) -> dict[str, str]:
    """What a rank needs in its environment that nobody set: where the user's own launcher started it."""
    if "TESSERA_RANKS" in environ:
        return {}
    own = variables(options, environ, None, cores)
    own["TESSERA_RANKS"] = str((options.nodes or 1) * (options.ranks_per_node or 1))
    for name in (
        "TESSERA_ENTROPY",
        "PYTHONHASHSEED",
        "TESSERA_AS_RANK",
    ):  # those of one rank alone would differ from the others'
        own.pop(name)
    return own


def variables(options: argparse.Namespace, environ: Mapping[str, str], mpi: Mpi | None, cores: int) -> dict[str, str]:
    """What all ranks have in their environment beside the driver's: the same hash seed and entropy, their threads."""
    per_node = options.ranks_per_node or 1
    set_here = {
        "TESSERA_RANKS": str((options.nodes or 1) * per_node),
        "TESSERA_AS_RANK": "1",  # of the command that each of them runs
        "TESSERA_ENTROPY": environ.get("TESSERA_ENTROPY") or str(secrets.randbits(128)),
        "PYTHONHASHSEED": environ.get("PYTHONHASHSEED") or str(secrets.randbelow(4294967295) + 1),
        "TESSERA_CPUS": str(options.cpus or environ.get("TESSERA_CPUS") or max(1, cores // per_node)),
        "TESSERA_RANK_DEVICE": processor.wanted(options.gpus, environ.get("TESSERA_DEVICE") or "auto"),
        "TESSERA_RANKS_PER_NODE": str(per_node),
        "TESSERA_DEVICE": "cpu",  # of what a rank computes for itself
    }
    if mpi is not None and mpi.library:
        set_here["TESSERA_MPI"] = mpi.library
    if options.deadline is not None:
        set_here["TESSERA_DEADLINE"] = str(options.deadline)
    if set_here["PYTHONHASHSEED"] == "random":
        set_here["PYTHONHASHSEED"] = str(secrets.randbelow(4294967295) + 1)
    return set_here | dict(pair.split("=", 1) for pair in options.env)


def launch(
    options: argparse.Namespace, mpi: Mpi | None, program: Sequence[str], exported: Mapping[str, str]
) -> list[str]:
    """The launcher's command line for the command of one rank."""
    nodes, per_node = options.nodes or 1, options.ranks_per_node or 1
    ranks = nodes * per_node
    extra = [word for text in options.launcher_extra for word in shlex.split(text)]
    bind = options.bind or "none"
    if options.launcher == "srun":
        command = ["srun", f"--nodes={nodes}", f"--ntasks={ranks}", f"--ntasks-per-node={per_node}"]
        command += [f"--cpu-bind={_SRUN_BINDINGS[bind]}", "--kill-on-bad-exit=1", "--export=ALL"]
        return [*command, *extra, *program]
    assert mpi is not None
    if mpi.kind == "openmpi":
        command = [mpi.launcher, "-n", str(ranks), "--map-by", f"ppr:{per_node}:node:OVERSUBSCRIBE"]
        command += ["--bind-to", _BINDINGS.get(bind, "none")]
        for name in sorted(exported) if nodes > 1 else ():
            command += ["-x", name]
        return [*command, *extra, *program]
    command = [mpi.launcher, "-n", str(ranks), "-ppn", str(per_node)]
    if bind != "none":
        command += ["-bind-to", _BINDINGS[bind]]
    return [*command, *extra, *program]


def shown(command: Sequence[str], exported: Mapping[str, str]) -> str:
    """Both as a shell would take them."""
    words = [f"{name}={shlex.quote(value)}" for name, value in sorted(exported.items())]
    return " ".join(["env", *words, *map(shlex.quote, command)])


def usable_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))
