# args: [(-37, -0.0, True, [-1, 838, 350], [3.0, 3.0, 0.1]), (-1, 1e-05, True, [553, 74, 666], []), (3, 2.0, False, [], [1.0])]
@njit
def helper1(p0, p1):
    for i in range(7):
        v = (p0[2 % len(p0)], p1 / 3.0)
    return int(p1) % 1000


@njit
def main(n, x, flag, a, b):
    for i in b:
        try:
            raise ValueError("code", n)
        except (RuntimeError, IndexError):
            x *= i
        finally:
            v = (min(n, helper1(a, 1e3)), -x)
    return n, x
