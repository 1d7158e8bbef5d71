"""`locals=` of decorators: variables are numbers of the types that it names, to which what is assigned is converted.

Arrays, tuples and containers are what is assigned, whatever it says of them: they are never converted.
"""

from __future__ import annotations

from typing import Any

from tessera import types

_OF_VALUES = (types.Array, types.BaseTuple, types.List, types.DictType, types.Set)


def check_locals(decorator: str, given: Any) -> dict[str, Any]:
    """The types of numbers by variable; raises for what is no type of a variable."""
    kinds = dict(given or {})
    for name, kind in kinds.items():
        if not isinstance(kind, (types.Scalar, *_OF_VALUES)):
            raise NotImplementedError(
                f"{decorator}: locals has {kind!r} for {name}: it names types of numbers, arrays, tuples and containers"
            )
    return {name: kind for name, kind in kinds.items() if isinstance(kind, types.Scalar)}
