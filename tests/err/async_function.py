# async_function: a coroutine
# expect: UnsupportedError
# tells: async
from whipsnake import njit


@njit
async def fetch(x):
    return x


fetch(1)
