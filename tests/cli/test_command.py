"""The `tessera` command: arguments, environment, launcher, redirection, reports."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tessera.cli import arguments, doctor, environment, main, redirect

from tessera import __version__

ROOT = Path(__file__).resolve().parents[2]


def tessera(*words, cwd=None, **env):
    paths = os.pathsep.join([str(ROOT / "python"), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", "tessera", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=120,
        env={**os.environ, "PYTHONPATH": paths, **env},
    )


def test_options_end_at_the_program():
    options = arguments.parse(["run", "--cpus", "3", "--numpy", "prog.py", "--cpus", "x"])
    assert (options.cpus, options.numpy, options.program, options.arguments) == (3, True, "prog.py", ["--cpus", "x"])
    with pytest.raises(SystemExit):
        arguments.parse(["run", "--cpus", "0", "prog.py"])


def test_the_cmake_package_finds_the_headers_and_names_no_folder_of_the_build():
    done = tessera("config", "--cmake-dir")
    config = Path(done.stdout.strip()) / "tesseraConfig.cmake"
    assert done.returncode == 0 and str(ROOT) not in config.read_text()
    headers = re.search(r'_tessera_package}/([^"]+)"\)', config.read_text())[1]
    assert (config.parent.parent / headers / "tessera" / "engine" / "engine.h").is_file()


def test_options_become_variables():
    options = arguments.parse(["run", "--cpus", "2", "--fallback", "error", "p.py"])
    assert environment.settings(options) == {"TESSERA_CPUS": "2", "TESSERA_FALLBACK": "error"}
    assert environment.settings(arguments.parse(["run", "p.py"])) == {}


def test_networkx_prefers_the_backend_to_others(monkeypatch):
    monkeypatch.setenv("NETWORKX_BACKEND_PRIORITY", "parallel,tessera")
    monkeypatch.delenv("NETWORKX_WARNINGS_TO_IGNORE", raising=False)
    assert environment.settings(arguments.parse(["run", "--networkx", "p.py"])) == {
        "NETWORKX_BACKEND_PRIORITY": "tessera,parallel",
        "NETWORKX_WARNINGS_TO_IGNORE": "cache",
    }


def test_run_forbids_the_fallback_as_asked(tmp_path):
    program = tmp_path / "prog.py"
    program.write_text("import tessera.numpy as np\nnp.char.upper(['x'])\n")
    result = tessera("run", "--fallback", "error", program, TESSERA_FALLBACK="")
    assert result.returncode != 0 and "FallbackError" in result.stderr
    result = tessera("run", "--fallback", "silent", program, TESSERA_FALLBACK="error")
    assert (result.returncode, result.stderr) == (0, "")


def test_an_empty_variable_names_no_cache_folder(tmp_path):
    env = {name: value for name, value in os.environ.items() if name != "TESSERA_CACHE"}
    env |= {"XDG_CACHE_HOME": "", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "python")}
    said = subprocess.run(
        [sys.executable, "-m", "tessera", "doctor", "--json"], capture_output=True, text=True, env=env
    ).stdout
    assert json.loads(said)["cache"]["folder"] == str(tmp_path / ".cache" / "tessera")


def test_the_doctor_asks_for_the_hosts_libraries_on_the_host():
    result = tessera("doctor", TESSERA_DEVICE="simulated")
    assert (result.returncode, result.stderr) == (0, "")


def test_the_version_is_told():
    assert tessera("--version").stdout.split() == ["tessera", __version__]


def test_only_the_users_files_are_redirected():
    import numpy

    assert redirect.is_users(__file__)
    assert not redirect.is_users(numpy.__file__)
    assert not redirect.is_users(json.__file__)
    assert not redirect.is_users(redirect.__file__)
    assert not redirect.is_users(None)


def test_run_passes_arguments_and_exit_codes(tmp_path):
    program = tmp_path / "prog.py"
    program.write_text("import sys\nprint(sys.argv[1:], __name__)\nsys.exit(3)\n")
    done = tessera("run", program, "a", "--b")
    assert done.returncode == 3 and done.stdout.strip() == "['a', '--b'] __main__"
    assert tessera("run", tmp_path / "none.py").returncode == 2


def test_numpy_in_the_users_files_is_tessera(tmp_path):
    (tmp_path / "helper.py").write_text(
        "import numpy as np\nimport numpy.linalg\nfrom numpy import ones\nfrom numpy.linalg import norm\nKIND = type(ones(2)).__module__\n"
        "def late():\n    import numpy\n    return numpy.__name__, numpy.linalg.__name__\n"
    )
    (tmp_path / "prog.py").write_text(
        "import helper, json, scipy\nimport numpy\nprint(json.dumps([helper.np.__name__, *helper.late(), helper.KIND, numpy.__name__, "
        "scipy.version.version and __import__('scipy').__name__, type(helper.np.arange(3)).__module__]))\n"
    )
    done = tessera("run", "--numpy", "prog.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    names = json.loads(done.stdout)
    assert names[0] == "tessera.numpy" and names[1] == "tessera.numpy" and names[2].startswith("tessera.numpy.linalg")
    assert names[3].startswith("tessera") and names[4] == "tessera.numpy" and names[5] == "scipy"
    plain = tessera("run", "prog.py", cwd=tmp_path)
    assert json.loads(plain.stdout)[0] == "numpy"


def test_numpy_itself_may_import_while_the_users_code_runs(tmp_path):
    (tmp_path / "prog.py").write_text("import numpy as np\nprint(np.arange(3), repr(np.ones(2)))\n")
    done = tessera("run", "--numpy", tmp_path / "prog.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[0 1 2] array([1., 1.])\n"


def test_numba_in_the_users_files_is_tessera(tmp_path):
    (tmp_path / "helper.py").write_text(
        "from numba import njit, prange\n@njit(parallel=True)\ndef total(x):\n    t = 0.0\n    for i in prange(len(x)):\n        t += x[i]\n"
        "    return t\n"
    )
    (tmp_path / "prog.py").write_text(
        "import numba, numpy as np\nfrom numba import cfunc, cuda, float64, vectorize, types\nfrom numba.extending import overload\nfrom helper import total\n"
        "@cuda.jit\ndef double(x):\n    i = cuda.grid(1)\n    if i < x.size:\n        x[i] *= 2\n"
        "@vectorize([float64(float64)])\ndef third(x):\n    return x / 3\n"
        "x = np.arange(6.0)\ndouble[1, 32](x)\nprint(total(x), third(x)[3], numba.__name__, np.__name__, types.int64)\n"
        "for text in ('from numba import gdb', 'from numba.experimental import classes', 'import numba.pycc'):\n"
        "    try:\n        exec(text)\n    except ImportError as error:\n        print(error)\n"
    )
    done = tessera("run", "--numba", "prog.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "30.0 2.0 tessera.numba numpy int64"
    assert "boundscheck=True" in lines[1] and "cannot import name 'classes'" in lines[2] and "kept on disk" in lines[3]


_SPAWNING = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numba
import numpy as np
from helper import tripled


@numba.njit
def squared(x):
    return x * x


def asked(k):
    return numba.__name__, type(squared).__module__, type(tripled).__module__, np.__name__, squared(k), tripled(k)


def asked_further(k):
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(asked, [k]))


if __name__ == "__main__":
    for method in ("spawn", "forkserver"):
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
            print(list(pool.map(asked, [2, 3])), list(pool.map(asked_further, [4])))
"""


def test_processes_that_a_program_spawns_mean_tessera_by_numba(tmp_path):
    (tmp_path / "helper.py").write_text("from numba import njit\n\n\n@njit\ndef tripled(x):\n    return 3 * x\n")
    (tmp_path / "prog.py").write_text(_SPAWNING)
    done = tessera("run", "--numba", "prog.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    names = "tessera.numba", "tessera", "tessera", "numpy"
    wanted = f"{[(*names, 4, 6), (*names, 9, 9)]} {[[(*names, 16, 12)]]}"
    assert done.stdout.splitlines() == [wanted, wanted]


def test_numbas_names_compile():
    from tessera import numba

    @numba.njit
    def total(a, b):
        t = 0.0
        for x in numba.literal_unroll((a, b, 2)):
            t += x
        return t

    assert total(1, 2.5) == 5.5
    for name in numba.__all__:
        assert getattr(numba, name) is not None, name


def test_modules_run_too(tmp_path):
    (tmp_path / "tool.py").write_text("import numpy, sys\nprint(numpy.__name__, sys.argv[1:])\n")
    done = tessera("run", "--numpy", "-m", "tool", "x", cwd=tmp_path)
    assert done.stdout.strip() == "tessera.numpy ['x']", done.stderr


def test_coverage_and_statistics_of_a_run(tmp_path):
    (tmp_path / "prog.py").write_text(
        "import tessera.numpy as np\nnp.sum(np.arange(4) + 1)\nnp.busday_count('2011-01', '2011-02')\n"
    )
    done = tessera("run", "--coverage", "--stats", "prog.py", cwd=tmp_path, TESSERA_FALLBACK="silent")
    assert done.returncode == 0, done.stderr
    assert "busday_count" in done.stderr and "datetime" in done.stderr and "arange" in done.stderr
    assert "calls native" in done.stderr and "engine" in done.stderr and "memory" in done.stderr


def test_coverage_lists_every_family(capsys):
    assert main(["coverage", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["families"]["ufuncs"]["percent"] > 95
    names = {entry["name"]: entry for entry in report["names"]}
    assert names["sum"]["native"] and not names["busday_count"]["native"] and names["busday_count"]["reason"]
    assert main(["coverage", "--family", "nonsense"]) == 2
    assert main(["coverage", "--missing"]) == 0
    assert "busday_count" in capsys.readouterr().out


def test_coverage_goal():
    from tessera import coverage

    native, total = coverage.summary(coverage.entries())["all"]
    assert native / total >= 0.85, f"{native} of {total}"


def test_doctor_names_what_it_found():
    done = tessera("doctor", "--json")
    facts = json.loads(done.stdout)
    assert facts["versions"]["numpy"] and facts["check"] == "right"
    assert done.returncode == (1 if facts["problems"] else 0)
    assert "threads" in tessera("doctor").stdout
    version, _, place = facts["libraries"]["TBB"].partition(": ")
    assert re.match(r"20\d\d\.\d+", version) and (
        Path(place).is_file() if place else "linked into the engine" in version
    )


def test_doctor_sees_a_cache_that_cannot_be_written(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = tessera("doctor", "--json", TESSERA_CACHE=str(blocked / "cache"))
    assert done.returncode == 1 and any("cache" in problem for problem in json.loads(done.stdout)["problems"])


@pytest.mark.parametrize("name", ["TESSERA_CPUS", "TESSERA_COPIES", "TESSERA_DEVICE", "TESSERA_FALLBACK"])
def test_doctor_names_a_setting_that_nobody_understands(name):
    done = tessera("doctor", "--json", **{name: "abc"})
    problems = json.loads(done.stdout)["problems"]
    assert done.returncode == 1 and len(problems) == 1 and name in problems[0] and "'abc'" in problems[0]


def test_doctor_goes_on_past_a_gpu_that_does_not_open(monkeypatch):
    facts = {"name": "one", "capability": 90, "multiprocessors": 132, "memory": 2**36, "driver_version": 13000}
    monkeypatch.setattr(
        "tessera._core.devices", lambda: [{"problem": "gpu:0 is too old"}, facts, {"problem": "it is in use"}]
    )
    problems = []
    assert list(doctor._gpus(problems)) == ["gpu:0", "gpu:1", "gpu:2"] and problems == [
        "gpu:0 is too old",
        "gpu:2: it is in use",
    ]


def test_doctor_tells_a_driver_that_does_not_load_from_none(tmp_path):
    (tmp_path / "libcuda.so.1").write_text("no library")
    done = tessera("doctor", "--json", LD_LIBRARY_PATH=str(tmp_path))
    assert done.returncode == 1 and str(tmp_path) in json.loads(done.stdout)["problems"][0]


def test_pytests_rewritten_tests_get_tesseras_numba(tmp_path):
    (tmp_path / "conftest.py").write_text("import numba\nassert numba.__name__ == 'tessera.numba'\n")
    (tmp_path / "test_it.py").write_text(
        "import numba\n"
        "def test_module():\n"
        "    assert numba.__name__ == 'tessera.numba'\n"
        "    names = {}\n"
        "    exec(compile('def f(x):\\n    return x + %d' % 1, '<s>', 'exec'), names)\n"
        "    assert numba.njit(names['f'])(1) == 2\n"
        "def test_rewritten():\n"
        "    x = 41\n"
        "    assert x == 42\n"
    )
    done = tessera("run", "--numba", "-m", "pytest", "-q", "test_it.py", cwd=tmp_path)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "assert 41 == 42" in done.stdout
