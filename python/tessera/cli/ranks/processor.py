"""What a rank computes with: a GPU of its node, or its cores."""

from __future__ import annotations

from collections.abc import Callable, Mapping

# By which launchers number the processes of a node.
_NUMBERS_ON_NODE = ("MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "PMIX_LOCAL_RANK")


def problem(gpus: int | None, device: str) -> str | None:
    """Why ranks cannot have so many GPUs each, or the device that TESSERA_DEVICE names."""
    if gpus is not None and gpus > 1:
        return (
            f"--gpus {gpus} with --ranks-per-node: each rank computes with one GPU: --gpus 1 with a rank for each of "
            "the node's GPUs, or without --nodes and --ranks-per-node one process uses them all"
        )
    if device not in ("auto", "cpu", "gpu", "simulated"):
        return (
            f"TESSERA_DEVICE={device} with --ranks-per-node: each rank takes a GPU of its own; leave it out, or say "
            "'cpu' or 'gpu'"
        )
    return None


def wanted(gpus: int | None, device: str) -> str:
    """ "cpu", "gpu", "simulated", or "auto": a GPU for each where the node has as many as ranks."""
    return device if gpus is None else ("cpu", "gpu")[gpus]


def number_on_node(environ: Mapping[str, str], rank: int, per_node: int) -> int:
    """Of this process among those of its node."""
    for name in _NUMBERS_ON_NODE:
        if environ.get(name, "").isdigit():
            return int(environ[name])
    return rank % per_node


def processor(wanted: str, number: int, per_node: int, count_gpus: Callable[[], int]) -> str:
    """The device of the rank with this number on its node. Several share one where there are fewer; RuntimeError where
    there is none."""
    if wanted in ("cpu", "simulated"):
        return wanted
    gpus = count_gpus()
    if wanted == "auto" and gpus < per_node:
        return "cpu"
    if gpus == 0:
        raise RuntimeError("this node has no GPU for its ranks: --gpus 0 computes on the cores")
    return f"gpu:{number % gpus}"
