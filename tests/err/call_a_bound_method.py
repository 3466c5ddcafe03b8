# call_a_bound_method: a method of an object that the module has, called by another name
# expect: UnsupportedError
# tells: scaled is not available | scaled(x)
from whipsnake import njit


class Scale:
    def scaled(self, x):
        return 2 * x


scaled = Scale().scaled


@njit
def twice(x):
    return scaled(x)


twice(1)
