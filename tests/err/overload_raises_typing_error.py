# overload_raises_typing_error: an overload refuses with a message of its own
# expect: any
# tells: only floats
from whipsnake import errors, extending, njit, types


def clamp(x):
    """Between 0 and 1."""


@extending.overload(clamp)
def clamp_of(x):
    if not isinstance(x, types.Float):
        raise errors.TypingError("clamp takes only floats")
    return lambda x: min(max(x, 0.0), 1.0)


@njit
def use(x):
    return clamp(x)


use("0.5")
