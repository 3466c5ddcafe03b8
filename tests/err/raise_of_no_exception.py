# raise_of_no_exception: raise of something that is no exception
# expect: TypingError
# tells: raise
from whipsnake import njit


@njit
def stop(x):
    raise x


stop(1)
