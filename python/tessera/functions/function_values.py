"""Functions as values: signatures that have types of functions, and what compiled functions get for such arguments."""

from __future__ import annotations

from typing import Any

from tessera import _core, types
from tessera.functions import foreign
from tessera.functions import signatures as types_of

# A signature's types of arguments, and that of its result or None.
Parsed = tuple[types_of.Types, types.Type | None]

# Functions that convert to a signature, by the function and the signature.
_typed: dict[tuple[Any, types.Signature], Any] = {}


def has_function_type(kind: Any) -> bool:
    """Whether it is the type of functions with a signature, or has one as an element."""
    if isinstance(kind, types.BaseTuple):
        return any(map(has_function_type, kind.types))
    return isinstance(kind, types.FunctionType)


def _with_signature(function: Any, signature: types.Signature) -> Any:
    """The function, whose arguments and result become what the signature says."""
    known = _typed.get((function, signature))
    if known is None:
        given = ", ".join(f"x{k}" for k in range(len(signature.args)))
        text = f"def calling({given}):\n    return called({given})\n"
        written: dict[str, Any] = {"called": function}
        exec(text, written)
        known = _typed[function, signature] = foreign.make(written["calling"], text)
        known._converts_to = (types_of.parse_with_result(signature),)
        known._stands_for = function
        if isinstance(versions := getattr(function, "_typed", None), dict):
            versions[known._converts_to[0][0]] = signature
    return known


def _resolved(kind: Any, declared: Any) -> tuple[Any, Any] | None:
    """The type of an argument and that of the signature, with functions in the place of types of functions; None where these are no
    functions."""
    if not has_function_type(declared):
        return kind, declared
    if isinstance(declared, types.FunctionType):
        if not isinstance(kind, types.Dispatcher):
            return None
        made = types.Dispatcher(_with_signature(kind.dispatcher, declared.signature))
        return made, made
    if not isinstance(kind, types.BaseTuple) or len(kind.types) != len(declared.types):
        return None
    pairs = [_resolved(one, other) for one, other in zip(kind.types, declared.types)]
    if any(pair is None for pair in pairs):
        return None
    given, wanted = zip(*(pair for pair in pairs if pair is not None))
    return types.Tuple(given), types.Tuple(wanted)


def _has_function(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        return any(map(_has_function, kind.types))
    return isinstance(kind, (types.FunctionType, types.Dispatcher))


def _plain(kinds: types_of.Types) -> types_of.Types:
    """Types of which none is a function's, to choose by."""
    return tuple(types.none if _has_function(kind) else kind for kind in kinds)


def resolve(kinds: types_of.Types, signatures: list[Parsed]) -> tuple[types_of.Types, Parsed] | None:
    """The types, and those of the signature that takes them best, with the functions that are passed where the signature has types of
    functions; None where no signature takes them."""
    found, plain = [], []
    for declared, result in signatures:
        pairs = [_resolved(kind, one) for kind, one in zip(kinds, declared)] if len(kinds) == len(declared) else [None]
        listed = [pair for pair in pairs if pair is not None]
        if len(listed) < len(pairs) or not _core.types.choose(_plain(kinds), [_plain(declared)]):
            continue
        found.append((tuple(given for given, _ in listed), (tuple(wanted for _, wanted in listed), result)))
        plain.append(_plain(declared))
    if len(found) > 1:
        best = _core.types.choose(_plain(kinds), plain)
        found = [found[best[0]]] if best else []
    return found[0] if found else None
