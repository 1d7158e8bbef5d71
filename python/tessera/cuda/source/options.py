"""Options of compilers: nvcc's spellings as NVRTC takes them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

# Options whose value may be the next word, and how NVRTC spells them.
_WITH_VALUE = {
    "-I": "-I",
    "--include-path": "-I",
    "-D": "-D",
    "--define-macro": "-D",
    "-U": "-U",
    "--undefine-macro": "-U",
    "-std": "--std=",
    "--std": "--std=",
    "-maxrregcount": "--maxrregcount=",
    "--maxrregcount": "--maxrregcount=",
    "-arch": "-arch=",
    "--gpu-architecture": "-arch=",
    "-Xptxas": "--ptxas-options=",
    "--ptxas-options": "--ptxas-options=",
    "-include": "--pre-include=",
    "--pre-include": "--pre-include=",
    "-diag-suppress": "--diag-suppress=",
    "--diag-suppress": "--diag-suppress=",
}
# Of the host's compiler, of which there is no code: nothing depends on them.
_OF_HOST = re.compile(r"-O[0-3]$|-m64$|--machine=64$|-ccbin=|-Xcompiler=|--compiler-options=|-Xlinker=")
_OF_HOST_WITH_VALUE = ("-ccbin", "-Xcompiler", "--compiler-options", "-Xlinker")
_ARCHITECTURE = re.compile(r"(?:sm|compute)_(\d+)([af]?)$")


@dataclass
class Options:
    """NVRTC's options, and what is read from them."""

    passed: list[str] = field(default_factory=list)
    capability: int = 0  # 0: the device's
    suffix: str = ""
    is_virtual: bool = False  # PTX is asked for, by compute_90
    max_registers: int = 0

    @property
    def defines(self) -> list[str]:
        return [option[2:] for option in self.passed if option.startswith("-D")]


def parse(options: Iterable[str]) -> Options:
    """Raises ValueError for what no source here can be compiled with."""
    found = Options()
    words = [word for option in options for word in _split(option)]
    while words:
        word = words.pop(0)
        name, equal, value = word.partition("=")
        if word in _OF_HOST_WITH_VALUE:
            words[:1] = []
        elif _OF_HOST.match(word):
            continue
        elif word in _WITH_VALUE:
            if not words:
                raise ValueError(f"the option {word} has no value")
            _add(found, _WITH_VALUE[word], words.pop(0))
        elif equal and name in _WITH_VALUE:
            _add(found, _WITH_VALUE[name], value)
        elif word.startswith(("-I", "-D", "-U")):
            _add(found, word[:2], word[2:])
        elif name in ("-gencode", "--generate-code", "-code", "--gpu-code"):
            raise ValueError(
                f"the option {word}: a source is compiled for one architecture; `tessera build-kernels` makes files for many, which RawModule(path=) loads"
            )
        elif word in (
            "-c",
            "-o",
            "--fatbin",
            "-fatbin",
            "--cubin",
            "-cubin",
            "--ptx",
            "-ptx",
            "-dc",
            "--keep",
            "-keep",
        ):
            raise ValueError(f"the option {word} says what nvcc writes; nothing is written here")
        else:
            found.passed.append(word)
    return found


def _split(option: str) -> list[str]:
    """`-I /path/x` in one string is two words; a path with blanks stays one."""
    if not isinstance(option, str):
        raise TypeError(f"options are strings, not {type(option).__name__}")
    name, blank, rest = option.strip().partition(" ")
    known = name in _WITH_VALUE or name in _OF_HOST_WITH_VALUE
    return [name, rest.strip()] if blank and known else [option.strip()] if option.strip() else []


def _add(found: Options, spelling: str, value: str) -> None:
    if spelling == "-arch=":
        matched = _ARCHITECTURE.match(value)
        if not matched:
            raise ValueError(f"the architecture {value!r}: give one such as sm_90 or compute_80")
        found.capability, found.suffix = int(matched[1]), matched[2]
        found.is_virtual = value.startswith("compute")
        return
    if spelling == "-I":
        value = os.path.abspath(os.path.expanduser(value))
    if spelling == "--maxrregcount=":
        found.max_registers = int(value)
    found.passed.append(spelling + value)
