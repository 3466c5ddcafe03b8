# args: [(100, inf, True, [831], [0.5]), (-1, inf, True, [784, 420, 574, 56, 674, -1, 916, 635, 134, 15, 411, 243, -38, 123, 188, 197], [0.5, 0.0, 0.5, -1.25, 0.5, 3.0, -1.25, 1000000.0, -1.25, 1000000.0, 1000000.0, -1.25, 3.0, -1.25, 3.0, 0.5])]
@njit
def clip(x):
    return x if -1e5 < x < 1e5 else 0.0


@njit
def narrow(x):
    return x if not (x < -1e5 or x > 1e5) else 1.0


@njit
def helper1(p0, p1, p2):
    if ((+0) == p2):
        return int(clip(float(7)))
    p0[(255 - p2) % len(p0)] = 0.0
    for i2 in range(4):
        v3 = (((63 * p2) + (i2 - 3)) % 1048576, ((-0.1) * (63 + p2)))
    return p2


@njit
def helper4(p0, p1, p2):
    if math.isnan(float(100)):
        return p0
    p1[-1 - min((-1), 10) % len(p1)] = (len(p1) * (helper1(p2, True, 1000) | (100 if False else 65535))) % 1048576
    return (p2[0 % len(p2)] - (p0 // 2.0))


@njit
def main(n, x, flag, a, b):
    t = (n, x)
    w5 = 0
    while w5 < 5:
        w5 += 1
        w6 = 0
        while w6 < 7:
            w6 += 1
            w7 = 0
            while w7 < 3:
                w7 += 1
                n = 1000
    try:
        try:
            try:
                x = max(x, math.fabs(helper4(x, a, b)))
            except Exception:
                n = ((n + (65535 * n)) * 3) % 1048576
            except ValueError:
                x = helper4(max(x, 3.25), a, b)
            finally:
                x = 0.1
            if ((helper1(b, flag, n) <= 255 > abs(n)) and ((100 - 65535) in (0, 1, 7, 100))) and ((10 >> 70) <= n >= helper1(b, flag, n)):
                raise RuntimeError("code", a[(-3) % len(a)])
        except KeyError:
            if ((+1000) == (n - (-100))):
                if ((0 * (7 + n)) >= (t[0] - ((n * n) % 1048576))) and flag:
                    raise ValueError("code", (100 + 0))
            elif (n != (False + flag)):
                v8 = (abs((n % 2)), ((x * x) if (False or flag) else math.copysign(x, -1.0)))
            else:
                x = x
            a[a[-1 - n % len(a)] % len(a)] = (((n >> 1) != max((-1), n)) + (helper1(b, flag, n) < (100 | 65535)))
        except Exception:
            for i9 in a:
                a[len(a) % len(a)] = helper1(b, flag, (63 % (-7)))
            w10 = 0
            while w10 < 8:
                w10 += 1
                x += x
        else:
            if (((n * t[0]) % 1048576) in (0, 1, 7, 100)) and (((n * n) % 1048576) <= 255 >= (63 // 3)):
                raise RuntimeError("code", len(a))
        finally:
            v11 = (float(n) if (a[n % len(a)] < t[0]) else math.fabs(helper4(1e-3, a, b)))
        v12 = ((helper4(3.25, a, b) + ((-1.5) // 2.0)) == (float(5) - (2.0 / (abs(1e3) + 1.0))))
        if (((n & n) > t[1]) or (float(2) != helper4(1e3, a, b))) and (len(a) <= (n * x)):
            raise KeyError("code", (n - 1000))
    except ValueError:
        for i13 in b:
            try:
                v14 = (((False + flag) if (not True) else helper1(b, flag, n)) // (-3)) % 1048576
            except ArithmeticError:
                v15 = (((n // (-2)) << 0) << 4) % 1048576
            try:
                x += (t[1] * (0.0 + x))
            except LookupError:
                flag = (not (a[(-100) % len(a)] <= n >= int(clip(1e3))))
            else:
                n = (len(a) << 9)
        if ((n if flag else n) in (0, 1, 7, 100)):
            n = (len(a) - min((100 // (-2)), n)) % 1048576
            x = 3.25
        elif (min(2, n) > abs(1e-3)):
            for i16 in reversed(range(9)):
                a[-1 - n % len(a)] = len(b)
            else:
                n = divmod(((2 - 1000) + (flag + True)), 2)[1]
        for i17 in a:
            for i18 in range(12):
                x *= 0.0
            for i19 in range(3, 0, -1):
                if math.isnan((-0.5)):
                    break
        raise
    else:
        x = t[1]
    finally:
        b[(100 % 3) % len(b)] = (math.fabs(helper4(x, a, b)) + b[(0 % 7) % len(b)])
    for i20 in range(4, 2, -1):
        try:
            x *= x
            if (int(clip(x)) != a[-1 - i20 % len(a)]):
                a[i20 % len(a)] = t[0]
            elif False:
                if ((65535 if False else 0) <= len(b)):
                    continue
        except ArithmeticError:
            m21 = None
            if ((-10) in (0, 1, 7, 100)):
                m21 = ((t[0] // 7) % 1048576, ((0.0 + x) % 2.0))
            if m21 is None:
                v22 = (x * x)
            else:
                if ((not flag) or ((-1) == n)):
                    continue
            x += helper4(x, a, b)
            raise
        except Exception:
            for i23 in range(6):
                b[i23 % len(b)] = t[1]
            if ((x * x) != float(1000)):
                v24 = (((i20 // 2) % 2) in (0, 1, 7, 100))
            elif (math.isnan(x) or False):
                v25 = math.isnan((((-0.0) + 3.25) % 0.75))
        else:
            v26 = b[i20 % len(b)]
        finally:
            n = (~min((i20 % 2), divmod(63, (-1))[0]))
        for i27, i27x in zip(a, b):
            n = divmod(t[0], 3)[0] % 1048576
        for i28 in reversed(range(9)):
            x = (x * t[1])
            m29 = None
            if (flag and (255 > 1e3)):
                m29 = (helper1(b, flag, i20) % (-3))
            if m29 is None:
                a[i20 % len(a)] = (n if (min(0, i20) < max(x, (-0.0))) else (i20 * 0))
            else:
                v30 = (not math.isnan(max(x, 1e300)))
    w31 = 0
    while w31 < 1:
        w31 += 1
        b[divmod(n, 1)[1] % len(b)] = math.fabs(((x * 0.5) - int(clip(1e3))))
        for i32 in range(-3, 4, 1):
            x = (int(clip((-(-0.0)))) / (-3))
    return t[0], (min(1e-3, x) - x), (int(clip(1.0)) in (0, 1, 7, 100)), t
