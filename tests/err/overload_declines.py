# overload_declines: a function of the user's with overloads, none for these types
# expect: TypingError
# tells: clamp | str
from whipsnake import extending, njit, types


def clamp(x):
    """Between 0 and 1."""


@extending.overload(clamp)
def clamp_of(x):
    if isinstance(x, types.Float):
        return lambda x: min(max(x, 0.0), 1.0)


@njit
def use(x):
    return clamp(x)


use("0.5")
