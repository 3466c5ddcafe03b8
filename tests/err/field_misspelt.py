# field_misspelt: a field that the named tuple does not have
# expect: TypingError
# tells: widht | 'width'
from collections import namedtuple

from whipsnake import njit


Box = namedtuple("Box", "width height")


@njit
def area(box):
    return box.widht * box.height


area(Box(2, 3.5))
