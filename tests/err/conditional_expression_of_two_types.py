# conditional_expression_of_two_types: a conditional expression that is a number or a string
# expect: TypingError
# tells: float64 | str
from whipsnake import njit


@njit
def shown(x):
    y = x if x > 0 else "negative"
    return y


shown(1.0)
