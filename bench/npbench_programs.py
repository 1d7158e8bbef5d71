"""NPBench's programs, sources untouched, from a checkout: their arguments, what they compute, and whether that is right.

https://github.com/spcl/npbench; `git archive HEAD bench_info npbench/benchmarks` of a clone has all that is needed.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from types import ModuleType

import numpy


def names_in(folder):
    """The programs with a NumPy form, in alphabetical order."""
    stems = [path.stem for path in sorted(Path(folder, "bench_info").glob("*.json"))]
    return [stem for stem in stems if os.path.exists(Program(folder, stem).source)]


def _flat(result):
    """The arrays and numbers of what a program returns."""
    if isinstance(result, (tuple, list)):
        return [part for whole in result for part in _flat(whole)]
    return [] if result is None else [result]


class Program:
    """One of NPBench's programs."""

    def __init__(self, folder, name):
        self.name = name
        self.info = json.loads(Path(folder, "bench_info", f"{name}.json").read_text())["benchmark"]
        self._stem = Path(folder, "npbench", "benchmarks", self.info["relative_path"], self.info["module_name"])
        self.source = f"{self._stem}_numpy.py"
        self.values = {}

    def initialise(self, preset):
        """Makes the arguments by the program's own function, with NumPy."""
        self.values = dict(self.info["parameters"][preset])
        init = self.info.get("init")
        if not init:
            return
        module = {"__name__": self.info["module_name"]}
        path = f"{self._stem}.py"
        exec(compile(Path(path).read_text(), path, "exec"), module)
        made = module[init["func_name"]](*(self.values[name] for name in init["input_args"]))
        outputs = init["output_args"]
        self.values.update(zip(outputs, made) if len(outputs) > 1 else [(outputs[0], made)])

    def function(self, redirected):
        """The program, executed with NumPy or with `import numpy` meaning tessera.numpy as `tessera run --numpy` has it."""
        code = compile(Path(self.source).read_text(), self.source, "exec")
        module = ModuleType(self.info["module_name"])
        if redirected:
            from tessera.cli import redirect

            redirect.replace("numpy")
            redirect.run_code(code, module.__dict__)
            if (found := vars(module).get("np")) is numpy:
                raise RuntimeError(f"{self.name} runs with {found.__name__} itself")
        else:
            exec(code, module.__dict__)
        return getattr(module, self.info["func_name"])

    def _arguments(self, convert):
        """Those of a call by name, arrays converted."""
        values = {name: self.values[name] for name in self.info["input_args"]}
        values.update((name, convert(value)) for name, value in values.items() if isinstance(value, numpy.ndarray))
        return values

    def _outputs(self, result, values):
        """What a call returned, then the arguments that it wrote."""
        return _flat(result) + [values[name] for name in self.info.get("output_args", ())]

    def in_numpy(self, function):
        """A call's seconds and results; copies of arguments are made before."""
        values = self._arguments(numpy.copy)
        start = time.perf_counter()
        result = function(*values.values())
        spent = time.perf_counter() - start
        return spent, [numpy.asarray(value) for value in self._outputs(result, values)]

    def in_tessera(self, function):
        """The same with arguments that become tessera's and results that become NumPy's within the time."""
        from tessera.numpy import array

        start = time.perf_counter()
        values = self._arguments(array)
        results = [numpy.asarray(value) for value in self._outputs(function(*values.values()), values)]
        return time.perf_counter() - start, results

    def difference(self, expected, got):
        """What is wrong with the results, None if nothing; by NPBench's rule."""
        if len(expected) != len(got):
            return f"{len(got)} results for {len(expected)}"
        for index, (right, value) in enumerate(zip(expected, got)):
            if right.shape != value.shape:
                return f"result {index} has shape {value.shape} for {right.shape}"
            if numpy.allclose(right, value, self.info.get("rtol", 1e-5), self.info.get("atol", 1e-8), equal_nan=True):
                continue
            error = numpy.linalg.norm(right - value) / numpy.linalg.norm(right)
            if not error < self.info.get("norm_error", 1e-5):
                return f"result {index} is off by {error:.2g}"
        return None


def reference(program, folder):
    """NumPy's results, computed once for all processes that share the folder."""
    path = Path(folder, f"{program.name}.npz")
    if path.exists():
        with numpy.load(path) as stored:
            return [stored[f"arr_{index}"] for index in range(len(stored.files))]
    results = program.in_numpy(program.function(False))[1]
    store(results, program, folder)
    return results


def store(results, program, folder):
    """Keeps NumPy's results for the processes to come; whole files only."""
    path = Path(folder, f"{program.name}.npz")
    part = path.with_suffix(".part.npz")
    numpy.savez(part, *results)
    part.rename(path)
