"""Where host or device is chosen: by one function of the engine, asked where the engine runs an operation, and nowhere else.

`WorkingSets::choose` may be called in CHOICE only, and what leads there only in the files of ASKED. All other code neither chooses nor
asks: questions about devices are errors there, except in code that shares memory, streams or facts of a device with its caller, or that can run on a device alone.

In Python the same holds of `runs_on_host`, which only the modules of HOST_FORMS ask, as often as stands there, to choose a form of their own
computation, and of other questions. Surfaces that show or set devices, or whose kernels are for devices, may ask all.
"""

import io
import pathlib
import re
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE, PYTHON = ROOT / "src" / "tessera", ROOT / "python" / "tessera"
CHOICE = "engine/device/placement/choose.cpp"
ASKED = {
    "place_plan": ["engine/execute.cpp"],
    "place_call": [
        "engine/call/run_call.cpp",
        "engine/call/launch_kernel.cpp",
        "engine/requests.cpp",
        "engine/state.cpp",
    ],
    "place_launch": ["engine/call/launch_kernel.cpp"],
    "place_launches": ["engine/user_streams.cpp"],
}
PLACEMENT = "engine/device/placement/"
SHARING = (
    "engine/",
    "plan/cost_model.cpp",
    "plan/place.cpp",
    "plan/working_sets.cpp",
    "runtime/",
    "bind/interop/",
    "bind/engine/",
    "bind/kernel/launch/streams.cpp",
    "bind/networks/array_calls.cpp",  # rows become arrays only where a device may read them; the engine chooses
    "bind/source/",
)
QUESTION = re.compile(
    r"\b(?:would_choose|may_choose|is_chosen_for|chosen_device|device_of\w*|device_here|for_streams|may_leave_host|leaves_host)\("
    r"|\b(?:window|own\(\))\.(?:target|choice)\b"
    r"|\bPlacementLimits::"
)
# How often each module asks whether its kernels run on the host; a module that no longer does goes from here.
HOST_FORMS = {
    "functions/guvectorize.py": 1,  # loops over elements there, a kernel on a device
    "scipy/signal/_compilation.py": 1,  # kernels for a device are compiled in advance
    "scipy/signal/_direct.py": 2,  # how many frequencies and series are computed at once
    "scipy/signal/_frequencies.py": 1,  # array operations there, a kernel on a device
}
PYTHON_QUESTION = re.compile(r"\b_core\.(?:device|devices|set_device|device_limit|set_device_limit|to_device)\(")
PYTHON_SHARING = ("_devices.py", "cli/", "cuda/", "pycuda/", "graphs/", "legate/")


def lines_of(path):
    """The file's lines with their numbers, without comments."""
    return [(number, line.split("//")[0]) for number, line in enumerate(path.read_text().splitlines(), 1)]


def problems(name, lines):
    """What the file asks or chooses that it may not."""
    for number, line in lines:
        if re.search(r"\bsets_.choose\(", line) and name != CHOICE and not name.startswith("bind/interop/"):
            yield f"{name}:{number}: sets_.choose outside of {CHOICE}: {line.strip()}"
        for function, files in ASKED.items():
            if re.search(rf"\b{function}\(", line) and name not in files and not name.startswith(PLACEMENT):
                yield f"{name}:{number}: {function} outside of {', '.join(files)}: {line.strip()}"
        if QUESTION.search(line) and not name.startswith(SHARING):
            yield f"{name}:{number}: a device is asked about outside of the engine: {line.strip()}"


def lines_of_python(path):
    """The lines with their numbers, without comments and texts."""
    lines = {}
    for token in tokenize.generate_tokens(io.StringIO(path.read_text()).readline):
        if token.type in (tokenize.NAME, tokenize.OP):
            lines[token.start[0]] = lines.get(token.start[0], "") + token.string
    return list(lines.items())


def python_problems(name, lines):
    asked = [number for number, line in lines if re.search(r"(?<!\w)runs_on_host\(", line)]
    if len(asked) != HOST_FORMS.get(name, 0) and not name.startswith(PYTHON_SHARING):
        yield (
            f"{name}: asks runs_on_host {len(asked)} times (lines {', '.join(map(str, asked)) or 'none'}), "
            f"{HOST_FORMS.get(name, 0)} in HOST_FORMS"
        )
    for number, line in lines:
        if PYTHON_QUESTION.search(line) and not name.startswith(PYTHON_SHARING):
            yield f"{name}:{number}: a device is asked about outside of what shows or sets devices: {line}"


def main():
    found = []
    for path in sorted(PYTHON.rglob("*.py")):
        name = str(path.relative_to(PYTHON))
        found += python_problems(name, lines_of_python(path))
    found += [f"{name}: in HOST_FORMS, and not there" for name in HOST_FORMS if not (PYTHON / name).exists()]
    for path in sorted(SOURCE.rglob("*.cpp")):
        if not path.stem.endswith("_test") and path.parent.parent.name != "tests":
            name = str(path.relative_to(SOURCE))
            found += problems(name, lines_of(path))
    calls = sum(len(re.findall(r"\bsets_.choose\(", line)) for _, line in lines_of(SOURCE / CHOICE))
    if calls != 1:
        found.append(f"{CHOICE}: sets_.choose is called {calls} times, not once")
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
