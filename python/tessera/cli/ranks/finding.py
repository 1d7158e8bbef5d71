"""Which MPI there is: its launcher and its library, from TESSERA_MPI, packages, or the path."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

# What a library's file is called, by the MPI that it belongs to.
_LIBRARIES = {"mpich": ("libmpi.so.12", "libmpi_abi.so.1", "libmpi_abi.so.0"), "openmpi": ("libmpi.so.40",)}
# The environment variables by which launchers number processes: rank, size.
NUMBERS = {
    "mpich": ("PMI_RANK", "PMI_SIZE"),
    "openmpi": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    "pmix": ("PMIX_RANK", ""),
    "slurm": ("SLURM_PROCID", "SLURM_NTASKS"),
}


class NoMpi(Exception):
    """There is no MPI, or not the one that was asked for."""


@dataclass(frozen=True)
class Mpi:
    """One installation. Without `library`, the loader finds it."""

    kind: str
    launcher: str
    library: str = ""
    version: str = ""


def kind_of(text: str) -> str:
    """What `mpirun --version` says it is; empty for none that is known."""
    if "Open MPI" in text or "OpenRTE" in text or "PRRTE" in text or "prterun" in text:
        return "openmpi"
    if "HYDRA" in text or "MPICH" in text or "Intel(R) MPI" in text:
        return "mpich"
    return ""


def _asked(launcher: str) -> str:
    try:
        said = subprocess.run(
            [launcher, "--version"], capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return said.stdout + said.stderr


def _library_beside(launcher: str, kind: str) -> str:
    """The library of the same installation."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(launcher)))
    for folder in ("lib", "lib64"):
        for name in _LIBRARIES[kind]:
            if os.path.exists(path := os.path.join(root, folder, name)):
                return path
    return ""


def _kind_of_library(path: str) -> str:
    real = os.path.basename(os.path.realpath(path)) + " " + os.path.basename(path)
    return next((kind for kind, names in _LIBRARIES.items() if any(name in real for name in names)), "mpich")


def _candidates(environ: Mapping[str, str]) -> list[str]:
    """Launchers, those of this environment's packages first."""
    folders = [os.path.join(sys.prefix, "bin"), *environ.get("PATH", os.defpath).split(os.pathsep)]
    names = ("mpiexec.hydra", "mpiexec", "mpirun")
    return [path for folder in folders for name in names if (path := shutil.which(name, path=folder)) is not None]


def find(environ: Mapping[str, str]) -> Mpi:
    """The MPI to launch with. TESSERA_MPI is a library, the folder of an installation, `mpich` or `openmpi`."""
    wanted = environ.get("TESSERA_MPI", "")
    if wanted in _LIBRARIES or not wanted:
        for launcher in _candidates(environ):
            said = _asked(launcher)
            if (kind := kind_of(said)) and wanted in ("", kind):
                return Mpi(kind, launcher, _library_beside(launcher, kind), (said.strip().splitlines() or [""])[0])
        which = f"no {wanted}" if wanted else "no MPI"
        raise NoMpi(
            f"there is {which} on this machine: `pip install tessera[mpi]` brings one, or TESSERA_MPI names its library"
        )
    root = wanted if os.path.isdir(wanted) else os.path.dirname(os.path.dirname(os.path.abspath(wanted)))
    if not os.path.exists(wanted):
        raise NoMpi(f"TESSERA_MPI: there is no {wanted}")
    for name in ("mpiexec.hydra", "mpiexec", "mpirun"):
        launcher = os.path.join(root, "bin", name)
        if os.path.exists(launcher) and (kind := kind_of(said := _asked(launcher))):
            library = _library_beside(launcher, kind) if os.path.isdir(wanted) else wanted
            return Mpi(kind, launcher, library, (said.strip().splitlines() or [""])[0])
    if os.path.isdir(wanted):
        raise NoMpi(f"TESSERA_MPI: {wanted} has no bin/mpiexec")
    kind = _kind_of_library(wanted)
    found = find({**environ, "TESSERA_MPI": kind})
    return Mpi(kind, found.launcher, wanted, found.version)


def launched_as(environ: Mapping[str, str]) -> tuple[int, int] | None:
    """The number of this process and how many there are, where a launcher started it."""
    for rank, size in NUMBERS.values():
        if rank in environ:
            return int(environ[rank]), int(environ.get(size, "0") or 0)
    return None
