# function_without_source: a function whose source text is nowhere
# expect: SourceError
# tells: source text | linecache
from whipsnake import njit


space = {}
exec("def f(x):\n    return x + 1\n", space)
f = njit(space["f"])
f(1)
