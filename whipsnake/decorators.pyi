from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from whipsnake._core import Dispatcher
from whipsnake.types import Signature, Type

_P = ParamSpec("_P")
_R = TypeVar("_R")

_Signature: TypeAlias = str | Signature | tuple[Type, ...]

class _Decorator(Protocol):
    def __call__(self, func: Callable[_P, _R], /) -> Dispatcher[_P, _R]: ...

made: list[Dispatcher[..., Any]] | None

@overload
def jit(signature_or_function: Callable[_P, _R], **options: Any) -> Dispatcher[_P, _R]: ...
@overload
def jit(
    signature_or_function: _Signature | Sequence[_Signature] | None = None, **options: Any
) -> _Decorator: ...
@overload
def njit(signature_or_function: Callable[_P, _R], **options: Any) -> Dispatcher[_P, _R]: ...
@overload
def njit(
    signature_or_function: _Signature | Sequence[_Signature] | None = None, **options: Any
) -> _Decorator: ...
def generated_jit(function: Any = None, **options: Any) -> Any: ...
def jit_module(**options: Any) -> None: ...
