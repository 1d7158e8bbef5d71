"""`tessera jupyter`: kernels in which tessera has settings of its own."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from typing import Any

from tessera.cli.legate_options import devices_named

MARK = "tessera"  # in a kernel's metadata: this command made it


def jupyter(options: argparse.Namespace) -> int:
    """Installs, lists or removes kernels; returns the exit code."""
    try:
        from jupyter_client.kernelspec import KernelSpecManager
    except ImportError:
        return _say("Jupyter is not installed: pip install ipykernel jupyterlab")
    manager = KernelSpecManager()
    if options.list:
        for name, spec in sorted(_installed(manager).items()):
            settings = " ".join(f"{key}={value}" for key, value in sorted(spec.get("env", {}).items()))
            print(f"{name}: {spec.get('display_name', name)} {settings}".rstrip())
        return 0
    if not re.fullmatch(r"[A-Za-z0-9._-]+", options.name):
        return _say(f"--name {options.name}: a kernel's name has letters, digits, . _ - only")
    if options.uninstall:
        if options.name.lower() not in {name.lower() for name in _installed(manager)}:
            return _say(f"--uninstall: tessera installed no kernel {options.name}; --list lists them")
        print(f"removed {manager.remove_kernel_spec(options.name.lower())}")
        return 0
    others = {name.lower(): name for name in manager.find_kernel_specs()}
    if options.name.lower() in others and options.name.lower() not in {each.lower() for each in _installed(manager)}:
        return _say(f"--name {options.name}: there is another kernel of that name, which tessera did not install")
    return _install(manager, options)


def _say(text: str) -> int:
    print(f"tessera jupyter: {text}", file=sys.stderr)
    return 2


def _installed(manager: Any) -> dict[str, dict[str, Any]]:
    """The kernels that this command made."""
    return {
        name: entry["spec"]
        for name, entry in manager.get_all_specs().items()
        if MARK in entry["spec"].get("metadata", {})
    }


def settings(options: argparse.Namespace) -> dict[str, str]:
    """The kernel's variables."""
    found = {}
    if options.cpus is not None:
        found["TESSERA_CPUS"] = str(options.cpus)
    if options.gpus is not None:
        found["TESSERA_DEVICE"] = devices_named(options.gpus)
    if options.fallback is not None:
        found["TESSERA_FALLBACK"] = options.fallback
    return found


def _install(manager: Any, options: argparse.Namespace) -> int:
    try:
        import ipykernel  # noqa: F401
    except ImportError:
        return _say("IPython's kernel is not installed: pip install ipykernel")
    variables = settings(options)
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if "site-packages" not in package.split(os.sep):  # run from a source tree
        known = os.environ.get("PYTHONPATH")
        variables["PYTHONPATH"] = (
            package if not known else os.pathsep.join(dict.fromkeys([package, *known.split(os.pathsep)]))
        )
    said = [
        f"{options.cpus} CPUs" if options.cpus else "",
        "" if options.gpus is None else ("no GPU", "GPU")[options.gpus] if options.gpus < 2 else f"{options.gpus} GPUs",
    ]
    title = ", ".join(filter(None, said))
    spec = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--ext", "tessera"],
        "display_name": options.display_name or (f"tessera ({title})" if title else "tessera"),
        "language": "python",
        "env": variables,
        "metadata": {"debugger": True, MARK: True},
    }
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "kernel.json"), "w", encoding="utf-8") as file:
            json.dump(spec, file, indent=1)
        where = manager.install_kernel_spec(
            folder, options.name, user=options.prefix is None, prefix=options.prefix, replace=True
        )
    print(f"installed {where}")
    return 0
