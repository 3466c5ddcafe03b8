# class_decorated: jit above a class
# expect: any
# tells: functions | Counter
from whipsnake import njit


@njit
class Counter:
    pass
