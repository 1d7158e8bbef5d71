"""C++ is formatted by clang-format, Python by ruff, and ruff's chosen rules hold; --fix formats instead of complaining."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = pathlib.Path(sys.executable).parent  # the environment's: tools/requirements.txt pins their versions
CPP = {".c", ".cpp", ".h"}
LINE = 120  # columns; what a formatter cannot break, such as a long string, may be longer in Python


def tracked():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for line in listed.splitlines() if (path := ROOT / line).exists()]


def run(*command):
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode == 0


def main():
    fixes = "--fix" in sys.argv[1:]
    files = [path for path in tracked() if path.suffix in CPP]
    if fixes:
        done = [
            run(TOOLS / "clang-format", "-i", *files),
            run(TOOLS / "ruff", "check", "--quiet", "--fix", "."),
            run(TOOLS / "ruff", "format", "--quiet", "."),
        ]
    else:
        done = [
            run(TOOLS / "clang-format", "--dry-run", "-Werror", *files),
            run(TOOLS / "ruff", "check", "--quiet", "."),
            run(TOOLS / "ruff", "format", "--quiet", "--check", "."),
        ]
    for path in files:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if len(line) > LINE:
                print(f"{path.relative_to(ROOT)}:{number}: {len(line)} columns, more than {LINE}")
                done.append(False)
    if not all(done):
        print("make format mends most of this")
        sys.exit(1)


if __name__ == "__main__":
    main()
