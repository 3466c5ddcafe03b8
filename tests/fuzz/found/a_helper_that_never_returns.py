# args: [(-1, 0.1, True, [-24, 16, 797, 19, 538, 165, 121], [0.1, 3.0, 0.0, 1000000.0, -1.25, 3.0, 0.0]), (0, -0.0, True, [371, 791, 802, 932, 31, -21, -11, 990, 475, 407, 57, 850, 866, 711, 621, 965], [-1.25, 3.0, 1000000.0, 3.0, 3.0, 0.0, 1000000.0, 0.1, 1000000.0, 0.5, 0.0, 3.0, 1000000.0, 1000000.0, 0.1, -1.25])]
@njit
def clip(x):
    return x if -1e5 < x < 1e5 else 0.0


@njit
def narrow(x):
    return x if not (x < -1e5 or x > 1e5) else 1.0


@njit
def helper1(p0, p1, p2, p3):
    if (not False) and True:
        raise RuntimeError("code", (+1000))
    return (-(p0 % (-1)))


@njit
def main(n, x, flag, a, b):
    t = (n, x)
    w2 = 0
    while w2 < 4:
        w2 += 1
        m3 = None
        if True:
            m3 = (len(a), b[helper1(w2, b, True, b) % len(b)])
        if m3 is None:
            t = (((flag and flag) + (n != 1e3)), ((-0.1) % 0.75))
        else:
            m4 = None
            if (not (not False)):
                m4 = (x / float((n & 0)))
            if m4 is None:
                x = (x / (abs(((x * x) if (n > (-0.0)) else b[255 % len(b)])) + 1.0))
            else:
                a[n % len(a)] = a[(((n * n) % 1048576) // (-3))]
        n = 3
    x *= (x * x)
    return ((n <= 0 == n) + (3.25 < x)), x, ((255 ^ 10) <= x), t
