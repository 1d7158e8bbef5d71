"""What a rank does for itself alone, between what all do."""

from __future__ import annotations


def lines(ended):
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


GUARDS = """
import tessera, numpy, tessera.numpy as np
x = np.ones((600, 500))
total = 0.0
for k in range(30):
    x[1:-1] = (x[2:] + x[:-2]) * 0.5
    if tessera.rank() == k % 2:  # small arrays of one rank, at any time
        y = np.arange(2000.0 + k)
        z = (y * 2 + 1).sum() + np.sort(y)[3]
        y[5:100] = 7
        total += float(z) + float(y.mean())
    x = x * 0.5 + 1
    if k % 7 == 3:
        value = float(x.sum())
        if tessera.is_leader():
            print(k, value)
print("end", float(x.max()), total > 0)
"""


def test_small_arrays_of_one_rank_do_not_change_what_all_do(run_ranks):
    wanted = lines(run_ranks(1, GUARDS, cut="auto"))
    assert len(wanted) == 5
    assert lines(run_ranks(2, GUARDS, cut="auto")) == wanted
    assert lines(run_ranks(3, GUARDS, cut="auto")) == wanted


def test_small_arrays_meet_large_ones(run_ranks):
    text = """
        import tessera, numpy, tessera.numpy as np
        w = np.linspace(0, 1, 700)
        x = np.ones((800, 700)) * w
        for k in range(5):
            w = w * 0.5 + x[k] * 0.25
            x = x + w
            w[3] = 2
        print(float(x.sum()).hex(), float(w.sum()).hex())
    """
    wanted = lines(run_ranks(1, text, cut="auto"))
    assert lines(run_ranks(3, text, cut="auto")) == wanted


def test_names_that_are_held_on_one_rank_only(run_ranks):
    text = """
        import tessera, tessera.numpy as np
        x = np.ones((600, 500))
        kept = []
        for k in range(4):
            y = x * 2
            if tessera.rank() == 1: kept.append(y)
            x = y - 1
            del y
        print(float(x.sum()))
    """
    ended = run_ranks(2, text)
    assert ended.returncode != 0 and "which arrays are referenced" in ended.stderr, ended.stderr
