"""`tessera build-kernels`: CUDA C++ ahead of time."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tessera.errors import CudaSourceError, CudaSupportError


def build(options: argparse.Namespace) -> int:
    """Writes the file; returns the exit code."""
    from tessera.cuda.source.build import build_kernels

    source = Path(options.source)
    output = Path(options.output) if options.output else source.with_suffix(".fatbin")
    architectures = [word for text in options.arch for word in text.split(",") if word]
    passed = [f"-I{source.resolve().parent}", *(f"-I{folder}" for folder in options.include)]
    passed += [*(f"-D{define}" for define in options.define), *options.option]
    try:
        made = build_kernels(
            source.read_text(),
            output,
            architectures=architectures,
            options=passed,
            name_expressions=options.name_expression,
            name=source.name,
        )
    except (CudaSourceError, CudaSupportError, OSError, ValueError) as error:
        print(f"tessera build-kernels: {error}", file=sys.stderr)
        return 1
    print(f"{output}: {output.stat().st_size} bytes, {', '.join(made)}")
    return 0
