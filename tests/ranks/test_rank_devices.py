"""Ranks of which each computes with a device: the bits of one process on its cores, whatever the device cannot do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from test_rank_loops import LOOPS
from test_rank_programs import RANDOM

import tessera

TESTS = os.path.dirname(os.path.dirname(__file__))


def lines(ended):
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


@pytest.fixture(params=["simulated", "gpu"])
def on_devices(run_ranks, request):
    if request.param == "gpu" and not tessera.devices():
        pytest.skip("there is no GPU")

    def run(*words, **options):
        return run_ranks(*words, TESSERA_DEVICE=request.param, **options)

    run.device = request.param
    return run


def alone(text, tmp_path, arguments):
    program = tmp_path / "alone.py"
    program.write_text(text)
    return lines(subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True, timeout=240))


@pytest.mark.parametrize("more", [[], ["routines"]])
def test_random_programs_have_the_bits_of_one_process(on_devices, tmp_path, more):
    if more and on_devices.device == "gpu":
        pytest.skip("vendors' libraries have bits of their own")
    arguments = [TESTS, "0", "60", "3", *more]
    wanted = alone(RANDOM, tmp_path, arguments)
    for count in (2, 3):
        assert lines(on_devices(count, RANDOM, arguments=arguments)) == wanted


def test_random_loops_have_the_bits_of_one_process(on_devices, tmp_path):
    arguments = [TESTS, "0", "20"]
    assert lines(on_devices(2, LOOPS, arguments=arguments)) == alone(LOOPS, tmp_path, arguments)


def test_places_are_named_by_their_devices(on_devices):
    text = """
        import tessera, tessera.numpy as np
        x = np.ones((600, 500)) * 2
        tessera.synchronize()
        print(*tessera.layout(x), float(x.sum()))
    """
    count = max(1, len(tessera.devices()))
    names = [f"gpu:{rank % count}" if on_devices.device == "gpu" else "simulated" for rank in range(2)]
    assert lines(on_devices(2, text)) == [f"rank 0: {names[0]} rank 1: {names[1]} 600000.0"]


def test_some_ranks_may_have_a_device_and_others_none(run_ranks, tmp_path):
    text = """
        import tessera, tessera.numpy as np
        x = np.arange(100_000.0)
        y = x * 2
        tessera.synchronize()
        print(*tessera.layout(y), float(y.sum()), float(np.cumsum(x)[-1]), float((y + y[::-1]).min()))
    """
    one = "import os, sys; os.environ['TESSERA_RANK_DEVICE'] = 'cpu' if os.environ['PMI_RANK'] == '0' else 'simulated'"
    (tmp_path / "sitecustomize.py").write_text(one)
    path = os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]])
    said = lines(run_ranks(2, text, PYTHONPATH=path))
    assert said == ["rank 0: cpu rank 1: simulated 9999900000.0 4999950000.0 199998.0"]


def test_warnings_of_what_a_device_saw_come_on_all_ranks(on_devices):
    text = """
        import tessera, numpy, warnings, tessera.numpy as np
        a = np.asarray(numpy.arange(30_000.0)[::-1].copy())
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            largest = float((1 / a).max())
        print(tessera.rank(), largest, sorted({(str(w.message), w.lineno) for w in seen}))
    """
    said = sorted(lines(on_devices(2, text, "--output", "all")))
    assert said == [
        f"{before}{rank} inf [('divide by zero encountered in divide', 6)]" for rank, before in enumerate(["", "[1] "])
    ]


def test_routines_without_code_for_the_device_run_on_copies(on_devices):
    text = """
        import numpy, tessera.numpy as np
        from tessera import _core
        v = numpy.random.default_rng(1).random((300, 400))
        a = np.asarray(v) + 1
        assert (numpy.asarray(np.sort(a, axis=1)) == numpy.sort(v + 1, axis=1)).all()
        assert (numpy.asarray(np.sort(a.ravel())) == numpy.sort((v + 1).ravel())).all()
        assert (numpy.asarray(np.cumsum(a.ravel() * 64 // 1)) == numpy.cumsum((v + 1).ravel() * 64 // 1)).all()
        assert (numpy.asarray(np.unique(a.ravel() * 10 // 1)) == numpy.unique((v + 1).ravel() * 10 // 1)).all()
        numpy.testing.assert_allclose(numpy.asarray(np.fft.rfft(a, axis=1)), numpy.fft.rfft(v + 1, axis=1))
        numpy.testing.assert_allclose(numpy.asarray(a @ a.T), (v + 1) @ (v + 1).T)
        drawn = np.random.default_rng(3).standard_normal(50_000) + 0
        assert (numpy.asarray(drawn) == numpy.random.default_rng(3).standard_normal(50_000)).all()
        gamma = np.random.default_rng(3).gamma(2.0, size=50_000) + 0
        assert (numpy.asarray(gamma) == numpy.random.default_rng(3).gamma(2.0, size=50_000)).all()
        print("equal")
    """
    assert lines(on_devices(3, text)) == ["equal"]


def test_messages_are_longer_than_what_is_kept_free_for_them(on_devices):
    text = """
        import numpy, tessera.numpy as np
        n = 6_000_000  # 24 MB from each place to the other
        x = np.arange(n) * 1.0
        y = x + x[::-1]
        for _ in range(3):
            y = y[::-1] + x
        wanted = numpy.arange(n) * 1.0
        z = wanted + wanted[::-1]
        for _ in range(3):
            z = z[::-1] + wanted
        assert (numpy.asarray(y) == z).all()
        print("equal")
    """
    assert lines(on_devices(2, text)) == ["equal"]


def test_a_rank_without_a_gpu_is_refused(run_ranks):
    ended = run_ranks(2, "print(1)", "--gpus", "1", CUDA_VISIBLE_DEVICES="")
    assert ended.returncode != 0 and "this node has no GPU for its ranks: --gpus 0" in ended.stderr
