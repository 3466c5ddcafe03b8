# args: [(-1, -0.0, True, [907, 766, 3], [0.0, 0.1, -1.25]), (-1, 1e-05, False, [194], [3.0])]
@njit
def clip(x):
    return x if -1e5 < x < 1e5 else 0.0


@njit
def narrow(x):
    return x if not (x < -1e5 or x > 1e5) else 1.0


@njit
def helper1(p0, p1, p2):
    v2 = max((min((-1.5), 1e-3) + ((-5) - 0.5)), 0.5)
    m3 = None
    if (255 != (-1)):
        m3 = (v2 * v2)
    if m3 is None:
        v2 = float((2 - divmod(1000, 2)[0]))
    else:
        if (3 != ((False + True) + 5)) and (True or (0 >= (-10))):
            raise RuntimeError("code", (2 + 2))
    return 1000


@njit
def main(n, x, flag, a, b):
    t = (n, x)
    try:
        if ((7 + 0) <= (-1000) > (10 >> 70)):
            if ((n * 5) in (0, 1, 7, 100)):
                if (7 <= 10 != ((10 // 0) + n)) and flag:
                    raise RuntimeError("code", divmod(n, 3)[0])
            else:
                if (((3 - 2) * t[0]) <= 255 == (t[0] << 4)) and True:
                    raise KeyError("code", a[65535])
        else:
            x = x
        w4 = 0
        while w4 < 6:
            w4 += 1
            if (int(narrow(1.0)) in (0, 1, 7, 100)):
                continue
    except ValueError:
        w5 = 0
        while w5 < 5:
            w5 += 1
            b[abs(n) % len(b)] = (((0.5 + 0.0) - (x + x)) - t[1])
        if (math.sqrt(abs(0.0)) < x) and ((255 - 255) < a[5]):
            raise RuntimeError("code", min(5, n))
    t = (len(b), (-t[1]))
    for i6 in range(3, 4, 2):
        a[-1 - i6 % len(a)] = ((int(clip(3.25)) << 0) << 0)
        x = t[1]
        for i7, i7x in enumerate(b):
            if (divmod(i6, i6)[0] != divmod(1000, (-7))[0]):
                x -= x
            else:
                if (((flag + flag) - len(a)) in (0, 1, 7, 100)) and False:
                    raise ValueError("code", (63 >> 3))
        else:
            n = (a[(5 if flag else i6) % len(a)] >> 70) % 1048576
    w8 = 0
    while w8 < 7:
        w8 += 1
        if ((w8 | n) == int(clip(x))):
            for i9, i9x in enumerate(b):
                if False:
                    break
            for i10, i10x in enumerate(b):
                n = divmod(helper1(b, flag, flag), 16)[0] % 1048576
        else:
            try:
                t = (len(a), (-math.sqrt(x)))
            except LookupError:
                x = (x * x)
            for i11 in a:
                x = ((x + (1e-3 + 1.0)) if ((False + flag) != w8) else math.fabs((x if flag else 0.1)))
        v12 = (abs((x - 1.0)) // 2.0)
    return helper1(b, flag, flag), (math.sqrt(x) if (n < n) else x), (0 in (0, 1, 7, 100)), t
