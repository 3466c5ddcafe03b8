# objmode: objmode is refused for now
# expect: UnsupportedError
# tells: objmode
from whipsnake import njit, objmode


@njit
def f(x):
    with objmode():
        print(x)
    return x


f(1)
