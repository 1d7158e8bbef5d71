import os
import sysconfig
from pathlib import Path

try:
    from hypothesis import settings
except ImportError:  # tests that need no examples run without it
    pass
else:
    # Each run tries the same examples; --hypothesis-profile=random tries others.
    settings.register_profile("same", derandomize=True, database=None)
    settings.register_profile("random", derandomize=False)
    settings.load_profile("same")


def pytest_addoption(parser):
    parser.addoption("--programs", type=int, default=120, help="how many random programs tests/fuzz runs")
    parser.addoption("--thread-runs", type=int, default=6, help="how often tests of threads run each program")
    parser.addoption("--first-use-runs", type=int, default=3, help="how many processes of tests/process/first_uses.py")
    parser.addoption("--first-program", type=int, default=0, help="the seed of the first")


def pytest_configure(config):
    """With a simulated device for default, its libraries serve from the first call on: one that was missed stays missed."""
    libraries = Path(os.environ.get("TESSERA_BUILD", "build/release")).resolve() / "simulated"
    if "simulated" in os.environ.get("TESSERA_DEVICE", "") and libraries.is_dir():
        from tessera import _toolkit

        _toolkit.folders = lambda: [str(libraries)]

    # The ptxas of the package that tools/requirements.txt names, for tests that assemble PTX.
    ptxas = Path(sysconfig.get_path("platlib"), "nvidia", "cuda_nvcc", "bin")
    if ptxas.is_dir():
        os.environ["PATH"] = f"{ptxas}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
