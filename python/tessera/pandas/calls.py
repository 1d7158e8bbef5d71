"""Calls that pandas answers for our objects: counted, and what pandas made of its own classes becomes ours."""

from __future__ import annotations

import functools
import inspect
import sys
import warnings
from collections.abc import Callable
from typing import Any

import pandas

from tessera.pandas import grouping, internals, report, settings

# pandas' classes and what stands for them; filled by `objects`.
OURS: dict[type, type] = {}


def adopt(result: Any) -> Any:
    """The result as an object of our classes, if it is one of pandas' own."""
    ours = OURS.get(type(result))
    if ours is None:
        return result
    result.__class__ = ours
    grouper = result.__dict__.get("_grouper")
    if grouper is not None:
        grouping.adopt_grouper(grouper)
    return result


def _is_temporary(references: int) -> bool:
    """Whether a method's object has no more references than the method: what it changes is lost."""
    return references <= internals.REF_COUNT_METHOD and not internals.CHAINED_WARNING_DISABLED


def adopting(function: Callable) -> Callable:
    """The function with results of our classes."""

    @functools.wraps(function)
    @internals.as_pandas_code
    def call(*args: Any, **kwargs: Any) -> Any:
        # pandas counts references, too: those of a call within a call are more.
        if kwargs and kwargs.get("inplace") is True and _is_temporary(sys.getrefcount(args[0])):
            if not internals.is_local_in_caller_frame(args[0]):
                warnings.warn(internals.CHAINED, pandas.errors.ChainedAssignmentError, stacklevel=2)
        return adopt(function(*args, **kwargs))

    call._adopts = True
    return call


@functools.cache
def _adopting_accessor(kind: type) -> type:
    """A subclass of an accessor of pandas, whose results are of our classes."""

    @internals.as_pandas_code
    def _delegate_property_get(self, *args, **kwargs):
        return adopt(kind._delegate_property_get(self, *args, **kwargs))

    @internals.as_pandas_code
    def _delegate_method(self, *args, **kwargs):
        return adopt(kind._delegate_method(self, *args, **kwargs))

    public = {name: getattr(kind, name) for name in dir(kind) if not name.startswith("_")}
    own = {name: adopting(member) for name, member in public.items() if inspect.isfunction(member)}
    own |= {"_delegate_property_get": _delegate_property_get, "_delegate_method": _delegate_method}
    return type(kind.__name__, (kind,), {**own, "__doc__": kind.__doc__, "__module__": kind.__module__})


class Accessor:
    """`Series.dt` and its like."""

    def __init__(self, name: str) -> None:
        self._plain = inspect.getattr_static(pandas.Series, name)

    @internals.as_pandas_code
    def __get__(self, series, owner=None):
        found = self._plain.__get__(series, owner)
        if series is not None:
            found.__class__ = _adopting_accessor(type(found))
        return found


def counted(owner: str, name: str, method: Callable, rows: Callable[[Any], int]) -> Callable:
    """A method of pandas without native form: counted where it has many rows to compute."""
    label = f"{owner}.{name}"
    is_update = name == "update"

    @functools.wraps(method)
    @internals.as_pandas_code
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if (kwargs and kwargs.get("inplace") is True or is_update) and _is_temporary(sys.getrefcount(self)):
            if not internals.is_local_in_caller_frame(self):
                text = internals.CHAINED_UPDATE if is_update else internals.CHAINED
                warnings.warn(text, pandas.errors.ChainedAssignmentError, stacklevel=2)
        if rows(self) < settings.native_rows:
            return adopt(method(self, *args, **kwargs))
        with report.InPandas(label, "there is no native form of it"):
            return adopt(method(self, *args, **kwargs))

    return call


def mark_as_ours(kind: type) -> None:
    """The functions of the class, and of its bases' that are ours, are not replaced by `add_methods`."""
    for member in vars(kind).values():
        if inspect.isfunction(member):
            member._of_tessera = True


# Methods whose results pandas makes of its own classes.
_MAKING = frozenset(("groupby", "rolling", "expanding", "ewm", "resample", "pivot_table"))


def add_methods(kind: type, free: frozenset[str], seams: frozenset[str], rows: Callable[[Any], int]) -> None:
    """Gives our class pandas' public methods: `free` ones compute nothing, `seams` ask ours for what they compute, all
    others are counted."""
    for name in dir(kind):
        method = inspect.getattr_static(kind, name)
        if name.startswith("_") or not inspect.isfunction(method) or hasattr(method, "_adopts"):
            continue
        if name in vars(kind) or name in _MAKING or hasattr(method, "_of_tessera"):
            setattr(kind, name, adopting(method))
        elif name in free or name in seams:
            continue  # what it returns is made by our constructors, and warnings count the frames to the caller
        else:
            setattr(kind, name, counted(kind.__name__, name, method, rows))
