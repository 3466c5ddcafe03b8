# args: [(5, inf, True, [944], [0.0]), (5, 10000000000.0, True, [865, 286, 390], [0.1, 0.0, 3.0])]
@njit
def clip(x):
    return x if -1e5 < x < 1e5 else 0.0


@njit
def narrow(x):
    return x if not (x < -1e5 or x > 1e5) else 1.0


@njit
def main(n, x, flag, a, b):
    t = (n, x)
    try:
        if ((t[1] > (x * x)) and (len(a) > (n + (-5)))) and flag:
            raise ValueError("code", n)
        try:
            try:
                n = (t[0] // (-2)) % 1048576
            except LookupError:
                if math.isnan((len(b) - (0.0 - 3.25))) and True:
                    raise KeyError("code", n)
                raise
            except Exception:
                t = (abs(n), x)
            if (not math.isnan(min(2.0, x))) and ((n & n) <= (n if True else (-7))):
                raise KeyError("code", (5 % 2))
        except ArithmeticError:
            w1 = 0
            while w1 < 5:
                w1 += 1
                t = (min(a[(-7)], (n if flag else 5)), 0.5)
            x *= min(x, x)
            raise
        except (RuntimeError, IndexError):
            m2 = None
            if ((1.0 + 3.25) == (0.5 // (-3.0))):
                m2 = abs((-(1000 - 3)))
            if m2 is None:
                b[divmod(n, 7)[0] % len(b)] = (x * ((1 // 1) - (n // 1)))
            else:
                v3 = (((m2 | 255) * (0 << 9)) % 1048576, b[-1 - abs(1) % len(b)])
        if ((((-255) in (0, 1, 7, 100)) + math.isnan((-1.5))) in (0, 1, 7, 100)) and (int(clip((-0.0))) >= float(n)):
            raise ValueError("code", int(clip(x)))
    except Exception:
        flag = ((not (5 < n)) or ((n >> 3) in (0, 1, 7, 100)))
    except LookupError:
        b[((-65535) - n) % len(b)] = math.fabs((x * x))
    finally:
        a[-1 - (False + flag) % len(a)] = t[0]
    for i4 in b:
        if ((2 | n) == 1):
            v5 = ((x * x) * min(2.0, float(1000)))
            v5 = ((i4 + (v5 / 0.5)) if (((-7) | 10) >= (n if True else n)) else ((i4 // 2.0) / (abs(((-0.0) * 3)) + 1.0)))
        elif False:
            w6 = 0
            while w6 < 8:
                w6 += 1
                if flag and (n < (n + 100)):
                    raise RuntimeError("code", (255 % 3))
            w7 = 0
            while w7 < 2:
                w7 += 1
                v8 = w7
        else:
            for i9, i9x in enumerate(b):
                if False and (abs(n) > (100 | n)):
                    raise RuntimeError("code", n)
            x = ((((n * n) % 1048576) // n) - ((0.1 - i4) / (abs((1e3 * (-1.5))) + 1.0)))
    if ((n // n) >= n):
        w10 = 0
        while w10 < 0:
            w10 += 1
            m11 = None
            if flag:
                m11 = w10
            if m11 is not None:
                x += (x % 2.0)
            else:
                if (w10 == a[(w10 | n)]) and flag:
                    raise ValueError("code", (+0))
            w12 = 0
            while w12 < 7:
                w12 += 1
                if (abs(max(1000, (-1000))) <= n != (a[w12] | (w12 << 9))) and ((not True) or (65535 in (0, 1, 7, 100))):
                    raise RuntimeError("code", (63 >> 70))
    return (len(a) << 0), math.fabs(min(x, x)), (a[1000 % len(a)] in (0, 1, 7, 100)), t
