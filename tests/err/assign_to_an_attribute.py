# assign_to_an_attribute: an attribute of a named tuple is assigned
# expect: UnsupportedError
# tells: attribute | 'x'
from collections import namedtuple

from whipsnake import njit


Point = namedtuple("Point", "x y")


@njit
def move(p):
    p.x = 3
    return p


move(Point(1, 2))
