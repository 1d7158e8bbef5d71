"""`tessera plan`: what places that are not there would do."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import numpy
import pytest

STENCIL = """
import sys, tessera.numpy as np
g = np.zeros((1202, 1002)); g[0, :] = 40.0
for _ in range(12):
    g[1:-1, 1:-1] = 0.25 * (g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:])
print("sum", float(g.sum()), sys.argv[1:])
"""


def plan(tmp_path, *words, text=STENCIL):
    program = tmp_path / "prog.py"
    program.write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "tessera", "plan", str(program), *words], capture_output=True, text=True, timeout=120
    )


def efficiency(ended):
    assert ended.returncode == 0, ended.stderr
    return float(re.search(r"efficiency ([\d.]+)$", ended.stdout)[1])


def test_a_program_is_computed_once_and_forecast_for_many_places(tmp_path):
    ended = plan(tmp_path, "--places", "64", "--per-node", "8", "--compute")
    assert "64 places, 8 on a node" in ended.stdout and "prog.py, line 5" in ended.stdout
    assert ended.stdout.startswith("sum ") and 0 < efficiency(ended) < 1
    alone = subprocess.run([sys.executable, tmp_path / "prog.py"], capture_output=True, text=True)
    assert ended.stdout.splitlines()[0] == alone.stdout.strip()


def test_without_computing_the_forecast_is_the_same_and_looks_are_zeros(tmp_path):
    computed, planned = (plan(tmp_path, "--places", "5", *more) for more in (["--compute"], []))
    assert planned.stdout.splitlines()[0] == "sum 0.0 []"
    assert planned.stdout.splitlines()[1:] == computed.stdout.splitlines()[1:]
    assert "2 looks at arrays that are cut gave zeros" in planned.stderr and "zeros" not in computed.stderr


def test_arrays_that_no_machine_could_hold_are_planned(tmp_path):
    text = (
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
        + STENCIL.replace("np.zeros((1202, 1002))", "np.zeros((2048 * 3502, 3502))")
        + "h = np.empty((2048 * 3502, 3502)); h[:] = g; k = np.arange(2**34) * 2.0\n"
    )
    ended = plan(tmp_path, "--places", "2048", "--per-node", "8", text=text)
    assert efficiency(ended) > 0 and "2048 places" in ended.stdout


def test_calls_of_routines_are_planned_as_they_run_on_ranks(tmp_path, run_ranks):
    text = """
    import numpy, tessera, tessera.numpy as np
    a = np.arange(60000.0).reshape(300, 200) % 7 - 1
    results = [np.sort(a, axis=1), np.cumsum(a, axis=1), np.cumsum(a.ravel()), a @ a.T, np.searchsorted(np.arange(30.0), a),
               np.argmax(a, axis=1)]
    tessera.synchronize()
    counts = tessera.counters()
    if tessera.size() > 1: print(counts["copies_between_devices"], counts["bytes_between_devices"])
    shapes = [r.shape for r in results]
    """
    text = "\n".join(line[4:] for line in text.splitlines())
    program = tmp_path / "prog.py"
    program.write_text(text)
    ended = subprocess.run(
        [sys.executable, "-m", "tessera", "plan", str(program), "--places", "3"],
        capture_output=True, text=True, timeout=120, env={**os.environ, "TESSERA_CUT": "always"},
    )  # fmt: skip
    wanted = int(re.search(r"each of (\d+) sends", ended.stdout)[1])
    for name in ("sort", "scan", "matmul", "searchsorted", "argmax"):
        assert re.search(rf"prog.py, line [45]: .*{name}", ended.stdout), ended.stdout
    said = run_ranks(3, text, "--output", "all").stdout
    assert sum(int(line.split()[-2]) for line in said.splitlines()) == 2 * wanted


def test_shapes_that_depend_on_values_are_named(tmp_path):
    text = "import tessera.numpy as np\nprint(np.nonzero(np.arange(600000.0) % 3)[0].shape)\n"
    ended = plan(tmp_path, "--places", "4", text=text)
    assert "prog.py, line 2: nonzero: the shape of its result depends on values; use --compute" in ended.stderr
    assert plan(tmp_path, "--places", "4", "--compute", text=text).stdout.startswith("(400000,)")


def test_a_loop_that_never_settles_is_shown_as_far_as_it_came(tmp_path):
    program = tmp_path / "prog.py"
    program.write_text(
        STENCIL.replace("for _ in range(12)", "while g.sum() < 1").replace(
            "    g[1:-1", "    print('.', flush=True); g[1:-1"
        )
    )
    running = subprocess.Popen(
        [sys.executable, "-m", "tessera", "plan", str(program), "--places", "4"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    for _ in range(5):
        assert running.stdout.readline() == ".\n"
    running.send_signal(signal.SIGINT)
    said, errors = running.communicate(timeout=60)
    assert running.returncode == 130 and "interrupted" in errors and "efficiency" in said


def test_the_picture_is_svg(tmp_path):
    import xml.etree.ElementTree

    ended = plan(tmp_path, "--places", "4", "--picture", str(tmp_path / "plan.svg"))
    assert ended.returncode == 0, ended.stderr
    texts = [
        node.text
        for node in xml.etree.ElementTree.parse(tmp_path / "plan.svg").iter("{http://www.w3.org/2000/svg}text")
    ]
    assert "4 places, 4 on a node: time of the slowest place" in texts
    refused = plan(tmp_path, "--places", "4", "--picture", str(tmp_path / "missing" / "plan.svg"))
    assert refused.returncode == 2 and "No such file" in refused.stderr


def test_constants_are_found_from_times_that_they_make():
    from tessera.cli.ranks.measure import fit

    random = numpy.random.default_rng(5)
    constants = numpy.array([1 / 3.2e12, 4e-6, 1 / 6e13, 7e-6, 2e-6, 1 / 250e9])
    counts = random.random((13, 6)) * numpy.array([1e9, 4, 1e11, 3, 8, 1e7])
    machine, error = fit(counts @ constants, counts)
    assert error < 1e-9
    found = [
        1 / machine.memory,
        machine.launch,
        1 / machine.operations,
        machine.within.latency,
        machine.within.overhead,
        1 / machine.within.bandwidth,
    ]
    assert numpy.allclose(found, constants, rtol=1e-6)
    # Where the nearest would be below nothing, what is possible is found.
    counts[:, 4] = 0
    machine, _ = fit(counts @ constants - 1e-7 * counts[:, 1] * 50, counts)
    assert machine.launch > 0 and machine.within.overhead > 0


def test_a_machine_is_measured(tmp_path, mpi):
    written = tmp_path / "machine.json"
    ended = subprocess.run(
        [sys.executable, "-m", "tessera", "plan", "--measure", str(written)],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert set(json.loads(written.read_text())) == {"memory", "launch", "operations", "within", "between"}
    assert efficiency(plan(tmp_path, "--places", "2", "--machine", str(written))) > 0


def test_products_take_what_their_operations_take(tmp_path):
    program, machine = tmp_path / "product.py", tmp_path / "machine.json"
    program.write_text("import tessera.numpy as np\na = np.zeros((4096, 4096)) + 1.0\nprint((a @ a).sum())\n")
    machine.write_text(json.dumps({"operations": 1e9}))
    known = ["--places", "4", "--machine", str(machine)]
    ended = subprocess.run(
        [sys.executable, "-m", "tessera", "plan", str(program), *known], capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stderr
    assert efficiency(ended) > 0.99  # 34 s of each place, beside which the messages are nothing


def test_one_place_sends_nothing(tmp_path):
    ended = plan(tmp_path, "--places", "1")
    assert "each of 0 sends has its receive" in ended.stdout


def test_more_places_are_less_efficient_and_slower_links_too(tmp_path):
    machine = tmp_path / "machine.json"
    machine.write_text(json.dumps({"between": {"latency": 1e-3}}))
    few, many = (efficiency(plan(tmp_path, "--places", count)) for count in ("4", "128"))
    assert many < few
    assert efficiency(plan(tmp_path, "--places", "128", "--machine", str(machine))) < many / 2


@pytest.mark.parametrize(
    "text, said",
    [("[]", "expected an object"), ('{"memory": 0}', "positive number"), ('{"memory": "x"}', "positive number"), ("{", "Expecting"),
     ('{"within": {"speed": 1}}', "latency, overhead and bandwidth"), ('{"links": 1}', "links")],
)  # fmt: skip
def test_machine_files_with_nonsense_are_refused(tmp_path, text, said):
    machine = tmp_path / "machine.json"
    machine.write_text(text)
    ended = plan(tmp_path, "--places", "4", "--machine", str(machine))
    assert ended.returncode == 2 and said in ended.stderr and ended.stdout == ""


def test_messages_are_those_of_ranks(tmp_path, run_ranks):
    # Of both, what neighbours exchange in the loop; a look adds its own.
    text = (
        STENCIL
        + "import tessera\ncounts = tessera.counters()\nif tessera.size() > 1: print(counts['copies_between_devices'], counts['bytes_between_devices'])\n"
    )
    forecast = plan(tmp_path, "--places", "3", text=text).stdout
    wanted = int(re.search(r"each of (\d+) sends", forecast)[1])
    said = run_ranks(3, text, "--output", "all", cut="auto").stdout
    ends = sum(int(line.split()[-2]) for line in said.splitlines() if "sum" not in line)
    assert ends == 2 * wanted


def test_a_program_without_large_arrays(tmp_path):
    ended = plan(tmp_path, "--places", "4", text="import tessera.numpy as np\nprint(np.arange(10).sum())\n")
    assert ended.returncode == 0 and "no array is cut" in ended.stdout


def test_native_names_that_compute_where_the_parts_are_are_listed():
    ended = subprocess.run(
        [sys.executable, "-m", "tessera", "coverage", "--distributed"], capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stderr
    states = dict(re.findall(r"^  (\S+)\s+(\S.*)$", ended.stdout, re.MULTILINE))
    for name, state in {
        "add": "where the parts are", "sum": "where the parts are", "sort": "where the parts are", "linalg.svd": "put together",
        "Generator.random": "where the parts are", "Generator.gamma": "at every place", "result_type": "computes no array",
    }.items():  # fmt: skip
        assert states[name] == state
    parts, arrays = map(int, re.search(r"(\d+) of (\d+) native names", ended.stdout).groups())
    assert parts >= 0.6 * arrays and arrays > 450
    assert sum(state == "not tried" for state in states.values()) < 10


def test_however_a_program_ends_what_it_did_is_planned(tmp_path):
    for end, code in (("sys.exit(3)", 3), ("sys.exit()", 0), ("1 / float(g.sum())", 1)):
        ended = plan(tmp_path, "--places", "3", text=STENCIL + end + "\n")
        assert ended.returncode == code and re.search(r"efficiency [\d.]+$", ended.stdout)
        assert ("--compute computes them" in ended.stderr) == (code == 1)


def test_zeros_are_factors_of_calls_in_parts(tmp_path, run_ranks):
    text = """
        import tessera, tessera.numpy as np, numpy
        a = np.arange(640000.0).reshape(800, 800) * 2
        w = np.zeros((800, 800))
        c = (a @ w) * 2 + a @ np.full((800, 800), 0.5)
        tessera.synchronize()
        print(tessera.counters()["bytes_from_device"], float(c.sum()))
    """
    alone, ranks = (run_ranks(count, text, cut="auto").stdout.split() for count in (1, 2))
    assert ranks[0] == "0" and numpy.isclose(float(ranks[1]), float(alone[1]))


def test_new_memory_of_ranks_is_no_difference(run_ranks):
    text = """
        import tessera.numpy as np
        z = np.empty(3000); z[:1500] = 1; z[1500:] = 2
        print(float(z.sum()), float(np.concatenate([z[5:], z[:5]])[:1496].sum()))
    """
    assert run_ranks(2, text).stdout == "4500.0 1497.0\n"
