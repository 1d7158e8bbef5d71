"""Where a function's text begins and ends in its file: what jit compiles is what Python runs."""

# fmt: off
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from tessera import jit


@jit
def brackets_at_the_margin(x):
    return (
        x
        + 1
)


@jit
def text_at_the_margin(x):
    x.real
    """
Text that begins at the margin, behind what has instructions.
"""


@jit
def comments_at_the_margin(x):
    y = 0
# A comment at the margin.
    for i in range(x):
# Another.

        y += i

        # And one that is deeper.
    return y
# This belongs to nothing.


@jit
def dead_code(x):
    return x * 3
    if x > 1:
        return (
    0
        )


def around():
    class Inner:
        @staticmethod
        @jit(
            boundscheck=True,
)
        def method(x,
                   y=2,
                   ):
            """It has a text."""
            def deeper(z):
                return z + y

            return deeper(x)

    return Inner.method


@jit
def one_line(x): return x - 1
@jit
def another(x): return x - 2
if True:
    @jit
    def under_a_condition(x):
        while x > 10:
            x -= 10
        else:
            x += 100
        return x
else:
    under_a_condition = None


@jit
def last_is_a_text(x):
    return x, "so"


def test_functions_of_all_layouts_are_found():
    assert brackets_at_the_margin(1) == 2
    assert text_at_the_margin(1) is None
    assert comments_at_the_margin(4) == 6
    assert dead_code(2) == 6
    assert around()(3) == 5
    assert one_line(3) == 2 and another(3) == 1
    assert under_a_condition(35) == 105
    assert last_is_a_text(1) == (1, "so")


def test_messages_name_the_line_of_a_statement():
    @jit

    # A comment between.
    def wrong(x):

        return x.missing_attribute

    with pytest.raises(Exception) as raised:
        wrong(np.ones(3))
    line = wrong.py_func.__code__.co_firstlineno + 5
    assert f"test_sources_of_functions.py:{line}:" in str(raised.value)


@jit
def at_the_end(x):
    return x + 7


def test_trees_that_were_executed():
    import ast

    from tessera import cuda, njit

    cuda.keep_sources()
    names = {}
    tree = ast.parse("def f(x):\n    return x + 1.5")
    tree.body[0].name = "renamed"
    exec(compile(ast.fix_missing_locations(tree), "<tree>", "exec"), names)
    exec(compile(ast.parse("def renamed(x):\n    return x - 1.5"), "<tree>", "exec"), other := {})
    assert njit(names["renamed"])(1) == 2.5 and njit(other["renamed"])(1) == -0.5


def test_functions_of_one_name_in_executed_text(tmp_path):
    text = """
def first():
    def inner(x):
        return x + 1
    return inner, lambda x: x * 10

def second():
    def inner(x):
        return x + 2
    return inner, lambda x: x * 20
"""
    (tmp_path / "prog.py").write_text(
        f"import numba\nmade = {{}}\nexec({text!r}, made)\n"
        "print([numba.njit(f)(1) for make in ('first', 'second') for f in made[make]()])\n"
    )
    root = pathlib.Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "tessera", "run", "--numba", "prog.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root / "python")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[2, 10, 3, 20]\n"
