"""Lists and dicts with types, which Python and compiled functions share: `numba.typed` has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping, MutableSequence
from typing import Any

from tessera import _core, errors, types
from tessera.functions.intrinsic import Intrinsic

__all__ = ["Dict", "List"]


def _as_type(value: Any, what: str) -> types.Type:
    """A type, also one that stands for it, such as int or a dtype."""
    known = {int: types.int64, float: types.float64, bool: types.boolean, complex: types.complex128}
    if isinstance(value, types.Type):
        return value
    if value is str:
        return types.unicode_type
    if isinstance(value, type) and value in known:
        return known[value]
    try:
        return types.from_dtype(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}; it is a type such as types.int64") from None


def _type_of(value: Any) -> types.Type:
    from tessera.functions import signatures

    return types.unicode_type if isinstance(value, str) else signatures.element_type_of(value)


def _converted(value: Any, wanted: types.Type, what: str) -> Any:
    """The value as one of the type; raises TypeError where it cannot be one."""
    if isinstance(wanted, types.Scalar):
        kind = wanted.dtype.kind
        if isinstance(value, str) or not hasattr(value, "__complex__") and not hasattr(value, "__float__"):
            raise TypeError(f"{what} is {value!r}, not {wanted!r}")
        given = getattr(value, "dtype", None)
        given_kind = given.kind if given is not None else {bool: "b", int: "i", float: "f"}.get(type(value), "c")
        if kind in "biu" and given_kind in "fc" or kind == "f" and given_kind == "c":
            raise TypeError(f"unsafe cast: {what} is {value!r}, not {wanted!r}")
        return wanted.dtype.type(value).item()
    if isinstance(wanted, types.UnicodeType) and not isinstance(value, str):
        raise TypeError(f"{what} is {value!r}, not a str")
    if isinstance(wanted, types.BaseTuple):
        if not isinstance(value, tuple) or len(value) != len(wanted.types):
            raise TypeError(f"{what} is {value!r}, not {wanted!r}")
        parts = [_converted(one, kind, what) for one, kind in zip(value, wanted.types)]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(wanted, (types.ClassInstance, types.StructRef)) and (given := _type_of(value)) != wanted:
        raise errors.TypingError(f"Cannot cast {given!r} to {wanted!r}: {what} of a container of the latter")
    return value


class _Empty:
    """`List.empty_list` and `Dict.empty`: in Python what makes one, in compiled functions a builtin."""

    def __init__(self, name: str, path: str, make: Any) -> None:
        self.__name__ = name
        self._builtin = Intrinsic(path, "An empty container.")
        self._make = make

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._make(*given, **named)

    def _describe(self) -> tuple[Any, ...]:
        return ("builtin", self._builtin.path)


def _empty_list(item_type: Any, allocated: int = 0) -> List:
    made = List()
    made._compiled_type = types.ListType(_as_type(item_type, "the type of items"))
    return made


def _empty_dict(key_type: Any, value_type: Any, n_keys: int = 0) -> Dict:
    made = Dict()
    key, value = _as_type(key_type, "the type of keys"), _as_type(value_type, "the type of values")
    made._compiled_type = types.DictType(key, value)
    return made


class _Typed:
    """What typed containers have in common: their items as Python has them, and the memory that calls share.

    Calls take the memory that an earlier one has left, unless Python has changed the container since; where calls may
    have changed it, Python reads it anew. While a call or a generator has it, Python only reads."""

    _compiled_type: Any = None
    _image: Any = None
    _items: Any

    def _read(self) -> Any:
        image = self._image
        if image is not None and image.is_ahead:
            self._items = image.read()
        return self._items

    def _write(self) -> Any:
        items, image = self._read(), self._image
        if image is not None and image.is_used:
            raise RuntimeError(
                f"typed.{type(self).__name__}: a compiled function that is running, or a generator of one that has not ended, "
                "has it\n  instead: change it in that function, or when it has ended (generator.close())"
            )
        if image is not None and image.is_of_fields:
            return _OfFields(items, image)
        self._image = None
        return items

    @property
    def _numba_type_(self) -> Any:
        return self._compiled_type

    @property
    def _typed(self) -> bool:
        return self._compiled_type is not None

    def __len__(self) -> int:
        return len(self._read())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._read())

    __hash__ = None  # type: ignore[assignment]


class _OfFields:
    """The items of a container that fields of objects may hold: what is changed is written there."""

    def __init__(self, items: Any, image: Any) -> None:
        self._items = items
        self._image = image

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._items, name)

        def call(*given: Any, **named: Any) -> Any:
            result = method(*given, **named)
            _core.kernels.write_container(self._image, self._items)
            return result

        return call

    def __setitem__(self, place: Any, value: Any) -> None:
        self._items[place] = value
        _core.kernels.write_container(self._image, self._items)

    def __delitem__(self, place: Any) -> None:
        del self._items[place]
        _core.kernels.write_container(self._image, self._items)

    def __imul__(self, times: Any) -> Any:
        self._items *= times
        _core.kernels.write_container(self._image, self._items)
        return self


def _items_of(value: Any) -> Any:
    return value._read() if isinstance(value, _Typed) else value


class List(_Typed, MutableSequence[Any]):
    """A list that Python and compiled functions share; in functions `List()` is an empty list, whose elements tell its type.

    The first element tells the type of all; an empty one that was made by `List()` is no argument."""

    _compiled_as = "typed.List"
    empty_list = _Empty("empty_list", "list.empty", _empty_list)

    def __init__(
        self, *given: Iterable[Any], lsttype: Any = None, meminfo: Any = None, allocated: int = 0, **named: Any
    ) -> None:
        if named:
            raise TypeError("List() takes no keyword arguments")
        if len(given) > 1:
            raise TypeError(f"List() expected at most 1 argument, got {len(given)}")
        if given and not hasattr(given[0], "__iter__"):
            raise TypeError("List() argument must be iterable")
        if meminfo is not None:
            raise NotImplementedError(
                "numba.typed.List(lsttype=..., meminfo=...): memory of Numba's; write List(elements)"
            )
        self._compiled_type = lsttype
        self._items = []
        self.extend(*given or [()])

    @classmethod
    def _from(cls, kind: Any, elements: Iterable[Any] = ()) -> List:
        """With elements that are of the type already."""
        made = cls()
        made._compiled_type = kind
        made._items = list(elements)
        return made

    @property
    def _dtype(self) -> Any:
        if self._compiled_type is None:
            raise RuntimeError("invalid operation on untyped list")
        return self._compiled_type.dtype

    def _one(self, value: Any) -> Any:
        if self._compiled_type is None:
            self._compiled_type = types.ListType(_type_of(value))
        return _converted(value, self._compiled_type.dtype, "an item")

    def append(self, value: Any) -> None:
        """Adds a value, converted to the type of the others."""
        one = self._one(value)
        self._write().append(one)

    def extend(self, values: Iterable[Any]) -> None:
        """Adds values, converted to the type of the others."""
        more = [self._one(value) for value in values]
        self._write().extend(more)

    def insert(self, index: Any, value: Any) -> None:
        """Puts a value before a place."""
        one = self._one(value)
        self._write().insert(index, one)

    def pop(self, index: Any = -1) -> Any:
        """Takes the element of a place away and returns it."""
        return self._write().pop(index)

    def remove(self, value: Any) -> None:
        """Takes the first element away that is equal to the value."""
        self._write().remove(value)

    def clear(self) -> None:
        """Takes all elements away."""
        self._write().clear()

    def reverse(self) -> None:
        """Turns the order around."""
        self._write().reverse()

    def sort(self, key: Any = None, reverse: bool = False) -> None:
        """Sorts the elements, those that compare as equal in the order in which they are."""
        self._write().sort(key=key, reverse=reverse)

    def index(self, value: Any, *bounds: Any) -> int:
        """The place of the first element that is equal to the value, between bounds."""
        return self._read().index(value, *bounds)

    def count(self, value: Any) -> int:
        """How many elements are equal to the value."""
        return self._read().count(value)

    def __contains__(self, value: Any) -> bool:
        return value in self._read()

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self._read())

    def __setitem__(self, place: Any, value: Any) -> None:
        made = [self._one(one) for one in value] if isinstance(place, slice) else self._one(value)
        if isinstance(place, slice) and place.step not in (None, 1):
            if len(made) != len(range(*place.indices(len(self)))):
                raise ValueError("length mismatch for extended slice and sequence")
        self._write()[place] = made

    def __delitem__(self, place: Any) -> None:
        del self._write()[place]

    def __getitem__(self, place: Any) -> Any:
        found = self._read()[place]
        return self._from(self._compiled_type, found) if isinstance(place, slice) else found

    def __add__(self, values: Any) -> Any:
        made = self.copy()
        made.extend(values)
        return made

    def __iadd__(self, values: Iterable[Any]) -> List:  # type: ignore[override,misc]
        self.extend(values)
        return self

    def __mul__(self, times: Any) -> List:
        return self._from(self._compiled_type, self._read() * times)

    __rmul__ = __mul__

    def __imul__(self, times: Any) -> List:
        items = self._write()
        items *= times
        return self

    def __eq__(self, other: object) -> Any:
        return self._read() == _items_of(other)

    def __lt__(self, other: Any) -> Any:
        return self._read() < _items_of(other)

    def __le__(self, other: Any) -> Any:
        return self._read() <= _items_of(other)

    def __gt__(self, other: Any) -> Any:
        return self._read() > _items_of(other)

    def __ge__(self, other: Any) -> Any:
        return self._read() >= _items_of(other)

    def copy(self) -> List:
        """A list with the same elements."""
        return self._from(self._compiled_type, self._read())

    __copy__ = copy

    def __reduce__(self) -> Any:
        return List._from, (self._compiled_type, self._read())

    def __repr__(self) -> str:
        return f"ListType[{'Undefined' if self._compiled_type is None else self._dtype}]({self._read()!r})"

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self))}]"


class Dict(_Typed, MutableMapping[Any, Any]):
    """A dictionary that Python and compiled functions share; in functions `Dict()` is an empty one, whose first key tells its type.

    The first key and value tell the types of all, unless `Dict.empty` has said them."""

    _compiled_as = "builtins.dict"
    empty = _Empty("empty", "table.empty", _empty_dict)

    def __init__(self, *given: Any, dcttype: Any = None, meminfo: Any = None, n_keys: int = 0, **named: Any) -> None:
        if len(given) > 1:
            raise errors.TypingError(f"Dict() expected at most 1 argument, got {len(given)}")
        if given and not hasattr(given[0], "__iter__"):
            raise errors.TypingError("Non-iterable args used in Dict(iterable)")
        if meminfo is not None:
            raise NotImplementedError(
                "numba.typed.Dict(dcttype=..., meminfo=...): memory of Numba's; write Dict(items)"
            )
        self._compiled_type = dcttype
        self._items = {}
        self.update(*given, **named)

    @classmethod
    def _from(cls, kind: Any, items: Any = ()) -> Dict:
        """With keys and values that are of the types already."""
        made = cls()
        made._compiled_type = kind
        made._items = dict(items)
        return made

    @property
    def _dict_type(self) -> Any:
        return self._compiled_type

    def _key(self, key: Any) -> Any:
        return key if self._compiled_type is None else _converted(key, self._compiled_type.key_type, "a key")

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._compiled_type is None:
            if value is None:
                raise TypeError("invalid operation on untyped dictionary")
            self._compiled_type = types.DictType(_type_of(key), _type_of(value))
        key, value = self._key(key), _converted(value, self._compiled_type.value_type, "a value")
        self._write()[key] = value

    def __getitem__(self, key: Any) -> Any:
        return self._read()[self._key(key)]

    def __delitem__(self, key: Any) -> None:
        key = self._key(key)
        del self._write()[key]

    def __contains__(self, key: Any) -> bool:
        return self._key(key) in self._read()

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self._read())

    def keys(self) -> Any:
        """Its keys, in the order in which they were added."""
        return self._read().keys()

    def values(self) -> Any:
        """Its values, in the order in which their keys were added."""
        return self._read().values()

    def items(self) -> Any:
        """Its keys with their values."""
        return self._read().items()

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of a key, or what is given for a key that is not there."""
        return self._read().get(self._key(key), default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The value of a key; one that is not there gets the default."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Any, *default: Any) -> Any:
        """Takes a key away and returns its value, or the default."""
        return self._write().pop(self._key(key), *default)

    def popitem(self) -> Any:
        """Takes the last key and its value away and returns them."""
        if not self:
            raise KeyError("dictionary is empty")
        return self._write().popitem()

    def clear(self) -> None:
        """Takes all keys away."""
        self._write().clear()

    def update(self, *given: Any, **named: Any) -> None:
        """Sets keys to values, from a mapping or from pairs."""
        for key, value in dict(*map(_items_of, given), **named).items():
            self[key] = value

    def __eq__(self, other: object) -> Any:
        return self._read() == _items_of(other)

    def __ior__(self, other: Any) -> Dict:
        self.update(other)
        return self

    def __or__(self, other: Any) -> Dict:
        made = self.copy()
        made.update(other)
        return made

    def copy(self) -> Dict:
        """A dictionary with the same keys and values."""
        return self._from(self._compiled_type, self._read())

    __copy__ = copy

    def __reduce__(self) -> Any:
        return Dict._from, (self._compiled_type, self._read())

    def __repr__(self) -> str:
        kind = self._compiled_type
        named = "Undefined,Undefined" if kind is None else f"{kind.key_type},{kind.value_type}"
        return f"DictType[{named}]({self._read()!r})"

    def __str__(self) -> str:
        return f"{{{', '.join(f'{key}: {value}' for key, value in self.items())}}}"


def made_list(kind: Any, elements: Any) -> List:
    """A list of these elements, of the type that the compiler has."""
    return List._from(types.of(kind), elements)


def made_dict(kind: Any, items: Any) -> Dict:
    """A dictionary of these items, of the type that the compiler has."""
    return Dict._from(types.of(kind), items)


def made_of_fields(kind: Any, image: Any) -> Any:
    """The list or dictionary that a field of an object holds."""
    one = types.of(kind)
    made = (List if isinstance(one, types.List) else Dict)._from(one)
    made._image = image
    return made
