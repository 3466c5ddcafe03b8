"""Programs that raise and catch, by what they show: a source with an `f` to call, and arguments.

test_exceptions.py runs them plainly and compiled. SCOPE is what they find in their globals.
"""

import enum


class MyError(Exception):
    pass


class Coded(ValueError):
    def __init__(self, code, text="none"):
        super().__init__(f"{code}: {text}")
        self.code = code

    def __str__(self):
        return f"Coded {self.code}"


class Derived(MyError, ValueError):
    pass


class Color(enum.Enum):
    RED = 1
    GREEN = 2


ERRORS = (ValueError, KeyError)
SCOPE = {"MyError": MyError, "Coded": Coded, "Derived": Derived, "Color": Color, "ERRORS": ERRORS}


PROGRAMS = {
    "caught where it is raised": ("""
        def g(x):
            if x % 3 == 1:
                raise ValueError("one", x)
            if x % 3 == 2:
                raise Derived("two", x)
            return x

        def f(x):
            n = 0
            for i in range(x):
                try:
                    n += g(i)
                except KeyError:
                    n += 1000
                except ValueError:
                    n -= 1
                else:
                    n += 100
            return n
        """, 0, 1, 2, 10),
    "the handler fails in its turn": ("""
        def g(x):
            raise MyError("first", x)

        def f(x):
            n = 0
            for i in range(x):
                try:
                    g(i)
                except Exception:
                    n += 10 // (2 - i)
            return n
        """, 1, 2, 3, 4),
    "a handler that fails sometimes, caught outside": ("""
        def f(x):
            n = 0
            for i in range(10):
                try:
                    try:
                        raise KeyError("k", i)
                    except LookupError:
                        n += 10 // (i - x)
                        raise IndexError
                    finally:
                        n += 1
                except ZeroDivisionError as e:
                    print(repr(e.__context__), n)
                except IndexError:
                    n += 2
            return n
        """, 0, 5, 20),
    "raised again where it was caught": ("""
        def g(x):
            try:
                raise ValueError(x)
            except ValueError:
                if x > 1:
                    raise
                return 0

        def f(x):
            try:
                return g(x)
            except ValueError as e:
                if x > 2:
                    raise e
                return e.args[0]
        """, 0, 2, 3),
    "a check that stays in its loop, whose variable the handler reads": ("""
        def f(x):
            a = np.arange(x + 3)
            t = (x, 0.5)
            try:
                try:
                    raise IndexError
                except IndexError:
                    i = 0
                    while i < x:
                        i += 1
                        t = (int(a[-7]), 2.5)
                    raise
            except LookupError:
                return t
        """, 0, 2, 9),
    "passing the wrong handlers": ("""
        def f(x):
            try:
                try:
                    if x:
                        raise Derived("d", x)
                    raise OSError(2, "gone")
                except (KeyError, IndexError):
                    return 1
                except FileNotFoundError:
                    return 2
            except MyError:
                return 3
        """, 0, 1),
    "typed": ("""
        def f(x):
            try:
                if x == 0:
                    raise ValueError("a", x)
                if x == 1:
                    raise KeyError(x)
                if x == 2:
                    raise IndexError
                return "none"
            except (ValueError, KeyError) as e:
                return str(e)
            except LookupError as e:
                return repr(e)
        """, 0, 1, 2, 3),
    "raise alone in functions that are called from except": ("""
        def again():
            raise

        def helper(x):
            if x > 1:
                again()
            return x

        def f(x):
            try:
                1 // (x - x)
            except ZeroDivisionError:
                try:
                    helper(x)
                except ZeroDivisionError:
                    for i in range(5):
                        try:
                            raise ValueError(i)
                        except ValueError:
                            try:
                                helper(x)
                            except ValueError as e:
                                if i == 1:
                                    continue
                                if i == 3:
                                    break
                            finally:
                                x += 0
                    try:
                        helper(x)
                    except ZeroDivisionError:
                        pass
                helper(x)
            return x
        """, 0, 1, 2),
    "raise alone where nothing is handled any more": ("""
        def again(x):
            if x > 1:
                raise

        def handles(x):
            try:
                1 // x
            except ZeroDivisionError:
                return 1
            return 2

        def f(x):
            n = handles(0) + handles(1)
            try:
                raise KeyError(n)
            except KeyError as e:
                n += 1
            again(x)
            return n
        """, 0, 2),
    "raise alone from finally and with a cause": ("""
        def again():
            raise

        def f(x):
            try:
                try:
                    if x:
                        raise MyError("m", x)
                finally:
                    if x == 2:
                        again()
            except MyError as e:
                if x == 1:
                    raise ValueError("v") from e
                again()
            return x
        """, 0, 1, 2, 3),
    "bare, else": ("""
        def f(x):
            try:
                1 // x
            except:
                return "bare"
            else:
                return "else"
        """, 0, 1),
    "a tuple of classes": ("""
        def f(x):
            try:
                y = 10 // x
            except (TypeError, ArithmeticError, ValueError):
                y = -1
            else:
                y += 100
            return y
        """, 0, 3),
    "a name for classes": ("""
        def f(x):
            mine = (IndexError, ValueError)
            try:
                if x == 0:
                    raise ValueError("a")
                raise KeyError("b")
            except mine:
                return 1
            except ERRORS as e:
                print(e)
                return 2
        """, 0, 1),
    "unbound local": ("""
        def f(x):
            try:
                if x:
                    y = 1
                return y
            except UnboundLocalError as e:
                print(e)
                return 7
        """, 0, 1),
    "the name is unset afterwards": ("""
        def f(x):
            e = 5
            try:
                if x == 1:
                    raise ValueError("a")
                if x == 2:
                    try:
                        1 // 0
                    except ZeroDivisionError as e:
                        raise KeyError("k")
            except ValueError as e:
                pass
            except KeyError:
                pass
            return e
        """, 0, 1, 2),
    "the name is used for something else": ("""
        def f(x):
            try:
                1 // x
            except ZeroDivisionError as e:
                e = 5
                return e
            return 2
        """, 0, 1),
    "raise again": ("""
        def f(x):
            try:
                if x:
                    raise ValueError("a")
            except ValueError as e:
                raise
            return 0
        """, 0, 1),
    "raise the name again": ("""
        def f(x):
            try:
                if x:
                    raise ValueError("a")
            except ValueError as e:
                raise e
            return 0
        """, 0, 1),
    "raise after del": ("""
        def f(x):
            try:
                raise ValueError("e")
            except ValueError as e:
                del e
                if x:
                    raise
            return 1
        """, 0, 1),
    "cause": ("""
        def f(x):
            try:
                if x:
                    raise ValueError("a")
            except ValueError as e:
                raise KeyError("b") from e
            return 0
        """, 0, 1),
    "no cause": ("""
        def f(x):
            try:
                if x:
                    raise ValueError("a")
            except ValueError as e:
                raise KeyError("b") from None
            return 0
        """, 0, 1),
    "a class as cause": ("""
        def f(x):
            raise ValueError("x", x) from KeyError
        """, 0),
    "context": ("""
        def f(x):
            try:
                try:
                    1 // x
                except ZeroDivisionError:
                    a = np.zeros(2)
                    a[5]
            except IndexError as e:
                raise KeyError("x")
            return 0
        """, 0, 1),
    "context of a nested handler": ("""
        def f(x):
            try:
                1 // x
            except ZeroDivisionError:
                try:
                    raise KeyError("second")
                except KeyError as k:
                    assert x > 5, "third"
        """, 0, 1),
    "context by finally": ("""
        def f(x):
            try:
                try:
                    1 // x
                finally:
                    raise KeyError("fin")
            except KeyError as e:
                print(e.__context__, e.__cause__)
                raise ValueError("last")
        """, 0, 1),
    "context of what a callee raises": ("""
        @njit
        def g(x):
            if x:
                raise ValueError("g", x)
            return 3

        def f(x):
            try:
                return g(x)
            except ValueError:
                return g(x + 1)
        """, 0, 1),
    "context of a callee's own handler": ("""
        @njit
        def g(x):
            try:
                return 1 // (x - x)
            except ZeroDivisionError:
                raise KeyError("inner")

        def f(x):
            try:
                raise ValueError("outer")
            except ValueError:
                return g(x)
        """, 0),
    "an old exception gets a new context": ("""
        def f(x):
            err = None
            try:
                1 // x
            except ZeroDivisionError as e:
                err = e
            try:
                raise KeyError("k")
            except KeyError:
                if err is not None:
                    raise err
            return 0
        """, 0, 1),
    "contexts make no ring": ("""
        def f(x):
            try:
                raise ValueError("a")
            except ValueError as a:
                try:
                    raise KeyError("b")
                except KeyError as b:
                    raise a
        """, 0),
    "chain in a loop": ("""
        def f(x):
            err = None
            for i in range(5):
                try:
                    if i % 2 == x:
                        raise ValueError(i)
                except ValueError as e:
                    if err is None:
                        err = e
                    else:
                        raise e from err
            return 0
        """, 0, 1),
    "loops": ("""
        def f(x):
            n = 0
            for i in range(10):
                try:
                    if i == 3:
                        continue
                    if i == 7:
                        break
                    if i == 5:
                        raise ValueError(i)
                    n += i
                except ValueError as e:
                    n += 100
                    if x:
                        continue
                    break
                else:
                    n += 1000
                finally:
                    n += 10000
            else:
                n += 7
            return n
        """, 0, 1),
    "ways out of except and finally": ("""
        def f(x):
            for i in range(5):
                try:
                    if i == x:
                        raise IndexError(i)
                except IndexError as e:
                    try:
                        if i == 2:
                            raise KeyError(i)
                        if i == 3:
                            continue
                    finally:
                        print("fin", i)
                        if i == 1:
                            break
                else:
                    print("else", i)
            else:
                print("loop else")
            return i
        """, 0, 1, 2, 3, 4),
    "return in all places": ("""
        def f(x):
            try:
                try:
                    if x == 1:
                        return "try"
                    if x == 2:
                        raise ValueError("v")
                except ValueError:
                    return "except"
                else:
                    if x == 3:
                        return "else"
                finally:
                    print("finally")
                    if x == 0:
                        return "finally"
            finally:
                print("outer")
            return "end"
        """, 0, 1, 2, 3, 4),
    "finally swallows": ("""
        def f(x):
            for i in range(3):
                try:
                    if x == 0:
                        return i
                    if x == 1:
                        raise ValueError(i)
                except ValueError:
                    return 10 + i
                finally:
                    if x == 2:
                        break
                    if i == 1:
                        return 99
            return -1
        """, 0, 1, 2),
    "finally continues": ("""
        def f(x):
            for i in range(3):
                try:
                    1 // (i - x)
                finally:
                    if x == 1:
                        continue
                    print(i)
            return -1
        """, 0, 1, 2),
    "callees that catch and wrap": ("""
        @njit
        def h(x):
            return 10 // x

        @njit
        def g(x):
            try:
                return h(x)
            except ZeroDivisionError as e:
                raise RuntimeError(
                    "wrapped",
                    x,
                ) from e

        def f(x):
            try:
                return g(x) + 1
            except RuntimeError as e:
                raise
        """, 0, 1),
    "recursion": ("""
        @njit
        def g(n):
            try:
                return 1 // n + g(n - 1)
            except ZeroDivisionError as e:
                raise ValueError("at", n) from e
            except ValueError as e:
                raise KeyError("up", n)

        def f(n):
            return g(n)
        """, 0, 1, 3),
    "raised by a callee": ("""
        @njit
        def g(e):
            raise e

        def f(x):
            try:
                g(ValueError("v", x))
            except ValueError as e:
                if x == 2:
                    raise
                if x == 3:
                    g(e)
                return e.args[1]
        """, 0, 2, 3),
    "made by a callee": ("""
        @njit
        def g(x):
            return ValueError("made", x)

        def f(x):
            e = g(x)
            if x:
                raise e
            return e.args[1]
        """, 0, 1),
    "inner functions": ("""
        def f(x):
            def check(v):
                if v > x:
                    raise ValueError("too big", v)
                return v

            def total():
                t = 0
                for i in range(3):
                    t += check(i)
                return t

            try:
                return total()
            except ValueError as e:
                def low():
                    return -e.args[1]
                return low()
        """, 0, 1, 5),
    "what Exception lets through": ("""
        def f(x):
            try:
                if x == 0:
                    raise SystemExit(3)
                if x == 1:
                    raise KeyboardInterrupt
                if x == 2:
                    raise GeneratorExit
                raise BaseException("b")
            except Exception:
                return 1
            finally:
                print("finally")
        """, 0, 1, 2, 3),
    "assert": ("""
        def f(x):
            assert x != 0, ("zero", x)
            assert (x >
                    1)
            return x
        """, 0, 1, 2),
    "what library functions raise does not count": ("""
        @njit
        def g(a, i):
            b = a.copy()
            try:
                c = b[1:].copy()
                return c[i] + b[0]
            except IndexError as e:
                raise ValueError(b, str(e)) from e

        def f(x):
            a = np.arange(3.0)
            out = np.zeros(4)
            for i in range(4):
                try:
                    out[i] = g(a, i)
                except ValueError as e:
                    out[i] = e.args[0][1] - 100
            return out
        """, 0),
    "no active exception": ("""
        def f(x):
            raise
        """, 0),
}
