# await_expression: an async function inside
# expect: UnsupportedError
# tells: await
from whipsnake import njit


@njit
def caller(x):
    async def inner():
        await other()
    return x


caller(1)
