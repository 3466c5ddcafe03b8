# args: [(0, 0.1, True, [486, 702, 777, 920], [1e6, 0.5, 0.5, 3.0]), (0, 1e9, False, [4, 1, -7], [1.0, 2.0]), (5, 3.0, True, [1, 2], [])]
@njit
def clip(x):
    return x if -1e5 < x < 1e5 else 0.0


@njit
def main(n, x, flag, a, b):
    for i in range(3, 1, -1):
        try:
            x = (x - a[i % len(a)])
            if (a[-1 - int(clip(x)) % len(a)] <= 31) and flag:
                raise ValueError("code", len(b))
        except (RuntimeError, IndexError):
            v = 1e300
        finally:
            b[i % len(b)] = b[-1 - a[i % len(a)] % len(b)]
    return x
