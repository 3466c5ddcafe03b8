# class_decorated: jit above a class
# expect: any
# tells: class | jitclass
from whipsnake import njit


@njit
class Counter:
    pass
