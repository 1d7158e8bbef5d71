"""Which of CUDA's libraries do not work with the driver or with each other, and the command that mends it."""

from __future__ import annotations

import glob
import json
import os
import re
import signal
import subprocess
import sys
from typing import Any

from tessera import _toolkit

# The packages of a library: of CUDA 13 and 12 on PyPI, and on conda-forge.
PACKAGES = {
    "cublas": ("nvidia-cublas>=13,<14", "nvidia-cublas-cu12", "libcublas"),
    "cublasLt": ("nvidia-cublas>=13,<14", "nvidia-cublas-cu12", "libcublas"),
    "cufft": ("nvidia-cufft>=12,<13", "nvidia-cufft-cu12", "libcufft"),
    "cusolver": ("nvidia-cusolver>=12,<13", "nvidia-cusolver-cu12", "libcusolver"),
    "cusparse": ("nvidia-cusparse>=12,<13", "nvidia-cusparse-cu12", "libcusparse"),
    "nvrtc": ("nvidia-cuda-nvrtc>=13,<14", "nvidia-cuda-nvrtc-cu12", "cuda-nvrtc"),
    "nvfatbin": ("nvidia-nvfatbin>=13,<14", "nvidia-nvfatbin-cu12", "libnvfatbin"),
    "nvJitLink": ("nvidia-nvjitlink>=13,<14", "nvidia-nvjitlink-cu12", "libnvjitlink"),
}
# Names of shared objects that say nothing of CUDA's version by their own number.
CUDA_12 = {"cufft": 11, "cusolver": 11}
SECONDS = 120


def mend(stem: str, origin: str, driver_version: int) -> str:
    """The command that installs a library that fits the driver."""
    for_13, for_12, conda = PACKAGES[stem]
    if origin == "conda":
        return f"conda install --force-reinstall {conda} cuda-version={driver_version // 1000}"
    return f"pip install --upgrade --force-reinstall '{for_13 if driver_version >= 13000 else for_12}'"


def problems_of(libraries: list[dict[str, str]], driver_version: int, capability: int) -> list[str]:
    """What is wrong with the libraries that the engine found, or did not find, each with its command."""
    found = {_stem(library): library for library in libraries}
    problems = []
    for stem, library in found.items():
        if library["problem"]:
            problems.append(_why_missing(stem, library, driver_version))
    there = {stem: library for stem, library in found.items() if library["path"]}
    for stem, said in _start(there, capability).items():
        library = there[stem]
        what = f"{library['title']} {library['version']} ({library['path']}) "
        command = f"{mend(stem, library['origin'], driver_version)}. The driver supports CUDA {_text(driver_version)}"
        if "error" in said:
            problems.append(
                f"{what}does not load: {said['error']}: {_blame(said['error'], stem, library, driver_version)}"
            )
        elif stem == "nvrtc" and said.get("status") == 5:
            problems.append(f"{what}does not compile for this GPU, sm_{capability}: {command}")
        elif said.get("status", 0):
            problems.append(f"{what}does not start (status {said['status']}): {command}")
        elif "ended" in said:
            problems.append(f"{what}ends the process when it starts ({said['ended']}): {command}")
    return problems


def _stem(library: dict[str, str]) -> str:
    return library["title"].lower()


def _text(driver_version: int) -> str:
    return f"{driver_version // 1000}.{driver_version % 1000 // 10}"


def _why_missing(stem: str, library: dict[str, str], driver_version: int) -> str:
    """The engine's own words, unless a library for another version of CUDA or one that it needs is the reason."""
    message = library["problem"]
    newer = [path for path in _files(stem) if _cuda_of(stem, path) > driver_version // 1000]
    if "was not found" in message and newer:
        cuda = _cuda_of(stem, newer[0])
        return (
            f"{library['title']} is for CUDA {cuda} ({newer[0]}), the driver supports CUDA {_text(driver_version)}: "
            f"{mend(stem, '', driver_version)}, or update the driver"
        )
    blamed = _blame(message, stem, library, driver_version)
    return f"{message}. {blamed}" if blamed != mend(stem, library["origin"], driver_version) else message


def _blame(message: str, stem: str, library: dict[str, str], driver_version: int) -> str:
    """The command for the library that a message of the loader names last: one it needs that is missing or of another version."""
    named = re.findall(r"version lib(\w+)\.so|lib(\w+)\.so[.\d]*: cannot open", message)
    stems = [each for pair in named for each in pair if each in PACKAGES]
    return mend(stems[-1] if stems else stem, library["origin"], driver_version)


def _files(stem: str) -> list[str]:
    return sorted(path for folder in _toolkit.folders() for path in glob.glob(f"{glob.escape(folder)}/lib{stem}.so.*"))


def _cuda_of(stem: str, path: str) -> int:
    """The major version of CUDA that a library is of, by its file's name."""
    number = int(path.rsplit(".so.", 1)[1].split(".")[0])
    return 12 + number - CUDA_12.get(stem, 12)


def _start(libraries: dict[str, dict[str, str]], capability: int) -> dict[str, dict[str, Any]]:
    """What each says when it starts, all in one process as in the engine; after one that ends it, the rest in another."""
    script = os.path.join(os.path.dirname(__file__), "start_libraries.py")
    said: dict[str, dict[str, Any]] = {}
    while rest := {stem: library for stem, library in libraries.items() if stem not in said}:
        words = [word for stem, library in rest.items() for word in (stem, library["path"])]
        command = [sys.executable, "-I", "-S", script, str(capability), *words]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
            output, ended = done.stdout, _ending(done.returncode)
        except subprocess.TimeoutExpired as error:
            output, ended = (error.stdout or b"").decode(), f"not within {SECONDS} s"
        begun = len(said)
        for line in output.splitlines():
            if line.startswith("{"):
                entry = json.loads(line)
                said[entry["stem"]] = entry
        if len(said) == begun:
            said[next(iter(rest))] = {"ended": ended}
        elif len(said) < len(libraries) or not {"status", "error"} & set(entry):
            entry["ended"] = ended
    return said


def _ending(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
