"""One program, several times: the bits of one process, and what is there once is there once."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def lines(ended):
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


RANDOM = """
import hashlib, os, random, sys, time, warnings
sys.path.insert(0, sys.argv[1])
import tessera, tessera.numpy as np
from random_programs import Program
warnings.simplefilter("ignore")
if os.environ.get("EAGER"):
    from tessera import _core
    _core.options(lazy=False)
pauses = random.Random(f"pauses of rank {tessera.rank()}")
for seed in range(int(sys.argv[2]), int(sys.argv[3])):
    got = Program(seed, scale=int(sys.argv[4]), routines=len(sys.argv) > 5).run(np)
    if os.environ.get("PAUSES") and pauses.random() < 0.3: time.sleep(pauses.random() * 0.02)
    print(seed, hashlib.sha256(b"".join(str((v.dtype, v.shape)).encode() + v.tobytes() for v in got)).hexdigest())
"""


@pytest.mark.parametrize("scale", [1, 5])
def test_random_programs_have_the_bits_of_one_process(run_ranks, tmp_path, scale):
    arguments = [os.path.dirname(os.path.dirname(__file__)), "0", "150", str(scale)]
    program = tmp_path / "alone.py"
    program.write_text(RANDOM)
    alone = subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True, timeout=120)
    for count in (1, 2, 3, 4):
        ended = run_ranks(count, RANDOM, arguments=arguments)
        assert lines(ended) == lines(alone)


def test_random_programs_with_routines_have_the_bits_of_one_process(run_ranks, tmp_path):
    arguments = [os.path.dirname(os.path.dirname(__file__)), "0", "100", "3", "routines"]
    program = tmp_path / "alone.py"
    program.write_text(RANDOM)
    alone = subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True, timeout=120)
    for count in (2, 3):
        assert lines(run_ranks(count, RANDOM, arguments=arguments)) == lines(alone)


@pytest.mark.parametrize("how", [{"EAGER": "1"}, {"PAUSES": "1"}])
def test_the_same_when_each_operation_runs_at_once_and_when_ranks_pause(run_ranks, how):
    arguments = [os.path.dirname(os.path.dirname(__file__)), "500", "560", "4"]
    wanted = lines(run_ranks(1, RANDOM, arguments=arguments))
    assert lines(run_ranks(3, RANDOM, arguments=arguments, **how)) == wanted


def test_what_came_from_one_place_is_passed_on_to_another(run_ranks, tmp_path):
    # Of this program, one rank sends bytes of an array that it has just got from a third.
    arguments = [os.path.dirname(os.path.dirname(__file__)), "1953", "1954", "4"]
    wanted = lines(run_ranks(1, RANDOM, arguments=arguments))
    for count in (3, 4):
        assert lines(run_ranks(count, RANDOM, arguments=arguments)) == wanted


def test_a_look_gives_all_ranks_the_same(run_ranks):
    text = """
        import tessera, tessera.numpy as np
        x = np.arange(100_000.0) * 2
        print(tessera.rank(), tessera.size(), tessera.is_leader(), float(x.sum()), float(x[70_000]), x[99_998:].tolist())
    """
    said = sorted(lines(run_ranks(3, text, "--output", "all")))
    assert said == [
        "0 3 True 9999900000.0 140000.0 [199996.0, 199998.0]",
        "[1] 1 3 False 9999900000.0 140000.0 [199996.0, 199998.0]",
        "[2] 2 3 False 9999900000.0 140000.0 [199996.0, 199998.0]",
    ]


def test_places_are_named_by_their_rank(run_ranks):
    text = """
        import tessera, tessera.numpy as np
        x = np.ones((600, 500)) * 2
        tessera.synchronize()
        held = tessera.layout(x)
        print(*held, max(held.values()) < 600 * 500 * 8 * 0.6)
        print(tessera.layout(np.arange(3)))
    """
    assert lines(run_ranks(2, text)) == ["rank 0: cpu rank 1: cpu True", "{'cpu': 24}"]


def test_small_arrays_stay_whole_and_may_differ(run_ranks):
    text = """
        import tessera, tessera.numpy as np
        x = np.ones((1000, 1000))
        if tessera.rank() == 1:
            y = np.arange(3000) * 2
            print(int(y.sum()), tessera.layout(y))
        print(float((x * 2).sum()))
    """
    said = sorted(lines(run_ranks(2, text, "--output", "all", cut="auto")))
    assert said == ["2000000.0", "[1] 2000000.0", "[1] 8997000 {'cpu': 24000}"]


def test_a_program_without_arrays(run_ranks):
    ended = run_ranks(3, "import sys\nprint('here', sys.argv[1:])\n", arguments=["a", "--nodes"])
    assert lines(ended) == ["here ['a', '--nodes']"] and ended.stderr == ""


def test_one_rank_is_one_process(run_ranks):
    text = "import tessera, tessera.numpy as np\nprint(tessera.size(), float((np.ones(1000) * 2).sum()))\n"
    assert lines(run_ranks(1, text)) == ["1 2000.0"]


def test_generators_without_a_seed_and_hashes_are_those_of_rank_0(run_ranks):
    text = """
        import random, tessera, numpy, tessera.numpy as np
        values = [np.random.default_rng().random(), numpy.random.rand(), np.random.rand(), random.random(), hash("text")]
        print(*values, sorted({"a", "b"}, key=hash))
    """
    said = lines(run_ranks(3, text, "--output", "all"))
    assert len({line.removeprefix("[1] ").removeprefix("[2] ") for line in said}) == 1 and len(said) == 3
    assert lines(run_ranks(1, text)) != said[:1]


def test_the_environment_and_folder_are_the_callers(run_ranks, tmp_path):
    text = "import os\nprint(os.environ['WORD'], os.environ['OTHER'], os.getcwd())\n"
    ended = run_ranks(2, text, "--env", "WORD=a b", "--output", "all", OTHER="here")
    assert sorted(lines(ended)) == [f"[1] a b here {tmp_path}", f"a b here {tmp_path}"]


def test_routines_on_arrays_over_ranks(run_ranks):
    text = """
        import tessera, numpy, tessera.numpy as np
        v = numpy.random.default_rng(1).random(30_000)
        a = np.asarray(v) + 1
        assert (numpy.asarray(np.sort(a)) == numpy.sort(v + 1)).all()
        assert (numpy.asarray(np.cumsum(a)) == numpy.asarray(np.cumsum(np.asarray(numpy.asarray(a))))).all()
        a[5] = 7.0
        a[100:200] = numpy.arange(100)
        v = v + 1; v[5] = 7; v[100:200] = numpy.arange(100)
        assert (numpy.asarray(a) == v).all()
        m = (a[:10_000] * 2).reshape(100, 100)
        assert numpy.allclose(numpy.asarray(m @ m), numpy.asarray(m) @ numpy.asarray(m))
        print("done", float(a.max()))
    """
    assert lines(run_ranks(3, text)) == ["done 99.0"]


COLUMNS = """
import hashlib, numpy, tessera.numpy as np
digest = hashlib.sha256()
for rows, columns in ((40, 50_000), (3000, 700)):
    a = np.asarray(numpy.random.default_rng(rows).normal(size=(rows, columns))) * 1
    rounded = a.astype("float32")
    for made in (a.sum(axis=0), (a - a.mean(axis=0)).std(axis=0), rounded.prod(axis=0), a.max(axis=0), rounded.sum(axis=0)):
        digest.update(numpy.asarray(made).tobytes())
    for name in ("sort", "argsort", "cumsum", "argmin"):
        digest.update(numpy.asarray(getattr(np, name)(a, axis=1)).tobytes())
print(digest.hexdigest())
"""


def test_folds_along_the_first_axis_go_from_rank_to_rank_by_blocks(run_ranks, tmp_path):
    program = tmp_path / "alone.py"
    program.write_text(COLUMNS)
    alone = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120)
    for count in (2, 4):
        assert lines(run_ranks(count, COLUMNS)) == lines(alone)


PARTS_THAT_FAIL = """
import numpy, tessera, tessera.numpy as np, warnings
numbers = numpy.arange(3000)
numbers[2500] = -1
try:
    np.bincount(np.asarray(numbers) + 0)
except ValueError as error:
    print(error)
ends = numpy.zeros(4000)
ends[0] = ends[-1] = 1e308
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    total = float(np.dot(np.asarray(ends) * 1.0, np.ones(4000)))
    print(total, [str(each.message) for each in told])
"""


def test_what_only_one_part_or_only_the_sum_of_parts_shows(run_ranks):
    wanted = lines(run_ranks(1, PARTS_THAT_FAIL))
    assert "negative" in wanted[0] and "overflow" in wanted[1]
    for count in (2, 3):
        assert lines(run_ranks(count, PARTS_THAT_FAIL)) == wanted


def test_warnings_of_routines_by_rows_are_told_once(run_ranks):
    text = """
        import warnings, numpy, tessera, tessera.numpy as np
        a = np.ones((400, 1000)) * 1e308
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            total = float(np.cumsum(a, axis=1)[3, 5])
        print(total, sorted({str(w.message) for w in told}))
    """
    assert lines(run_ranks(3, text)) == ["inf ['overflow encountered in accumulate']"]


def test_a_message_of_more_than_2_gib(run_ranks):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    if memory < 14 << 30:
        pytest.skip("needs 14 GiB of memory")
    text = """
        import tessera, tessera.numpy as np
        x = np.ones(2**32 + 2**20 + 16, dtype="int8")
        x[1:-1] = x[2:] + x[:-2]
        y = np.asarray(x)
        tessera.synchronize()
        import numpy
        whole = numpy.asarray(y)
        print(int(whole[1]), int(whole[2**31 + 5]), int(whole[-2]), int(whole[-1]), whole.shape)
    """
    assert lines(run_ranks(2, text, timeout=300)) == ["2 2 2 1 (4296015888,)"]


def test_programs_for_legate_run_on_ranks(mpi, tmp_path):
    program = tmp_path / "prog.py"
    program.write_text("import cunumeric as np\nx = np.ones((600, 500)) * 2\nprint('sum', float(x.sum()))\n")
    command = [sys.executable, "-m", "tessera", "run", "--legate", "--nodes", "1", "--ranks-per-node", "2", program]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert lines(ended) == ["sum 600000.0"] and ended.stderr == ""


SRUN = """#!{python}
# Stands for Slurm's: starts that many processes on this machine.
import itertools, os, sys
options = list(itertools.takewhile(lambda word: word.startswith("--"), sys.argv[1:]))
count = next(word.split("=")[1] for word in options if word.startswith("--ntasks="))
program = sys.argv[1 + len(options):]
os.execv({launcher!r}, [{launcher!r}, "-n", count, *program])
"""


def test_processes_that_srun_starts(run_ranks, mpi, tmp_path):
    srun = tmp_path / "srun"
    srun.write_text(SRUN.format(python=sys.executable, launcher=mpi.launcher))
    srun.chmod(0o755)
    text = "import tessera, tessera.numpy as np\nprint(tessera.size(), float((np.ones(3000) * 2).sum()))\n"
    ended = run_ranks(3, text, "--launcher", "srun", PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert lines(ended) == ["3 6000.0"]


def test_processes_that_the_users_own_launcher_starts(mpi, tmp_path):
    program = tmp_path / "prog.py"
    program.write_text("import tessera, tessera.numpy as np\nprint(tessera.size(), float((np.ones(3000) * 2).sum()))\n")
    own = [sys.executable, "-m", "tessera", "run", "--launcher", "none", "--ranks-per-node", "2", program]
    environment = {**os.environ, "TESSERA_CUT": "always", "TESSERA_MPI": mpi.library}
    ended = subprocess.run(
        [mpi.launcher, "-n", "2", *own], capture_output=True, text=True, timeout=120, env=environment
    )
    assert lines(ended) == ["2 6000.0"]


def test_products_by_panels_are_the_same_on_any_number_of_ranks(run_ranks):
    text = """
    import hashlib, numpy, tessera, tessera.numpy as np
    rng = numpy.random.default_rng(3)
    a, b, n = rng.normal(size=(300, 201)), rng.normal(size=(201, 150)), rng.integers(-9, 9, size=(300, 201))
    x, y, m = np.asarray(a) + 0, np.asarray(b) + 0, np.asarray(n) + 0
    for got, wanted in ((x @ y, a @ b), (x @ x.T, a @ a.T), (np.tensordot(x, y, 1), a @ b), (m @ m.T, n @ n.T)):
        got = numpy.asarray(got)
        assert numpy.allclose(got, wanted, rtol=1e-10, atol=1e-10)
        if tessera.is_leader(): print(hashlib.sha256(got.tobytes()).hexdigest())
    # No panel's terms are too large, only their sum.
    numpy.asarray((x * 0 + 1e154) @ (y * 0 + 1e152))
    """
    ended = [run_ranks(count, text, TESSERA_PANEL="60000", TESSERA_GATHER="error") for count in (2, 3, 5)]
    assert lines(ended[0]) == lines(ended[1]) == lines(ended[2]) and len(lines(ended[0])) == 4
    assert all("overflow encountered in matmul" in each.stderr for each in ended)


def test_each_rank_has_its_part_of_seeded_draws(run_ranks):
    text = """
    import numpy, tessera, tessera.numpy as np
    def generators(m):
        return [m.random.Generator(getattr(m.random, name)(3)) for name in ("PCG64", "PCG64DXSM", "Philox", "MT19937")] + [m.random.RandomState(3)]
    for ours, theirs in zip(generators(np), generators(numpy)):
        calls = [lambda g: g.uniform(2, 3, (701, 101)), lambda g: g.normal(3, 2, (1101, 1000)), lambda g: g.standard_normal(7001)]
        if hasattr(ours, "integers"):
            calls += [lambda g: g.random(5), lambda g: g.random((4003, 3), dtype="f4"), lambda g: g.integers(0, 1000, 5001, dtype="i4"),
                      lambda g: g.random(7001, dtype="f4"), lambda g: g.exponential(2, 5003), lambda g: g.integers(0, 10**12, (300, 50))]
        else:
            calls += [lambda g: g.randn(3001), lambda g: g.rand(40, 101), lambda g: g.randint(0, 10**6, 5001)]
        for call in calls:
            got, wanted = call(ours), call(theirs)
            tessera.synchronize()
            assert wanted.size < 2000 or tessera.layout(got)[f"rank {tessera.rank()}: cpu"] < 0.6 * got.nbytes
            assert numpy.asarray(got).tobytes() == wanted.tobytes()
            assert numpy.array_equal(numpy.asarray(got[1:] - got[:-1]), wanted[1:] - wanted[:-1])
        assert numpy.array_equal(numpy.asarray(ours.standard_normal(9)), theirs.standard_normal(9))
    print("all")
    """
    for count in (2, 3):
        assert lines(run_ranks(count, text)) == ["all"]


def test_running_sums_in_one_order_go_from_rank_to_rank(run_ranks):
    text = """
    import warnings, numpy, tessera, tessera.numpy as np
    rng = numpy.random.default_rng(0)
    for shape in ((601,), (300, 70), (8191, 3), (20, 3, 5)):
        for dtype in ("f8", "f4", "c16", "i4"):
            v = (rng.normal(size=shape) * 3).astype(dtype)
            assert numpy.asarray(np.cumsum(np.asarray(v) + 0, axis=0)).tobytes() == numpy.cumsum(v, axis=0).tobytes()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        large = np.zeros((400, 3))
        large[120] = large[250] = 1e308  # what is too large is so at one rank alone
        numpy.asarray(np.cumsum(large, axis=0))
    print({str(one.message) for one in told})
    """
    for count in (2, 3):
        ended = run_ranks(count, text, TESSERA_GATHER="error")
        assert lines(ended) == ["{'overflow encountered in accumulate'}"]
