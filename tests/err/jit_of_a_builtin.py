# jit_of_a_builtin: jit of a function that is not written in Python
# expect: any
# tells: len
from whipsnake import njit


f = njit(len)
f((1, 2))
