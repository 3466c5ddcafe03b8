# not_built_yet: a part of the interface that is not there yet says so when it is used
# expect: any
# tells: stencil
from whipsnake import stencil


@stencil
def f(x):
    return x + 1


f(1.0)
