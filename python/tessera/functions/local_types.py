"""`locals=` of decorators: variables are numbers of the types that it names, to which what is assigned is converted."""

from __future__ import annotations

from typing import Any

from tessera import types


def check_locals(decorator: str, given: Any) -> dict[str, Any]:
    """The types by variable; raises for what is no number's type."""
    kinds = dict(given or {})
    for name, kind in kinds.items():
        if not isinstance(kind, types.Number):
            raise NotImplementedError(
                f"{decorator}: locals has {kind!r} for {name}: it names types of numbers; other variables have the types of their values"
            )
    return kinds
