"""TESSERA_CUDA_CHECK and CUDA C++: each planted fault is named with its line, sound kernels pass."""

import json
import os
import re
import subprocess
import sys

import faulty_sources
import pytest
import sound_sources
from tessera.cuda.source import clang

pytestmark = pytest.mark.skipif(clang.find() is None, reason=f"no clang {clang.OLDEST} to {clang.NEWEST} is found")

# The setting is read when tessera.cuda is imported.
PROGRAM = """
import json, sys
import numpy as np
from tessera import cuda, errors
found = {}
for name, (code, blocks) in json.load(open(sys.argv[1])).items():
    x, out = np.arange(64, dtype="f4"), np.zeros(65, "f4")
    try:
        cuda.RawKernel(code, sys.argv[2])((blocks,), (64,), (x, out, np.int32(64)))
        found[name] = [out.tolist()]
    except errors.KernelFaultError as error:
        found[name] = list(error.faults)
print(json.dumps(found))
"""


def run(folder, sources, kernel, check="1"):
    path = folder / "sources.json"
    path.write_text(json.dumps(sources))
    environment = {**os.environ, "TESSERA_CUDA_CHECK": check}
    command = [sys.executable, "-c", PROGRAM, str(path), kernel]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def faults(tmp_path_factory):
    sources = {
        name: (faulty_sources.HEAD + body + "}\n", blocks) for name, (_, blocks, body) in faulty_sources.FAULTS.items()
    }
    return run(tmp_path_factory.mktemp("faulty"), sources, "faulty")


def test_there_are_thirty_of_each():
    assert len(faulty_sources.FAULTS) >= 30 and len(sound_sources.KERNELS) >= 30


@pytest.mark.parametrize("name", faulty_sources.FAULTS)
def test_a_planted_fault_is_named_with_its_line(name, faults):
    wanted, blocks, body = faulty_sources.FAULTS[name]
    text = faulty_sources.HEAD + body
    marked = {k + 1 for k, line in enumerate(text.splitlines()) if line.endswith("// <-")}
    found = [fault for fault in faults[name] if isinstance(fault, str) and wanted in fault]
    assert found, faults[name]
    for fault in found:
        assert re.search(r"thread \(\d+, 0, 0\) of block \(\d, 0, 0\)", fault), fault
    named = {int(line) for fault in found for line in re.findall(r"line (\d+) of faulty\.cu", fault)}
    assert marked <= named, found


def test_a_sound_kernel_passes_and_computes_the_same(tmp_path):
    sources = {name: (sound_sources.HEAD + body + "}\n", 1) for name, body in sound_sources.KERNELS.items()}
    checked, plain = run(tmp_path, sources, "sound"), run(tmp_path, sources, "sound", "0")
    accused = {name: faults for name, faults in checked.items() if isinstance(faults[0], str)}
    assert not accused
    assert checked == plain


def test_a_fault_names_the_variable_its_index_and_what_it_has(faults):
    assert faults["reads_behind_the_end"][0] == (
        "read out of bounds: x[64] of 4 bytes in x, which has 256, by thread (63, 0, 0) of block (0, 0, 0) in line 4 of faulty.cu"
    )
    assert "s[63]" in faults["writes_behind_shared"][0] and "a[32]" in faults["writes_into_the_next_shared_array"][0]
