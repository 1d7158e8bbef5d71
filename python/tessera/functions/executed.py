"""The text of functions that `exec` or `python -c` made: among the strings of the callers, and those that keep_sources() keeps."""

from __future__ import annotations
import __future__

import ast
import collections
import functools
import operator
import os
import sys
import textwrap
import types
from collections.abc import Iterator
from typing import Any

_MOST_TEXTS = 512
_MOST_FRAMES = 16
_FUTURES = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)
_kept: collections.deque[tuple[str, str]] = collections.deque(maxlen=_MOST_TEXTS)  # texts, and the names of their files
_keeps = False
_looks = False  # the texts that a search compiles are not new ones


def keep_sources() -> None:
    """From now on the last texts that `exec`, `eval` and `compile` get are kept, so that kernels can be made of functions in them.

    Without it the text is found if it stands in the functions that call `cuda.jit`, or in a variable of theirs. `import tessera.numba` and
    `tessera run --numba` keep them, too. An audit hook of the interpreter
    sees the texts; it stays until the process ends.

    Examples
    --------
    >>> from tessera import cuda, jit
    >>> cuda.keep_sources()
    >>> space = {}
    >>> exec("def double(x): return 2 * x", space)
    >>> jit(space["double"])(21)
    42
    """
    global _keeps
    if not _keeps:
        _keeps = True
        sys.addaudithook(_note)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "compile" or _looks:
        return
    text, file = arguments
    file = os.fsdecode(file) if isinstance(file, (str, bytes)) else ""
    if isinstance(text, ast.AST) and not os.path.exists(file):
        text = _unparsed(text)
    if isinstance(text, bytes):
        if _is_of_size(file, len(text)):  # a module, whose text is there
            return
        text = text.decode("utf-8", "replace")
    if isinstance(text, str) and ("def " in text or "lambda" in text):
        _kept.append((text, file))


def _unparsed(tree: ast.AST) -> str | None:
    """The text of a tree that defines functions."""
    if not any(isinstance(node, (ast.FunctionDef, ast.Lambda)) for node in ast.walk(tree)):
        return None
    try:
        return ast.unparse(tree)
    except Exception:  # the tree is none that Python compiles
        return None


def _is_of_size(file: str, size: int) -> bool:
    try:
        return os.path.getsize(file) == size
    except (OSError, ValueError):
        return False


def is_kept_for(file: str) -> bool:
    """Whether a text was compiled as one of the file of that name."""
    return any(file == name for _, name in _kept)


def text_of(code: types.CodeType) -> str | None:
    """The text that compiles to this code, if it is known."""
    global _looks
    tried: set[str] = set()
    _looks = True
    try:
        for text in list(_candidates(code.co_name)):
            for form in (text, textwrap.dedent(text)):
                if form not in tried and _makes(form, code):
                    return form
                tried.add(form)
    finally:
        _looks = False
    return None


def _candidates(name: str) -> Iterator[str]:
    wanted = "lambda" if name == "<lambda>" else f"def {name}"
    yield from (text for text, _ in reversed(_kept) if wanted in text)
    options = sys.orig_argv
    if "-c" in options[:-1]:
        yield options[options.index("-c") + 1]
    frame: Any = sys._getframe(1)
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return
        for value in list(frame.f_locals.values()):
            if isinstance(value, str) and wanted in value:
                yield value
        yield from (text for text in _constants(frame.f_code.co_consts) if wanted in text)
        frame = frame.f_back


def _constants(values: tuple[Any, ...]) -> Iterator[str]:
    """The texts among the constants of code, and of the functions that it defines."""
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, types.CodeType):
            yield from _constants(value.co_consts)


def _makes(text: str, code: types.CodeType) -> bool:
    try:
        made = compile(text, code.co_filename, "exec", code.co_flags & _FUTURES, dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return _contains(made, code)


def _contains(made: types.CodeType, code: types.CodeType) -> bool:
    return any(
        isinstance(value, types.CodeType) and (_is_alike(value, code) or _contains(value, code))
        for value in made.co_consts
    )


def _is_alike(made: types.CodeType, code: types.CodeType) -> bool:
    """Whether both do the same, wherever they stand: the text of a tree has lines of its own."""
    parts = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_name", "co_flags", "co_argcount")
    if any(getattr(made, part) != getattr(code, part) for part in parts) or len(made.co_consts) != len(code.co_consts):
        return False
    return all(
        _is_alike(one, other)
        if isinstance(one, types.CodeType) and isinstance(other, types.CodeType)
        else _is_same(one, other)
        for one, other in zip(made.co_consts, code.co_consts)
    )


def _is_same(one: Any, other: Any) -> bool:
    """0 and 0.0, or 0.0 and -0.0, are equal and not the same."""
    return type(one) is type(other) and repr(one) == repr(other)
