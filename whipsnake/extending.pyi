from collections.abc import Callable
from typing import Any, TypeGuard, TypeVar, overload as _overload

from whipsnake._core import Dispatcher

_F = TypeVar("_F", bound=Callable[..., Any])

def overload(
    func: Any,
    jit_options: Any = None,
    strict: bool = True,
    inline: str = "never",
    prefer_literal: bool = False,
    **kwargs: Any,
) -> Callable[[_F], _F]: ...
def overload_method(typ: Any, attr: str, **kwargs: Any) -> Callable[[_F], _F]: ...
def overload_attribute(typ: Any, attr: str, **kwargs: Any) -> Callable[[_F], _F]: ...
@_overload
def register_jitable(func: _F, /) -> _F: ...
@_overload
def register_jitable(**options: Any) -> Callable[[_F], _F]: ...
def is_jitted(obj: object) -> TypeGuard[Dispatcher[..., Any]]: ...
def __getattr__(name: str) -> Any: ...  # not built yet
