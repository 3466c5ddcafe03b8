# double_star_parameters: a parameter that collects keywords
# expect: UnsupportedError
# tells: ** | options
from whipsnake import njit


@njit
def configure(x, **options):
    return x


configure(1, speed=2)
