"""What whipsnake raises and warns about. Numba's names, where they differ, are the same classes."""


class CompileError(Exception):
    """A function could not be compiled. The message says where and why."""


class TypingError(CompileError, TypeError):
    """The types do not go together."""


class NotDefinedError(TypingError, NameError):
    """A name that is defined nowhere."""


class UnsupportedError(CompileError):
    """Something that compiled code does not have, or not yet."""


class SourceError(CompileError):
    """The source text of a function cannot be found, or is not what is running."""


class InternalError(CompileError):
    """A fault of whipsnake itself."""


class ConstantError(TypingError):
    """A value must be known when compiling."""


class WhipsnakeWarning(Warning):
    """Base class of the warnings."""


class PerformanceWarning(WhipsnakeWarning):
    """Something is slower than it looks."""


class DeprecationWarning_(WhipsnakeWarning):
    """An option or name that does nothing any more."""


class ExperimentalFeatureWarning(WhipsnakeWarning):
    """May change."""


# Numba's names.
NumbaError = CompilerError = LoweringError = VerificationError = CompileError
NumbaWarning = WhipsnakeWarning
NumbaPerformanceWarning = NumbaParallelSafetyWarning = PerformanceWarning
NumbaDeprecationWarning = NumbaPendingDeprecationWarning = DeprecationWarning_
NumbaExperimentalFeatureWarning = ExperimentalFeatureWarning
NumbaDebugInfoWarning = NumbaTypeSafetyWarning = NumbaSystemWarning = WhipsnakeWarning
NumbaPedanticWarning = NumbaIRAssumptionWarning = NumbaInvalidConfigWarning = WhipsnakeWarning
NumbaTypeError = NumbaAttributeError = NumbaIndexError = NumbaKeyError = TypingError
NumbaValueError = NumbaAssertionError = NumbaRuntimeError = UntypedAttributeError = TypingError
NumbaNotImplementedError = UnsupportedBytecodeError = ByteCodeSupportError = UnsupportedError
UnsupportedParforsError = UnsupportedRewriteError = ForbiddenConstruct = UnsupportedError
ConstantInferenceError = RequireLiteralValue = LiteralTypingError = ConstantError
ForceLiteralArg = ConstantError
RedefinedError = IRError = DeprecationError = CompileError
InternalTargetMismatchError = NonexistentTargetError = InternalError
