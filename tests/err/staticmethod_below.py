# staticmethod_below: jit above staticmethod
# expect: any
# tells: staticmethod
from whipsnake import njit


class Tools:
    @njit
    @staticmethod
    def double(x):
        return 2 * x
