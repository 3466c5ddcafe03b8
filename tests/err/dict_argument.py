# dict_argument: a dict as an argument
# expect: TypingError
# tells: dict | config
from whipsnake import njit


@njit
def run(config):
    return config["steps"]


run({"steps": 3})
