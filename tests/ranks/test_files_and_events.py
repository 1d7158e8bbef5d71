"""Files that all ranks write at once, warnings of what happened on one, forks and threads."""

from __future__ import annotations

import numpy


def lines(ended):
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


def test_files_of_arrays_over_ranks_are_written_once_and_are_there_for_all(run_ranks, tmp_path):
    text = """
        import os, tessera, numpy, tessera.numpy as np
        x = np.arange(50_000.0) * 2
        np.save("one", x)
        x.tofile("raw")
        np.savez("several.npz", x, y=x + 1)
        assert (numpy.load("one.npy") == numpy.arange(50_000.0) * 2).all()
        assert numpy.fromfile("raw")[77] == 154 and (numpy.load("several.npz")["y"][3] == 7).all()
        assert len(os.listdir(".")) == 4, os.listdir(".")
        print("done", float(x[5]))
    """
    assert lines(run_ranks(3, text)) == ["done 10.0"]
    assert (numpy.load(tmp_path / "one.npy") == numpy.arange(50_000.0) * 2).all()


def test_warnings_of_what_happens_in_another_ranks_part(run_ranks):
    text = """
        import tessera, numpy, warnings, tessera.numpy as np
        v = numpy.arange(30_000.0)[::-1].copy()
        a = np.asarray(v)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            b = 1 / a
            largest = float(b.max())
        print(tessera.rank(), largest, sorted({(str(w.message), w.lineno) for w in seen}))
    """
    said = sorted(lines(run_ranks(2, text, "--output", "all")))
    assert said == [
        f"{before}{rank} inf [('divide by zero encountered in divide', 7)]" for rank, before in enumerate(["", "[1] "])
    ]


def test_a_forked_child_is_no_rank(run_ranks):
    text = """
        import os, tessera, numpy, tessera.numpy as np
        x = np.ones(30_000) * 2
        tessera.synchronize()
        child = os.fork()
        if child == 0:
            try:
                float(x[3])
            except RuntimeError as error:
                print("child", "forked" in str(error), float(np.arange(5000).sum()), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print("parent", float(x.sum()))
    """
    assert lines(run_ranks(2, text)) == ["child True 12497500.0", "parent 60000.0"]


def test_other_threads_are_refused(run_ranks):
    text = """
        import threading, tessera, tessera.numpy as np
        x = np.ones(30_000) * 2
        float(x.sum())
        said = []
        def look():
            try: float((x + 1).sum())
            except RuntimeError as error: said.append(str(error))
            said.append(float(np.arange(10).sum()))
        thread = threading.Thread(target=look); thread.start(); thread.join()
        print("main thread" in said[0], said[1])
    """
    assert lines(run_ranks(2, text)) == ["True 45.0"]


def test_a_rank_without_memory_ends_all(run_ranks):
    text = """
        import tessera, tessera.numpy as np
        x = np.ones(1_000_000)
        float(x.sum())
        if tessera.rank() == 1: tessera.set_memory_limit(tessera.memory_statistics()["bytes_in_use"] + 2**20)
        y = x * 2 + 1
        print(float(y.sum()))
    """
    ended = run_ranks(2, text)
    assert ended.returncode == 1 and "rank 1 on" in ended.stderr and "has no memory for its part of" in ended.stderr
