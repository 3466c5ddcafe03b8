# raise_a_class_of_an_exception: raise type(e), a class that is known when running only
# expect: TypingError
# tells: exceptions | the class of an exception
from whipsnake import njit


@njit
def again(n):
    try:
        return 10 // n
    except ZeroDivisionError as error:
        raise type(error)


again(0)
