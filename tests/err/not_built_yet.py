# not_built_yet: a part of the interface that is not there yet says so when it is used
# expect: any
# tells: objmode
from whipsnake import objmode

with objmode(y="float64"):
    y = 1.0
