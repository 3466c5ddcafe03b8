# jit_of_a_number: jit of something that is no function
# expect: any
# tells: jit | 3
from whipsnake import njit


f = njit(3)
