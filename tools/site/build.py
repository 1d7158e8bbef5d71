"""Builds the documentation site in build/site: python tools/site/build.py [--clean]. Nothing is loaded from elsewhere."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCE = ROOT / "build" / "site-source"
OUT = ROOT / "build" / "site"
# What becomes pages: (folder or file of the repository, where it is in the site's sources).
PAGES = [
    *((name, name) for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    ("docs", "docs"),
    ("docs/site/index.md", "index.md"),
    ("docs/site/_static", "_static"),
    ("docs/gallery", "gallery_sources"),
    ("bench", "bench"),
    ("examples/notebooks", "examples/notebooks"),
]
KINDS = {".md", ".py", ".css", ".svg", ".png", ".ipynb", ".rst", ".json", ".txt"}


def copy(path, target):
    """Copies a file where it differs, so that a second build reads only what changed."""
    if target.exists() and target.read_bytes() == path.read_bytes():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, target)


def collect():
    """The site's sources in build/site-source, and nothing else there but what Sphinx generates."""
    kept = set()
    for origin, place in PAGES:
        path = ROOT / origin
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            inner = file.relative_to(path)
            if (
                file.suffix not in KINDS
                or "__pycache__" in file.parts
                or (origin == "docs" and inner.parts[0] in ("site", "gallery"))
            ):
                continue
            target = SOURCE / place / inner if path.is_dir() else SOURCE / place
            if origin == "bench" and file.suffix != ".md":
                continue
            copy(file, target)
            kept.add(target)
    for file in SOURCE.rglob("*.md"):
        if file not in kept:
            file.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clean", action="store_true", help="build everything anew")
    parser.add_argument("--jobs", default=str(min(2, os.cpu_count() or 1)))
    parser.add_argument("--without-gallery", action="store_true", help="do not run the gallery's programs")
    args = parser.parse_args()
    if args.clean:
        shutil.rmtree(SOURCE, ignore_errors=True)
        shutil.rmtree(OUT, ignore_errors=True)
    collect()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(ROOT / "examples")])}
    subprocess.run([sys.executable, str(HERE / "reference.py"), str(SOURCE)], check=True, env=environment)
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-j", args.jobs]
    command += ["-c", str(ROOT / "docs" / "site"), "-d", str(ROOT / "build" / "site-doctrees"), str(SOURCE), str(OUT)]
    if args.without_gallery:
        command += ["-D", "plot_gallery=0"]
    subprocess.run(command, check=True, env=environment)
    subprocess.run([sys.executable, str(HERE / "links.py"), str(OUT)], check=True)
    print(f"{OUT.relative_to(ROOT)}/index.html")


if __name__ == "__main__":
    main()
