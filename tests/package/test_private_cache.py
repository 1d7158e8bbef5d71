"""Code is loaded from nowhere that another user could have written: an object that was planted in the cache stays unread."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import pytest
import tessera.numpy as tnp

import tessera
from tessera import _core

ANOTHER = 65534  # a user that is not this one
MAGIC = b"tessera object 1\n"
MASK = 2**64 - 1
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")


def checksum(body):
    """The hash that an object's file begins with; see base/object_cache.cpp."""
    state = 0x2545F4914F6CDD1D

    def add(state, word):
        state = (state ^ word) * 0x9E3779B97F4A7C15 & MASK
        return state ^ state >> 32

    whole = len(body) // 8 * 8
    for at in range(0, whole, 8):
        state = add(state, int.from_bytes(body[at : at + 8], "little"))
    for byte in body[whole:]:
        state = add(state, byte)
    return b"%016x" % add(state, len(body) - whole)


def split(content):
    """An object's file as key and object."""
    body = content[len(MAGIC) + 16 :]
    length = int(body[:16], 16)
    return body[16 : 16 + length], body[16 + length :]


def pack(key, code):
    body = b"%016x" % len(key) + key + code
    return MAGIC + checksum(body) + body


def add_twice():
    a = tnp.arange(5000.0)
    return float((a * 2 + a)[3])


def subtract():
    a = tnp.arange(5000.0)
    return float((a * 2 - a)[3])


RIGHT, PLANTED = 9.0, 3.0  # of add_twice, and with the code of subtract in the place of its own


@pytest.fixture
def use(tmp_path):
    """Runs a program with a folder as its cache; kernels are compiled, or loaded, at their first run."""
    before = _core.options()

    def use(folder, program=add_twice):
        _core.options(compile="before_quick", cache_folder="")
        _core.options(compile="before_quick", cache_folder=str(folder))
        with tessera.device("cpu"):
            return program()

    yield use
    _core.options(**before)


@pytest.fixture
def planted(tmp_path, use):
    """A folder whose one object has the key of one program and the code of another, and the object's file."""
    folder = tmp_path / "parent" / "cache"
    contents = []
    for program in (add_twice, subtract):
        use(folder, program)
        (path,) = folder.iterdir()
        contents.append(path.read_bytes())
        path.unlink()
        if program is add_twice:
            name = path.name
    assert pack(*split(contents[0])) == contents[0]
    path = folder / name
    path.write_bytes(pack(split(contents[0])[0], split(contents[1])[1]))
    path.chmod(0o600)
    assert (folder.stat().st_mode & 0o777, folder.parent.stat().st_mode & 0o777) == (0o700, 0o700)
    return folder, path


def test_an_object_in_a_private_folder_is_loaded(planted, use):
    """What makes the tests below tell something: the planted code is as good as the folder it lies in."""
    with warnings.catch_warnings(record=True) as said:
        assert use(planted[0]) == PLANTED
    assert not said


def replace_by_link(path):
    target = path.with_name(path.name + ".target")
    path.rename(target)
    path.symlink_to(target)


def link_hard(folder, path):
    os.link(path, folder.parent / "other_name")


WAYS = {
    "the folder is another user's": lambda folder, path: os.chown(folder, ANOTHER, -1),
    "the group may write the folder": lambda folder, path: folder.chmod(0o770),
    "everyone may write the folder": lambda folder, path: folder.chmod(0o777),
    "everyone may add to the folder": lambda folder, path: folder.chmod(0o1777),
    "the folder is a symbolic link": lambda folder, path: replace_by_link(folder),
    "everyone may replace the folder": lambda folder, path: folder.parent.chmod(0o777),
    "the folder above is another user's": lambda folder, path: os.chown(folder.parent, ANOTHER, -1),
    "the file is another user's": lambda folder, path: os.chown(path, ANOTHER, -1),
    "the group may write the file": lambda folder, path: path.chmod(0o660),
    "everyone may write the file": lambda folder, path: path.chmod(0o666),
    "the file is a symbolic link": lambda folder, path: replace_by_link(path),
    "the file has a second name": link_hard,
}


@pytest.mark.parametrize("way", [pytest.param(way, marks=needs_root if "user's" in way else ()) for way in WAYS])
def test_a_planted_object_is_not_loaded(planted, use, way):
    folder, path = planted
    WAYS[way](folder, path)
    with pytest.warns(RuntimeWarning, match="so others could put code of theirs") as said:
        assert use(folder) == RIGHT
        assert use(folder) == RIGHT
    assert len(said) == 1
    assert "TESSERA_CACHE" in str(said[0].message) and str(folder) in str(said[0].message)


@needs_root
def test_a_link_of_another_user_is_not_followed(planted, use):
    folder, _ = planted
    link = folder.parent.with_name("link")
    link.symlink_to(folder.parent)
    os.chown(link, ANOTHER, -1, follow_symlinks=False)
    with pytest.warns(RuntimeWarning, match=f"link is a symbolic link of user {ANOTHER}"):
        assert use(link / folder.name) == RIGHT


def test_what_was_planted_is_replaced(planted, use):
    folder, path = planted
    path.chmod(0o666)
    with pytest.warns(RuntimeWarning):
        assert use(folder) == RIGHT
    assert path.stat().st_mode & 0o777 == 0o600
    assert use(folder) == RIGHT


def run(code, **variables):
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in ("TESSERA_CACHE", "XDG_CACHE_HOME", "TESSERA_BLAS")
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=env | {"TESSERA_DEVICE": "cpu"} | variables, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done


PROGRAM = """
import tessera.numpy as np
from tessera import _core
_core.options(compile="before_quick")
a = np.arange(5000.0)
print(float((a * 2 + a)[3]), float((a * 3 - a)[3]))
"""


@pytest.mark.parametrize("variable", ["TESSERA_CACHE", "XDG_CACHE_HOME", "HOME"])
def test_the_folders_that_variables_name_are_checked(tmp_path, variable):
    tmp_path.chmod(0o777)
    done = run(PROGRAM, **{variable: str(tmp_path / "below")})
    assert done.stdout == "9.0 6.0\n"
    assert done.stderr.count("so others could put code of theirs") == 1
    assert f"{tmp_path} may be written by everyone (mode 0777)" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_relative_cache_home_is_ignored(tmp_path):
    done = run(
        "import tessera.numpy; from tessera import _core; print(_core.options()['cache_folder'])",
        XDG_CACHE_HOME="relative",
        HOME=str(tmp_path),
    )
    assert done.stdout.strip() == str(tmp_path / ".cache" / "tessera")


def test_the_doctor_names_a_folder_that_is_not_used(tmp_path):
    tmp_path.chmod(0o777)
    env = os.environ | {"TESSERA_CACHE": str(tmp_path / "cache"), "TESSERA_DEVICE": "cpu"}
    done = subprocess.run([sys.executable, "-m", "tessera", "doctor"], env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert "problem: " + str(tmp_path) in done.stdout


def test_a_library_that_others_may_write_is_not_opened(tmp_path):
    """Its code would leave a file behind as soon as it is loaded."""
    source, library, mark = tmp_path / "code.c", tmp_path / "libplanted.so", tmp_path / "mark"
    source.write_text(f"""
        #include <fcntl.h>
        __attribute__((constructor)) static void run(void) {{ open("{mark}", O_CREAT | O_WRONLY, 0600); }}
    """)
    subprocess.run(["clang-19", "-shared", "-fPIC", "-o", library, source], check=True)
    program = "import tessera.numpy as np; a = np.ones((64, 64)); a = np.asarray(a @ a); print(float(a[0, 0]))"
    library.chmod(0o777)
    done = run(program, TESSERA_BLAS=str(library), NVTX_INJECTION64_PATH=str(library))
    assert done.stdout == "64.0\n"
    assert not mark.exists()
    assert f"{library} may be written by everyone (mode 0777)" in done.stderr
    library.chmod(0o755)
    assert run(program, NVTX_INJECTION64_PATH=str(library)).stdout == "64.0\n"
    assert mark.exists()
