"""tessera.prof: ranges that a profiler shows, and when it collects."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tessera.numpy as np

import tessera
from tessera import prof

LIBRARIES = Path(os.environ.get("TESSERA_BUILD", "build/release")).resolve() / "simulated"

PROFILED = """
import tessera
from tessera import prof
with prof.time_range("block", 0), prof.time_range("inner", argb_color=0x80123456), prof.time_range("plain"):
    pass
with prof.time_range("ninth", 8, sync=True):
    pass
@prof.time_range()
def spectra(): return 5
@prof.time_range("named", 1)
def other(): raise KeyError
assert spectra() == 5
try: other()
except KeyError: pass
"""


@pytest.mark.skipif(not LIBRARIES.is_dir(), reason="the simulated libraries are not here")
def test_a_profiler_is_told_names_and_colours(tmp_path):
    log = tmp_path / "ranges"
    library = LIBRARIES / "libsimulated_profiler.so"
    environment = dict(os.environ, NVTX_INJECTION64_PATH=str(library), SIMULATED_PROFILE=str(log))
    done = subprocess.run([sys.executable, "-c", PROFILED], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert log.read_text().splitlines() == [
        *("push block in ff00ff00", "push inner in 80123456", "push plain", "pop", "pop", "pop"),
        *("push ninth in ff0000ff", "pop", "push spectra", "pop", "push named in ff0000ff", "pop"),
    ]


def test_without_a_profiler_ranges_do_nothing():
    with prof.time_range("scipy_lombscargle", 0) as entered:
        assert entered.message == "scipy_lombscargle"

    @prof.TimeRangeDecorator(sync=True)
    def add(a, b=2):
        """Adds."""
        return a + b

    assert add(1) == 3 and add(1, b=1) == 2 and add.__name__ == "add" and add.__doc__ == "Adds."


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="give one of them"):
        prof.time_range("x", 0, 0xFF00FF00)
    with pytest.raises(ValueError, match="no colour"):
        prof.time_range("x", argb_color=1 << 32)
    with pytest.raises(ValueError, match="needs a message"), prof.time_range():
        pass


@pytest.mark.parametrize("where", ["cpu", "simulated"])
def test_synchronised_ranges_and_profile_run_what_was_recorded(where):
    x = np.arange(100_000.0)
    for block in (prof.time_range("work", sync=True), prof.profile()):
        with tessera.device(where):
            tessera.reset_counters()
            with block:
                y = x * 2.0 + 1.0
            assert tessera.counters()["windows"] >= 1
        assert float(y[-1]) == 199_999.0

    @prof.profile()
    def total():
        return float(x.sum())

    assert total() == float(x.sum())
