"""Functions and classes as text of a stub, from the signatures that they have at run time."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

import annotations as notes

ANY_ARGUMENTS = "*args: Any, **kwargs: Any"


def signature_of(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def parameters(
    signature: inspect.Signature,
    function: str,
    module: str,
    changes: dict[str, str] | None = None,
    narrowed: dict[str, str] | None = None,
) -> str:
    """The parameters in parentheses; `changes` gives annotations of its own, of parameters that are then required,
    `narrowed` of others."""
    changes = changes or {}
    narrowed = narrowed or {}
    parts: list[str] = []
    state = ""
    had_default = False
    for parameter in signature.parameters.values():
        kind = parameter.kind
        if state == "/" and kind is not inspect.Parameter.POSITIONAL_ONLY:
            parts.append("/")
            state = ""
        is_changed = parameter.name in changes
        required = is_changed or parameter.default is inspect.Parameter.empty
        if kind is inspect.Parameter.POSITIONAL_ONLY:
            state = "/"
        if kind is inspect.Parameter.VAR_POSITIONAL:
            parts.append(f"*{parameter.name}: Any")
            state = "*"
            continue
        if kind is inspect.Parameter.VAR_KEYWORD:
            parts.append(f"**{parameter.name}: Any")
            continue
        by_name = kind is inspect.Parameter.KEYWORD_ONLY or (required and had_default)
        if by_name and state != "*":
            parts.append("*")
            state = "*"
        if parameter.name == "self":
            parts.append("self")
            continue
        annotation = (
            changes.get(parameter.name)
            or narrowed.get(parameter.name)
            or notes.parameter(function, module, parameter.name, parameter.default, inspect.Parameter.empty)
        )
        parts.append(f"{parameter.name}: {annotation}" + ("" if required else " = ..."))
        had_default = had_default or not required
    if state == "/":
        parts.append("/")
    return ", ".join(parts)


def summary(thing: Any) -> str:
    """The first paragraph of the docstring that is no signature, on one line."""
    text = inspect.getdoc(thing) or ""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    name = getattr(thing, "__name__", "")
    paragraphs = [part for part in paragraphs if part and not (name and part.startswith(f"{name}("))]
    return paragraphs[0].replace("\\", "\\\\").replace('"""', "'''") if paragraphs else ""


def body(thing: Any) -> str:
    text = summary(thing)
    if not text:
        return " ..."
    if len(text) > 118:
        lines = textwrap.wrap(text, 118)
        return '\n    """' + "\n    ".join(lines) + '"""'
    return f'\n    """{text}"""'


TYPED = "type[ScalarT] | numpy.dtype[ScalarT]"


def array_of(shape: str, scalar: str = "ScalarT") -> str:
    return f"ndarray[{shape}, numpy.dtype[{scalar}]]"


def operand_of(names: list[str]) -> str:
    """The operand whose elements are in the result."""
    return names[1] if names[0] == "condition" else names[0]


def shaped(signature: inspect.Signature, name: str, module: str, names: list[str]) -> list[tuple[str, str]]:
    """The forms in which a function tells its result's shape, as NumPy's stubs do."""

    def form(result: str, changes: dict[str, str], narrowed: dict[str, str] | None = None) -> tuple[str, str]:
        return parameters(signature, name, module, changes, narrowed), result

    if name in notes.SHAPED_BY_SHAPE:
        no_dtype = "Any" if name == "full" else "numpy.float64"
        return [
            each
            for given, extents in (("SupportsIndex", "tuple[int]"), ("ShapeT", "ShapeT"))
            for each in (
                form(array_of(extents, no_dtype), {"shape": given}, {"dtype": "None"}),
                form(array_of(extents), {"shape": given, "dtype": TYPED}),
                form(array_of(extents, "Any"), {"shape": given}),
            )
        ]
    if name in notes.SHAPED_LIKE_FIRST:
        alike = {names[0]: array_of("ShapeT")}
        return [
            form(array_of("ShapeT"), alike, {"dtype": "None", "shape": "None"}),
            form(array_of("ShapeT"), {names[0]: "ndarray[ShapeT, Any]", "dtype": TYPED}, {"shape": "None"}),
        ]
    if name in notes.KEEPS_SHAPE:
        return [form(array_of("ShapeT"), {names[0]: array_of("ShapeT")}, {"axis": "SupportsIndex"})]
    if name in notes.FLAT:
        return [form(array_of("tuple[int]"), {operand_of(names): array_of("Any")})]
    if name in notes.EXTENTS:
        extents, no_dtype = notes.EXTENTS[name]
        default = [form(array_of(extents, no_dtype), {}, {"dtype": "None"})] if no_dtype else []
        return [*default, form(array_of(extents), {"dtype": TYPED})]
    return []


def overloads(signature: inspect.Signature, name: str, module: str) -> list[tuple[str, str]]:
    """More precise forms of a signature, each as parameters and result; the general one is not among them."""
    names = [parameter for parameter in signature.parameters if parameter != "self"]
    forms = shaped(signature, name, module, names) if "self" not in signature.parameters else []
    if name in notes.TYPED_BY_DTYPE and "dtype" in names and name not in notes.EXTENTS:
        changes = {"dtype": TYPED}
        keeps_shape = name == "astype" and "self" in signature.parameters
        typed = array_of("_ShapeT_co") if keeps_shape else "NDArray[ScalarT]"
        forms.append((parameters(signature, name, module, changes), typed))
    if name in notes.KEEPS_DTYPE and name not in notes.FLAT and names and "self" not in signature.parameters:
        changes = {operand_of(names): "ndarray[Any, numpy.dtype[ScalarT]]"}
        forms.append((parameters(signature, name, module, changes), "NDArray[ScalarT]"))
    return forms


def function_text(name: str, function: Any, module: str, result: str | None = None, decorator: str = "") -> str:
    """One function or method with its overloads."""
    signature = signature_of(function)
    result = result or notes.result(name, module)
    if signature is None:
        needs_self = "self, " if decorator == "method" else ""
        return f"def {name}({needs_self}{ANY_ARGUMENTS}) -> {result}:{body(function)}\n"
    forms = [*overloads(signature, name, module), (parameters(signature, name, module), result)]
    head = "" if decorator in ("", "method") else f"{decorator}\n"
    if len(forms) == 1:
        return f"{head}def {name}({forms[0][0]}) -> {forms[0][1]}:{body(function)}\n"
    texts = [f"@overload\n{head}def {name}({each}) -> {kind}: ...\n" for each, kind in forms[:-1]]
    texts.append(f"@overload\n{head}def {name}({forms[-1][0]}) -> {forms[-1][1]}:{body(function)}\n")
    return "".join(texts)


def member_text(owner: type, name: str, module: str) -> str:
    """One member of a class."""
    static = inspect.getattr_static(owner, name)
    if (
        isinstance(static, (property,))
        or inspect.isdatadescriptor(static)
        or inspect.isgetsetdescriptor(static)
        or inspect.ismemberdescriptor(static)
    ):
        return f"@property\ndef {name}(self) -> Any:{body(static)}\n"
    if isinstance(static, staticmethod):
        return function_text(name, getattr(owner, name), module, "Any", "@staticmethod")
    if isinstance(static, classmethod):
        signature = signature_of(getattr(owner, name))
        inner = parameters(signature, name, module) if signature else ANY_ARGUMENTS
        return f"@classmethod\ndef {name}(cls, {inner}) -> Any:{body(static)}\n"
    if callable(static):
        result = "None" if name == "__init__" else notes.result(name, module)
        return function_text(name, static, module, result, "method")
    return f"{name}: {type(static).__name__ if type(static) in (int, str, bool, float) else 'Any'}\n"


def class_text(name: str, owner: type, module: str, base: str = "") -> str:
    """A class with its public members, and how it is made."""
    shown = ["__init__", "__call__", "__getitem__", "__iter__", "__next__", "__len__", "__enter__", "__exit__"]
    members = [member for member in shown if any(member in each.__dict__ for each in owner.__mro__[:-1])]
    members += sorted(member for member in dir(owner) if not member.startswith("_"))
    if issubclass(owner, BaseException):
        members = [member for member in members if member in owner.__dict__ and member != "__init__"]
    text = f"class {name}{f'({base})' if base else ''}:\n" + textwrap.indent(
        f'"""{summary(owner)}"""\n' if summary(owner) else "", "    "
    )
    bodies = [textwrap.indent(member_text(owner, member, module), "    ") for member in members]
    if issubclass(owner, BaseException):
        bodies.append("" if summary(owner) or bodies else "    ...\n")
    elif "__init__" not in members:
        bodies.insert(0, f"    def __init__(self, {ANY_ARGUMENTS}) -> None: ...\n")
    return text + "".join(bodies)
