"""What is launched, and what is refused before: as text, without launching anything."""

from __future__ import annotations

import pytest
from tessera.cli.arguments import parse
from tessera.cli.ranks import commands, processor
from tessera.cli.ranks.finding import Mpi, kind_of, launched_as
from tessera.cli.ranks.reports import Report, describe, exit_code, first_failure

MPICH = Mpi("mpich", "/opt/mpich/bin/mpiexec", "/opt/mpich/lib/libmpi.so.12")
OPEN_MPI = Mpi("openmpi", "/opt/openmpi/bin/mpirun", "/opt/openmpi/lib/libmpi.so.40")


def options(*words):
    return parse(["run", *words, "prog.py"])


def launched(mpi, *words):
    return " ".join(commands.launch(options(*words), mpi, ["python", "prog.py"], {"A": "1", "B": "2"}))


def test_command_lines_of_launchers():
    assert launched(MPICH, "--ranks-per-node", "4") == "/opt/mpich/bin/mpiexec -n 4 -ppn 4 python prog.py"
    assert launched(
        MPICH, "--nodes", "2", "--ranks-per-node", "4", "--bind", "core", "--launcher-extra", "-f 'my hosts'"
    ) == ("/opt/mpich/bin/mpiexec -n 8 -ppn 4 -bind-to core -f my hosts python prog.py")
    assert launched(OPEN_MPI, "--ranks-per-node", "2") == (
        "/opt/openmpi/bin/mpirun -n 2 --map-by ppr:2:node:OVERSUBSCRIBE --bind-to none python prog.py"
    )
    assert launched(OPEN_MPI, "--nodes", "2") == (
        "/opt/openmpi/bin/mpirun -n 2 --map-by ppr:1:node:OVERSUBSCRIBE --bind-to none -x A -x B python prog.py"
    )
    assert launched(None, "--nodes", "2", "--ranks-per-node", "4", "--launcher", "srun", "--bind", "numa") == (
        "srun --nodes=2 --ntasks=8 --ntasks-per-node=4 --cpu-bind=ldoms --kill-on-bad-exit=1 --export=ALL python prog.py"
    )


def test_variables():
    found = commands.variables(options("--ranks-per-node", "4", "--env", "A=b=c", "--deadline", "9"), {}, MPICH, 16)
    assert {found["TESSERA_RANKS"], found["TESSERA_CPUS"]} == {"4"} and found["TESSERA_MPI"] == MPICH.library
    assert found["A"] == "b=c" and found["TESSERA_DEADLINE"] == "9" and found["PYTHONHASHSEED"].isdigit()
    kept = commands.variables(options("--nodes", "2"), {"PYTHONHASHSEED": "7", "TESSERA_CPUS": "3"}, MPICH, 16)
    assert kept["PYTHONHASHSEED"] == "7" and kept["TESSERA_CPUS"] == "3" and kept["TESSERA_RANKS"] == "2"
    drawn = commands.variables(options("--nodes", "2"), {"PYTHONHASHSEED": "random"}, MPICH, 16)
    assert drawn["PYTHONHASHSEED"].isdigit()


@pytest.mark.parametrize(
    "words, environ, said",
    [
        (["--bind", "core"], {}, "--bind without --ranks-per-node"),
        (["--output", "all"], {}, "--output without"),
        (["--env", "A=1"], {}, "--env without"),
        (["--dry-run"], {}, "--dry-run without"),
        (["--ranks-per-node", "2", "--gpus", "2"], {}, "each rank computes with one GPU"),
        (["--ranks-per-node", "2"], {"TESSERA_DEVICE": "gpu:1"}, "TESSERA_DEVICE=gpu:1"),
        (["--ranks-per-node", "2", "--env", "A"], {}, "expected NAME=VALUE"),
        (["--ranks-per-node", "2", "--profile", "p.html"], {}, "--profile with"),
        (["--nodes", "2", "--launcher", "mpirun"], {}, "nothing says which hosts"),
        (["--nodes", "2"], {}, "nothing says which hosts"),
    ],
)
def test_nonsense_is_refused(words, environ, said):
    assert said in commands.problem(options(*words), environ)


def test_what_makes_sense_is_not():
    assert commands.problem(options("--ranks-per-node", "2", "--gpus", "0"), {"TESSERA_DEVICE": "auto"}) is None
    assert commands.problem(options("--nodes", "2", "--launcher", "mpirun"), {"SLURM_JOB_ID": "1"}) is None
    assert commands.problem(options(), {}) is None


def test_what_ranks_compute_with():
    def device(words, environ):
        return commands.variables(options("--ranks-per-node", "2", *words), environ, MPICH, 4)["TESSERA_RANK_DEVICE"]

    assert device([], {}) == "auto" and device([], {"TESSERA_DEVICE": "cpu"}) == "cpu"
    assert device(["--gpus", "0"], {}) == "cpu" and device(["--gpus", "1"], {"TESSERA_DEVICE": "cpu"}) == "gpu"
    assert [processor.processor("auto", k, 2, lambda: 2) for k in range(2)] == ["gpu:0", "gpu:1"]
    assert processor.processor("auto", 1, 4, lambda: 2) == processor.processor("cpu", 1, 2, lambda: 2) == "cpu"
    assert [processor.processor("gpu", k, 3, lambda: 2) for k in range(3)] == ["gpu:0", "gpu:1", "gpu:0"]
    with pytest.raises(RuntimeError, match="no GPU for its ranks"):
        processor.processor("gpu", 0, 2, lambda: 0)
    assert processor.number_on_node({"MPI_LOCALRANKID": "3"}, 7, 4) == 3
    assert processor.number_on_node({}, 7, 4) == 3 and processor.number_on_node({"SLURM_LOCALID": "1"}, 7, 4) == 1


def test_open_mpi_does_not_launch_for_root():
    assert "OMPI_ALLOW_RUN_AS_ROOT=1" in commands.refusal(OPEN_MPI, {}, 0)
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    assert commands.refusal(OPEN_MPI, allowed, 0) is commands.refusal(OPEN_MPI, {}, 1000) is None
    assert commands.refusal(MPICH, {}, 0) is None


def test_processes_know_that_they_were_launched():
    assert launched_as({"PMI_RANK": "1", "PMI_SIZE": "4"}) == (1, 4)
    assert launched_as({"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4"}) == (2, 4)
    assert launched_as({"SLURM_PROCID": "0", "SLURM_NTASKS": "2"}) == (0, 2)
    assert launched_as({"PMIX_RANK": "3"}) == (3, 0) and launched_as({}) is None
    with_none = options("--launcher", "none", "--ranks-per-node", "4")
    assert "no launcher started this process" in commands.not_launched(with_none, {})
    assert "2 processes were launched" in commands.not_launched(with_none, {"PMI_RANK": "1", "PMI_SIZE": "2"})
    assert commands.not_launched(with_none, {"PMI_RANK": "1", "PMI_SIZE": "4"}) is None


def test_mpis_are_told_apart_by_what_their_launchers_say():
    assert kind_of("mpirun (Open MPI) 4.1.4") == "openmpi" and kind_of("prterun (Open MPI) 5.0.8") == "openmpi"
    assert kind_of("HYDRA build details:\n    Version: 4.3.0") == "mpich"
    assert kind_of("Intel(R) MPI Library for Linux* OS, Version 2021.9") == "mpich" and kind_of("slurm 23") == ""


def test_of_several_failures_one_is_told():
    crash = Report(1, 2, "host", -9, last="add of shape (3,), prog.py, line 4")
    follows = Report(0, 2, "host", 1, failure="Traceback", message="E", follows=True)
    assert first_failure([follows, crash]) is crash and exit_code([follows, crash]) == 137
    assert "rank 1 of 2 on host was ended by SIGKILL (signal 9)" in describe(crash, [follows, crash])
    mine = Report(0, 2, "host", 1, failure="Traceback 0\n", message="E: x")
    other = Report(1, 2, "host", 1, failure="Traceback 1\n", message="E: x")
    assert first_failure([other, mine]) is mine and describe(mine, [other, mine]) == "Traceback 0\n"
    asked = Report(1, 2, "host", 3)
    assert exit_code([mine, asked]) == 3 and first_failure([asked, mine]) is mine
    assert first_failure([Report(0, 1)]) is None and exit_code([Report(0, 1)]) == 0
