# args: [(100, -2.25, True, [177, 954, 697, 359, 12, 282, 836], [-1.25, 1000000.0, 0.0, 0.5, 3.0, -1.25, 0.1]), (-37, -2.25, False, [306, 400, 13], [0.1, 0.5, 0.5])]
@njit
def clip(x):
    return x if -1e5 < x < 1e5 else 0.0


@njit
def narrow(x):
    return x if not (x < -1e5 or x > 1e5) else 1.0


@njit
def helper1(p0, p1, p2):
    if False:
        return divmod(max(5, 2), 1)[1]
    m2 = None
    if p2:
        m2 = ((+(False + True)), p0)
    if m2 is not None:
        p2 = (not (not (p2 or p2)))
    else:
        v3 = (7, p0)
    m4 = None
    if False:
        m4 = (10 if ((65535 <= 63 >= 3) or p2) else (~(2 * 1)))
    if m4 is None:
        p0 *= (-1.5)
    else:
        v5 = (m4, p0)
    return (p1[7 % len(p1)] * abs((-7))) % 1048576


@njit
def helper6(p0, p1, p2):
    if ((10 if False else 3) != len(p1)):
        return 1e-3
    v7 = helper1(1.0, p2, True)
    p2[v7 % len(p2)] = (True + ((v7 * 255) == v7))
    return 3.25


@njit
def helper8(p0, p1):
    p0 = ((p0 * (3.25 + 3.25)) - ((p1 if False else (-0.0)) / (abs(p1) + 1.0)))
    return (-p0)


@njit
def main(n, x, flag, a, b):
    t = (n, x)
    for i9 in range(1):
        b[i9 % len(b)] = helper6(b, b, a)
        for i10 in reversed(range(11)):
            a[-1 - i10 % len(a)] = i9
            n = int(clip(math.sqrt(abs(x))))
        try:
            b[i9 % len(b)] = x
            for i11 in range(2, 1, 3):
                x = ((((-0.0) if True else x) - (n & i11)) + math.fabs(x))
            else:
                v12 = ((0.1 - (x * x)) / (abs(helper6(b, b, a)) + 1.0))
        except KeyError:
            flag = ((-1) <= (float(65535) / (abs(x) + 1.0)))
            for i13, i13x in enumerate(b):
                v14 = (t[0] - min((0 + 100), i13)) % 1048576
        except ArithmeticError:
            x = min(abs((-x)), helper6(b, b, a))
            for i15 in b:
                v16 = ((a[63 % len(a)] // (-7)) % 1048576, i15)
    m17 = None
    if (not (x == 0.0)):
        m17 = (x * x)
    if m17 is None:
        x = (0.5 % 2.0)
        for i18 in range(0, 7, 3):
            if (abs(n) <= 100 > len(b)):
                a[(i18 - i18) % len(a)] = ((int(clip(0.5)) + len(b)) if (int(clip(1.0)) >= a[i18 % len(a)]) else n) % 1048576
            else:
                x *= ((0.0 % 2.0) + (x * x))
            try:
                a[divmod(1, 2)[1] % len(a)] = n
                if False and ((flag + False) <= (flag + flag)):
                    raise KeyError("code", (100 // 3))
            except Exception:
                if True:
                    break
                raise
            except KeyError:
                if ((i18 % 10) != x):
                    continue
    else:
        v19 = max((((-1.5) / (abs((-0.0)) + 1.0)) // 2.0), ((x * x) if (m17 <= x) else (1e3 // 2.0)))
    m20 = None
    if math.isnan((0.0 + x)):
        m20 = x
    if m20 is not None:
        b[(3 | n) % len(b)] = (m20 * (abs((-0.0)) if (flag and flag) else x))
        if ((x * x) != helper8(m20, 2.0)):
            m21 = None
            if ((n if True else n) in (0, 1, 7, 100)):
                m21 = (((n - (-3)) if (m20 < m20) else (63 // 3)) % 1048576, (b[10 % len(b)] * (m20 - 1e300)))
            if m21 is not None:
                b[(n % (-2)) % len(b)] = b[65535 % len(b)]
            else:
                x += ((1e3 % 2.0) / (abs(max(x, x)) + 1.0))
        w22 = 0
        while w22 < 0:
            w22 += 1
            v23 = helper1((3.25 / (abs(2.0) + 1.0)), a, (1e-3 == m20))
            t = ((True + (True or flag)), b[(v23 if True else v23) % len(b)])
    else:
        x += x
    return int(clip(math.copysign(1e3, -1.0))), x, ((n + 255) > (x * x)), t
