# attribute_of_other_exceptions: e.code where no SystemExit can arrive
# expect: TypingError
# tells: has no attribute 'code' | none has it
from whipsnake import njit


@njit
def status(n):
    try:
        if n > 3:
            raise ValueError(n)
        return 0
    except ValueError as error:
        return error.code


status(5)
