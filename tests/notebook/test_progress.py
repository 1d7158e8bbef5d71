"""Bars for work that takes long."""

import subprocess
import sys
import textwrap

import pytest
from tessera._progress import _title

import tessera
from tessera import _core

PROGRAM = """
    import sys, time
    import tessera, tessera.numpy as np
    from tessera import _core
    seen = []
    show = tessera._progress.Progress._show
    def watched(self, now):
        show(self, now)
        if now is not None and self._bar is not None:
            seen.append((self._bar.n, self._bar.total, self._bar.desc))
    tessera._progress.Progress._show = watched
    with tessera.progress(after=0.02, every=0.005):
        x = np.linspace(0, 1, 4_000_000)
        y = sum(np.sin(x * k) ** 2 for k in range(8))
        float(y[5])
        shown = len(seen)
        float((x[:2000] + 1)[5])
    assert _core.progress() is None
    time.sleep(0.05)
    after = len(seen)
    float((np.sin(x) + 1)[5])
    time.sleep(0.05)
    assert len(seen) == after
    done = [n for n, total, name in seen if total == 20_000_000 and "sin" in name]
    assert done == sorted(done) and done, seen
    assert all(0 <= n <= total for n, total, _ in seen if total), seen
    print("shown")
"""


def test_a_bar_shows_how_much_is_done():
    program = "import tessera._progress\n" + textwrap.dedent(PROGRAM)
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.stdout == "shown\n", result.stderr[-2000:]
    assert "sin" in result.stderr and "%|" in result.stderr


def test_names_are_short():
    assert _title("sort") == "sort"
    assert _title("window of 5: sin, add, sin, add, sin") == "sin, add"
    assert _title("window of 6: sin, cos, tan, exp, log, add") == "sin, cos, tan, exp, ..."


def test_nonsense_is_refused():
    with pytest.raises(ValueError, match="after=-1"):
        tessera.progress(-1)
    with pytest.raises(ValueError, match="every=0"):
        tessera.progress(every=0)


def test_without_the_library_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        tessera.progress()


def test_a_second_call_takes_over():
    first = tessera.progress()
    second = tessera.progress()
    assert first is not second
    assert not first._thread.is_alive() and second._thread.is_alive()
    second.close()
    second.close()
    assert not second._thread.is_alive()
    assert _core.progress() is None
