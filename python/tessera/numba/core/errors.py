"""numba.errors: what compiling raises and warns of, by Numba's names."""

from __future__ import annotations

from tessera.errors import CompileError, ParallelRaceWarning, TypingError, UnsupportedError

__all__ = [
    "CompilerError",
    "ConstantInferenceError",
    "ForbiddenConstruct",
    "InternalError",
    "LiteralTypingError",
    "LoweringError",
    "NotDefinedError",
    "NumbaAssertionError",
    "NumbaAttributeError",
    "NumbaDebugInfoWarning",
    "NumbaDeprecationWarning",
    "NumbaError",
    "NumbaExperimentalFeatureWarning",
    "NumbaIRAssumptionWarning",
    "NumbaIndexError",
    "NumbaInvalidConfigWarning",
    "NumbaKeyError",
    "NumbaNotImplementedError",
    "NumbaParallelSafetyWarning",
    "NumbaPendingDeprecationWarning",
    "NumbaPedanticWarning",
    "NumbaPerformanceWarning",
    "NumbaRuntimeError",
    "NumbaSystemWarning",
    "NumbaTypeError",
    "NumbaTypeSafetyWarning",
    "NumbaValueError",
    "NumbaWarning",
    "RequireLiteralValue",
    "TypingError",
    "UnsupportedBytecodeError",
    "UnsupportedError",
    "UntypedAttributeError",
    "VerificationError",
]

NumbaError = CompileError
# tessera tells only whether types do not fit or something is not there: programs that catch one of Numba's finer classes catch these.
LiteralTypingError = RequireLiteralValue = NumbaTypeError = NumbaValueError = NumbaAttributeError = TypingError
NumbaIndexError = NumbaKeyError = NumbaAssertionError = NumbaRuntimeError = UntypedAttributeError = TypingError
ConstantInferenceError = TypingError
LoweringError = CompilerError = InternalError = VerificationError = NotDefinedError = CompileError
UnsupportedBytecodeError = ForbiddenConstruct = NumbaNotImplementedError = UnsupportedError


class NumbaWarning(Warning):
    """What all of Numba's warnings derive from. tessera gives none of those below; programs name them in filters."""


class NumbaPerformanceWarning(NumbaWarning):
    """Work that is slower than it could be."""


class NumbaDeprecationWarning(NumbaWarning, DeprecationWarning):
    """A feature that will go."""


class NumbaPendingDeprecationWarning(NumbaWarning, PendingDeprecationWarning):
    """A feature that may go."""


class NumbaExperimentalFeatureWarning(NumbaWarning):
    """A feature that may change."""


class NumbaTypeSafetyWarning(NumbaWarning):
    """A conversion that may lose something."""


class NumbaDebugInfoWarning(NumbaWarning):
    """Debug information that is not there."""


class NumbaPedanticWarning(NumbaWarning):
    """What is allowed and seldom meant."""


class NumbaIRAssumptionWarning(NumbaPedanticWarning):
    """What Numba's passes assume of each other."""


class NumbaSystemWarning(NumbaWarning):
    """Something of the machine."""


class NumbaInvalidConfigWarning(NumbaWarning):
    """A setting that has no meaning."""


NumbaParallelSafetyWarning = ParallelRaceWarning
