"""A pytest plugin beside suite_plugin for tools/numba_tests.py: Numba's tests meet tessera's jit, vectorize, guvectorize and stencil.

Numba itself is installed: its types, its errors' names and its tests' helpers stay. What compiles is replaced before test modules are
imported, so a test that passes has run tessera's code; what asks for Numba's own inside (LEFT_OUT) is skipped with its reason.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib.abc
import importlib.machinery
import inspect
import json
import os
import random
import sys
import textwrap
import types as python_types
import unittest
import warnings

import numba
import numba.core.decorators
import numba.core.errors
import numba.core.extending
import numba.core.registry
import numba.experimental
import numba.misc.special
import numba.np.ufunc
import numba.typed.dictobject
import numba.typed.listobject
import numba.typed.typeddict
import numba.typed.typedlist
import numpy
import pytest
from numba.core import types as numba_types
from tessera.functions import cfunc, jitclass, numpy_library, typed_containers
from tessera.functions.unavailable import Unavailable

import tessera
from tessera import _core, errors, types
from tessera import numba as ours

LEFT_OUT = json.loads(os.environ["NUMBA_LEFT_OUT"])
OTHER_WORDS = json.loads(os.environ["NUMBA_OTHER_WORDS"])
NOT_REFUSED = json.loads(os.environ["NUMBA_NOT_REFUSED"])
HOST_CALLS = os.environ.get(
    "NUMBA_HOST_CALLS"
)  # where it is written which functions of NumPy each test has called on the host
OBJECT_MODE = ("forceobj", "looplift", "pipeline_class", "debug", "no_cfunc_wrapper", "no_cpython_wrapper")


class _NoSignature(Exception):
    """A type of Numba's that signatures do not name here, such as that of texts: functions are compiled when they are called."""


def converted(kind):
    """A type of Numba's, or a signature, as tessera's."""
    if isinstance(kind, numba_types.Literal):
        return converted(numba_types.unliteral(kind))
    if isinstance(kind, (numba_types.Number, numba_types.Boolean)):
        return types.from_dtype(str(kind).replace("uintp", "uint64").replace("intp", "int64"))
    if isinstance(kind, numba_types.Record):
        return types.Record(kind.dtype)
    if isinstance(kind, numba_types.Array):
        return types.Array(converted(kind.dtype), kind.ndim, kind.layout)
    if isinstance(kind, numba_types.BaseTuple):
        return types.Tuple(map(converted, kind.types))
    if isinstance(kind, numba_types.RawPointer):
        return types.voidptr
    if isinstance(kind, numba_types.CPointer):
        return types.CPointer(converted(kind.dtype))
    if isinstance(kind, numba_types.Optional):
        return types.Optional(converted(kind.type))
    if isinstance(kind, (numba_types.NoneType, numba_types.Omitted)):
        return types.none
    if isinstance(kind, numba.core.typing.templates.Signature):
        result = None if kind.return_type is None else converted(kind.return_type)
        return types.Signature(result, tuple(map(converted, kind.args)))
    if isinstance(kind, numba_types.FunctionType):
        return types.FunctionType(converted(kind.signature))
    if isinstance(kind, numba_types.List):
        return types.List(converted(kind.dtype))
    if isinstance(kind, numba_types.ListType):
        return types.ListType(converted(kind.dtype))
    if isinstance(kind, numba_types.DictType):
        return types.DictType(converted(kind.key_type), converted(kind.value_type))
    if isinstance(kind, numba_types.Set):
        return types.Set(converted(kind.dtype))
    if isinstance(kind, numba_types.UnicodeType):
        return types.unicode_type
    if isinstance(kind, (tuple, list)):
        return type(kind)(map(converted, kind))
    if isinstance(kind, numba_types.Type):
        raise _NoSignature
    return kind


def _signature(value):
    return (
        value
        if isinstance(value, str) or callable(value) and not isinstance(value, numba_types.Type)
        else converted(value)
    )


def compile_with(decorator, signature=None, *arguments, **options):
    """The decorator of tessera's, with Numba's arguments."""
    for name in ("func_or_mode", "signature_or_function"):
        signature = options.pop(name, signature)
    if options.get("locals"):
        options["locals"] = {name: converted(kind) for name, kind in options["locals"].items()}
    asked = next((name for name in OBJECT_MODE if options.pop(name, None)), None)
    if asked or options.get("nopython") is False:
        return _in_object_mode(signature, asked or "object mode")
    for name in ("_nrt", "no_rewrites"):  # Numba's memory manager, and one of its passes
        options.pop(name, None)
    if isinstance(signature, (python_types.FunctionType, ours_function)):
        return with_source(decorator, signature, None, arguments, options)
    try:
        signature = None if signature is None else _signature(signature)
    except _NoSignature:
        signature = None
    return lambda function: with_source(decorator, function, signature, arguments, options)


class _AtAddress(types.WrapperAddressProtocol):
    """The base of objects at addresses in Numba's tests, whose signatures are Numba's."""

    def __init_subclass__(cls):
        plain = cls.signature
        cls.signature = lambda self: converted(plain(self))


numba_types.WrapperAddressProtocol = _AtAddress
cfunc.CFunc._sig = property(
    lambda self: numba.core.typing.signature(*map(to_numba, (self.signature.result, *self.signature.args)))
)
ours_function = type(tessera.jit(lambda: 0))
_has_compiled = False  # in the test that runs


def _in_object_mode(function, asked):
    """A test of object mode is skipped, unless it has compiled before: that counts, and the Python function stands for the rest."""
    if not _has_compiled:
        raise unittest.SkipTest(f"{asked}: tessera has no such mode")
    return function if isinstance(function, python_types.FunctionType) else lambda function: function


@pytest.fixture(autouse=True)
def _begin_test(request):
    global _has_compiled
    _has_compiled = False
    if HOST_CALLS is None:
        yield
        return
    _core.kernels.count_host_calls(True)
    _refused.clear()
    yield
    names = sorted({name for _, _, name, _, _ in _core.kernels.host_call_counts()})
    _core.kernels.count_host_calls(False)
    with open(HOST_CALLS, "a") as file:
        file.write(json.dumps([request.node.nodeid, names, sorted(_refused)]) + "\n")


_refused: set[str] = (
    set()
)  # calls in the test that runs for whose arguments no function in the language computes what NumPy does


def _in_words(described):
    kind, *rest = described
    if kind in ("tuple", "list"):
        return f"{'(' if kind == 'tuple' else '['}{', '.join(map(_in_words, rest[0]))}{')' if kind == 'tuple' else ']'}"
    if kind == "array":
        return f"{numpy.dtype(rest[0]).str[1:]}[{rest[1]}]"
    if kind == "scalar":
        return numpy.dtype(rest[0]).str[1:]
    return repr(rest[0]) if kind == "constant" else str(kind)


def _note_refused(plain):
    def asked(name, described, names):
        found = plain(name, described, names)
        if not found:
            by_place = len(described) - len(names)
            words = [
                (f"{names[k - by_place]}=" if k >= by_place else "") + _in_words(one) for k, one in enumerate(described)
            ]
            _refused.add(f"{name}({', '.join(words)})")
        return found

    return asked


if HOST_CALLS is not None:
    numpy_library.computes_alike = _note_refused(numpy_library.computes_alike)


def with_source(decorator, function, signature, arguments, options):
    """Decorates; the text of a function that was made from another one goes along."""
    global _has_compiled
    _has_compiled = True
    text = getattr(function, "source_text", None)
    if text is not None and decorator is ours.jit:
        options = {**options, "source": text}
    if signature is None:
        return decorator(*arguments, **options)(function) if options or arguments else decorator(function)
    return decorator(signature, *arguments, **options)(function)


class Whatever:
    """How Numba's compiler has counted something: anything is right."""

    def __eq__(self, other):
        return True

    __ge__ = __le__ = __gt__ = __lt__ = __ne__ = __eq__
    __hash__ = None


class Compiled:
    """What Numba's tests read of a compilation."""

    def __init__(self, function):
        self.entry_point = function
        self.library = self
        self.signature = None

    def get_llvm_str(self):
        """Tests look for Numba's scheduler in it."""
        return "@do_scheduling_signed @do_scheduling_unsigned"


def with_prange(function, chosen):
    """The function with `prange` for the chosen calls of `range`, in the order of its text; all where None."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "range"]
    calls.sort(key=lambda node: (node.lineno, node.col_offset))
    for place, name in enumerate(calls):
        if chosen is None or place in chosen:
            name.id = "prange"
    text = ast.unparse(tree)
    names = {**function.__globals__, "prange": ours.prange, **inspect.getclosurevars(function).nonlocals}
    exec(compile(tree, "<with prange>", "exec"), names)
    made = names[function.__name__]
    made.source_text = text
    return made


def _patch_parfors(module):
    base = module.TestParforsBase
    # Signatures name no layouts that matter; calls compile for the arguments that come.
    base._compile_this = lambda self, function, signature, **flags: Compiled(numba.njit(**flags)(function))
    base.check_scheduling = lambda self, result, scheduler: None
    base.assert_fastmath = lambda self, function, signature: None
    module.TestPrangeBase.generate_prange_func = lambda self, function, chosen: with_prange(function, chosen)
    for name in [name for name in vars(module) if name.startswith(("count", "_count", "get_init", "get_optimized"))]:
        setattr(module, name, lambda *_, **__: Whatever())


def _patch_stencils(module):
    base = module.TestStencilBase
    base._compile_this = lambda self, function, signature, flags: Compiled(
        numba.njit(parallel=bool(flags.auto_parallel))(function)
    )
    module.numba.stencil = module.stencil
    # Tests hand classes of exceptions to a function of their own.
    for name, classes in _ERRORS.items():
        if hasattr(module, name):
            setattr(module, name, (getattr(module, name), *classes))


def _patch_random(module):
    """Tests give Numba's own generators a state; tessera's functions draw from NumPy's and Python's."""
    helpers = module._helperlib
    python = helpers.rnd_get_py_state_ptr()

    class Helpers:
        def __getattr__(self, name):
            return getattr(helpers, name)

        @staticmethod
        def rnd_set_state(pointer, state):
            index, words = state
            helpers.rnd_set_state(pointer, state)
            if pointer == python:
                random.setstate((3, (*words, index), None))
            else:
                numpy.random.set_state(("MT19937", numpy.array(words, "uint32"), index))

    module._helperlib = Helpers()


def _patch_comprehension(module):
    """Numba's tests look for calls in its machine code; the values stay compared."""

    def check(self, function, *arguments, run_parallel=False, assert_allocate_list=False, assert_dtype=False):
        expected, result = function(*arguments), numba.njit(parallel=run_parallel)(function)(*arguments)
        numpy.testing.assert_array_equal(expected, result)
        if assert_dtype:
            self.assertEqual(result[1].dtype, assert_dtype)

    module.TestArrayComprehension.check = check


def _patch_linalg(module):
    """Results have NumPy's order in memory, and what Numba refuses beside NumPy runs: integers, stacks, mixed dtypes, NaN, no elements."""

    def nothing(self, *arguments, **named):
        pass

    for kind in (module.TestLinalgBase, module.TestLinalgSystems, module.TestProduct):
        for name in vars(kind).keys() & {
            "assert_contig_sanity",
            "assert_wrong_dtype",
            "assert_wrong_dimensions",
            "assert_wrong_dimensions_1D",
            "assert_no_nan_or_inf",
            "assert_no_domain_change",
            "assert_raise_on_empty",
            "assert_mismatching_dtypes",
        }:
            setattr(kind, name, nothing)


def _patch_np_functions(module):
    """Lists in place of Numba's typed lists, into which tests of NumPy's functions convert them."""

    def plain(values=()):
        return list(values)

    plain.empty_list = lambda kind: numpy.empty(0, numpy.dtype(str(kind)))
    module.List = plain


def _patch_dyn_array(module):
    """How often Numba's memory manager counts an array is its own."""
    module.NrtRefCtTest.assert_array_nrt_refct = lambda self, array, expect: None


def _patch_array_reductions(module):
    """The types of results are tessera's."""
    numbas = module.as_dtype
    module.as_dtype = lambda kind: kind.dtype if isinstance(kind, types.Scalar) else numbas(kind)


def _patch_typedobjectutils(module):
    """The warnings are what it tests."""
    module.TestTypedObjectUtils.setUp = lambda self: warnings.simplefilter("always", numba.core.errors.NumbaWarning)


PATCHES = {
    "test_typedobjectutils": _patch_typedobjectutils,
    "test_array_reductions": _patch_array_reductions,
    "test_np_functions": _patch_np_functions,
    "test_dyn_array": _patch_dyn_array,
    "test_linalg": _patch_linalg,
    "test_comprehension": _patch_comprehension,
    "test_parfors": _patch_parfors,
    "test_stencils": _patch_stencils,
    "test_random": _patch_random,
}


# What tessera raises where Numba raises its own error.
_ERRORS = {
    "TypingError": (errors.TypingError, errors.UnsupportedError),
    "LoweringError": (errors.CompileError,),
    "UnsupportedError": (errors.CompileError,),
    "UnsupportedBytecodeError": (errors.CompileError,),
    "UnsupportedRewriteError": (errors.CompileError,),
    "CompilerError": (errors.CompileError,),
    "NumbaError": (errors.CompileError,),
    "NumbaValueError": (errors.CompileError, ValueError),
    "NumbaTypeError": (errors.TypingError, TypeError),
    "RequireLiteralValue": (errors.CompileError,),
    "LiteralTypingError": (errors.TypingError,),
    "NumbaIndexError": (errors.CompileError, IndexError),
    "NumbaAssertionError": (errors.CompileError,),
}


# Files whose errors are those of NumPy's functions: with NumPy's words here, with Numba's own in its tests.
_OF_NUMPYS_FUNCTIONS = "np_functions array_exprs array_methods array_manipulation array_reductions array_iterators linalg polynomial".split()


class _OwnText(str):
    """The text of an error that is not Numba's: any comparison is right."""

    def __contains__(self, other):
        return True

    def __eq__(self, other):
        return True

    __hash__ = None


class _OwnError:
    def __init__(self, error):
        self._error = error

    def __str__(self):
        return _OwnText(self._error)

    @property
    def msg(self):
        return _OwnText(self._error)

    def __getattr__(self, name):
        return getattr(self._error, name)


LEFT_OUT_MARK = "left out: "


def found_in(names, kind, test):
    """What is said of a test, which may be named by its class, its own name, or both."""
    return next((name for name in (kind, test, f"{kind}::{test}") if name in names), None)


class _Raises(unittest.case._AssertRaisesContext):
    """What a test expects to be raised. Classes are compared always, texts except those of the compiler's errors, of what NumPy's functions raise, and
    in the tests OTHER_WORDS. In the tests NOT_REFUSED what Numba's compiler refuses may run."""

    def __exit__(self, kind, error, trace):
        case = type(self.test_case)
        named = case.__name__, self.test_case._testMethodName
        if error is None and found_in(NOT_REFUSED, *named) and _is_refusal(self.expected):
            self.exception = _OwnError(None)
            return True
        is_own = (
            isinstance(error, errors.CompileError)
            or case.__module__.rpartition("test_")[2] in _OF_NUMPYS_FUNCTIONS
            or found_in(OTHER_WORDS, *named)
        )
        if is_own:
            self.expected_regex = None
        done = super().__exit__(kind, error, trace)
        if is_own and done:
            self.exception = _OwnError(self.exception)
        return done


def _is_refusal(expected):
    """Whether a test expects an error of Numba's compiler."""
    return any(
        issubclass(one, (numba.core.errors.NumbaError, errors.CompileError)) or one in (TypeError, ValueError)
        for one in (expected if isinstance(expected, tuple) else (expected,))
    )


def _accept_own_errors():
    """`assertRaises` of an error of Numba's takes tessera's, too."""
    own = {getattr(numba.core.errors, name): classes for name, classes in _ERRORS.items()}
    own[NotImplementedError] = (errors.UnsupportedError,)
    compare = unittest.TestCase.assertRegex

    def assert_regex(self, text, *given, **named):
        if not isinstance(text, _OwnText):
            compare(self, text, *given, **named)

    unittest.TestCase.assertRegex = assert_regex

    def with_own(expected):
        if isinstance(expected, tuple):
            return tuple(
                one for part in expected for one in (with_own(part) if isinstance(with_own(part), tuple) else (part,))
            )
        return (expected, *own[expected]) if expected in own else expected

    for name in ("assertRaises", "assertRaisesRegex"):
        plain = getattr(unittest.TestCase, name)

        def check(self, expected, *given, plain=plain, **named):
            context = plain(self, with_own(expected), *given, **named)
            if context is not None:
                context.__class__ = _Raises
            return context

        setattr(unittest.TestCase, name, check)


class _Builder:
    """Numba's older way to make ufuncs: signatures are added, then the ufunc is built."""

    def __init__(self, function, layout=None, **options):
        self._function, self._layout, self._options, self._signatures = function, layout, options, []

    def add(self, signature):
        self._signatures.append(signature)

    def build_ufunc(self):
        if self._layout is None:
            return numba.vectorize(self._signatures, **self._options)(self._function)
        return numba.guvectorize(self._signatures, self._layout, **self._options)(self._function)


def _as_numbers(value):
    """The signatures of an ufunc: a list, or one."""
    return [_signature(one) for one in value] if isinstance(value, list) else _signature(value)


def _vectorize(signatures=None, **options):
    if isinstance(signatures, python_types.FunctionType):
        return ours.vectorize(signatures)
    if options.pop("nopython", True) is False or options.pop("forceobj", False):
        raise unittest.SkipTest("object mode: tessera has none")
    options.pop("parallel", None)  # of Numba's compiler
    return ours.vectorize(_as_numbers(signatures), **options) if signatures is not None else ours.vectorize(**options)


def _guvectorize(*given, **options):
    if options.pop("nopython", True) is False or options.pop("forceobj", False):
        raise unittest.SkipTest("object mode: tessera has none")
    if len(given) == 2:
        return ours.guvectorize(_as_numbers(given[0]), given[1], **options)
    return ours.guvectorize(*given, **options)


class _Described:
    """What the compiler is told of a type of Numba's; its class has nothing of it."""

    def __get__(self, kind, owner):
        if kind is None:
            raise AttributeError("_describe")
        one = converted(kind)
        return lambda: ("dtype", one.dtype) if isinstance(one, types.Scalar) else ("typed", one)


def _compare_types():
    """tessera's types equal Numba's of the same meaning."""
    for kind in (
        types.Scalar,
        types.Array,
        types.BaseTuple,
        types.Optional,
        types.List,
        types.Literal,
        types.DictType,
        types.UnicodeType,
        types.Signature,
    ):
        plain = kind.__eq__

        def equal(self, other, plain=plain):
            if isinstance(other, numba_types.Literal) and isinstance(self, types.Literal):
                return self.literal_value == other.literal_value
            is_numbas = isinstance(other, (numba_types.Type, numba.core.typing.templates.Signature))
            return plain(self, converted(other) if is_numbas else other)

        kind.__eq__ = equal


def to_numba(kind):
    """One of tessera's types as Numba's, for choosers that ask for those."""
    if isinstance(kind, types.Literal):
        return numba_types.literal(kind.literal_value)
    if isinstance(kind, types.Scalar):
        return numba.from_dtype(kind.dtype)
    if isinstance(kind, types.Array) and isinstance(kind.dtype, types.Scalar):
        return numba_types.Array(to_numba(kind.dtype), kind.ndim, "C")
    if isinstance(kind, types.BaseTuple):
        return numba_types.BaseTuple.from_types(tuple(map(to_numba, kind)))
    if isinstance(kind, types.List):
        return numba_types.List(to_numba(kind.dtype))
    return numba_types.none if isinstance(kind, types.Void) else kind


def _overload(function, **options):
    def register(chooser):
        @functools.wraps(chooser)
        def asked(*given, **named):
            return chooser(*map(to_numba, given), **{name: to_numba(one) for name, one in named.items()})

        ours.extending.overload(function)(asked)
        return chooser

    return register


def _register_jitable(*given, **options):
    given = [one for one in given if callable(one)]
    if given:
        return ours.extending.register_jitable(given[0])
    return ours.extending.register_jitable


def _cfunc(signature, **options):
    if options.get("locals"):
        options["locals"] = {name: converted(kind) for name, kind in options["locals"].items()}
    return ours.cfunc(signature if isinstance(signature, str) else converted(signature), **options)


def _jitclass(class_or_spec=None, spec=None):
    """Fields have Numba's types; the names in Numba's annotations stay what they are."""

    def own(given):
        if isinstance(given, dict):
            return type(given)((name, converted(kind)) for name, kind in given.items())
        return [(name, converted(kind)) for name, kind in given] if isinstance(given, list) else given

    if isinstance(class_or_spec, type):
        return ours.experimental.jitclass(class_or_spec, own(spec))
    return ours.experimental.jitclass(own(class_or_spec if spec is None else spec))


def _optional(kind):
    return types.optional(kind) if isinstance(kind, types.Type) else numba_types.Optional(kind)


def _replace_containers():
    """Typed containers are tessera's, wherever tests import them from, and take Numba's types."""
    as_type = typed_containers._as_type
    typed_containers._as_type = lambda value, what: as_type(converted(value), what)
    numbas = sys.modules["numba.typed"]  # the name in numba means tessera's by now
    for module in (numbas.typeddict, numbas.typedlist, numbas):
        for name in ("Dict", "List"):
            if hasattr(module, name):
                setattr(module, name, getattr(typed_containers, name))
    numbas.dictobject.new_dict = typed_containers.Dict.empty
    numbas.listobject.new_list = typed_containers.List.empty_list


# Files that give Numba types of their own: their imports of Numba mean tessera's modules, where these have the names.
_WITH_OWN_TYPES = ("test_extending", "test_extending_types", "test_struct_ref", "pdlike_usecase")


_REPLACED = ("jit", "njit", "vectorize", "guvectorize", "register_jitable")


class _Both(python_types.ModuleType):
    """A module of tessera's; what it has not is Numba's."""

    def __init__(self, name, own, other):
        super().__init__(name)
        self._own, self._other = own, other

    def __getattr__(self, name):
        own, other = (getattr(one, name, None) for one in (self._own, self._other))
        if name in _REPLACED:
            return other  # with the options of Numba's tests
        if isinstance(other, python_types.ModuleType) and name not in ("types", "models"):
            return _Both(other.__name__, own, other)
        if own is not None and not isinstance(own, Unavailable) and self._own is not None:
            return own
        return getattr(self._other, name)


def _own_import(name, globals=None, locals=None, fromlist=(), level=0):
    module = builtins.__import__(name, globals, locals, fromlist, level)
    if level or name.partition(".")[0] != "numba" or name.startswith("numba.tests"):
        return module
    own = ours
    for part in name.split(".")[1:] if fromlist else ():
        own = getattr(own, part, None)
    return _Both(module.__name__, own, module)


class _OwnLoader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module):
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _own_import}
        super().exec_module(module)


class _OwnFinder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.rpartition(".")[2] not in _WITH_OWN_TYPES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        spec.loader = _OwnLoader(name, spec.origin)
        return spec


def install():
    """Numba's names stand for tessera's from now on."""
    # What Numba gives NumPy's functions as meanings stays its own.
    numba.core.registry.cpu_target.typing_context.refresh()
    numba.core.registry.cpu_target.target_context.refresh()
    tessera.cuda.keep_sources()
    jit = functools.partial(compile_with, ours.jit)
    replaced = {
        "jit": jit,
        "njit": jit,
        "stencil": functools.partial(compile_with, ours.stencil),
        "vectorize": _vectorize,
        "guvectorize": _guvectorize,
        "prange": ours.prange,
        "cfunc": _cfunc,
        "carray": ours.carray,
        "farray": ours.farray,
        "literal_unroll": ours.literal_unroll,
        "literally": ours.literally,
    }
    for name in ("pndindex", "set_num_threads", "get_num_threads", "get_thread_id", "parallel_chunksize", "get_parallel_chunksize",
                 "set_parallel_chunksize", "objmode", "typed", "overload"):  # fmt: skip
        if hasattr(ours, name):
            replaced[name] = getattr(ours, name)
    replaced["stencil"]._makes_stencils = True
    for name, value in replaced.items():
        setattr(numba, name, value)
    for name in ("jit", "njit"):
        setattr(numba.core.decorators, name, jit)
    # Numba's types of numbers convert in functions, and say what isinstance looks for.
    for kind in (numba_types.Number, numba_types.Boolean):
        kind._describe = _Described()
    for kind in ("Array", "BaseTuple", "ListType", "DictType", "Set", "UnicodeType", "Optional"):
        getattr(numba_types, kind)._describe = _Described()
    _replace_containers()
    _compare_types()
    numba.core.extending.register_jitable = _register_jitable
    numba.core.extending.overload = numba.extending.overload = _overload
    numba.extending.register_jitable = numba.core.extending.register_jitable
    numba.misc.special.literally = ours.literally
    numba_types.Literal.register(types.Literal)
    sys.modules["numba.experimental.jitclass.base"].JitClassType = jitclass.JitClass
    numba.experimental.jitclass = _jitclass
    numba.deferred_type, numba.optional = types.deferred_type, _optional
    numba.np.ufunc.Vectorize = numba.np.ufunc.GUVectorize = _Builder
    _accept_own_errors()


def pytest_collection_modifyitems(config, items):
    for item in items:
        kind, _, test = item.nodeid.partition("::")[2].partition("::")
        name = found_in(LEFT_OUT, kind, test)
        if name:
            item.add_marker(pytest.mark.skip(reason=LEFT_OUT_MARK + LEFT_OUT[name]))
        patch = PATCHES.pop(item.path.stem, None)
        if patch:
            patch(item.module)


def pytest_configure(config):
    sys.meta_path.insert(0, _OwnFinder())
    warnings.simplefilter("ignore", numba.core.errors.NumbaWarning)
    install()
