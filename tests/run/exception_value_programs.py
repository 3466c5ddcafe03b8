"""Programs about exceptions as values: their arguments, texts, classes, and where they can go.

As in exception_programs.py, whose SCOPE is what these find in their globals.
"""

VALUES = {
    "the class of an exception": ("""
        def fail(i, x):
            if i == 0:
                raise ValueError("v", i)
            if i == 1:
                raise KeyError(i)
            if i == 2:
                1 // x
            if i == 3:
                raise MyError
            if i == 4:
                raise Derived(1.5, "s", (i, 2))
            if i == 5:
                raise OSError(2, "nope")
            if i == 6:
                raise StopIteration(i)
            if i == 7:
                raise Coded(i)

        def f(x):
            out, before = 0, None
            for i in range(9):
                try:
                    fail(i, x)
                except Exception as e:
                    kind = type(e)
                    if kind is ValueError:
                        out += 1
                    if kind is not KeyError:
                        out += 10
                    if MyError == kind:
                        out += 100
                    if kind in (Derived, KeyError) or kind != FileNotFoundError:
                        out += 1000
                    if issubclass(kind, MyError) and not issubclass(kind, (int, KeyError)):
                        out += 10000
                    if before is not None and type(before) is kind:
                        out += 100000
                    if kind is int or type(e) is None:
                        out += 1000000
                    print(kind, kind.__name__, f"{kind.__qualname__} {kind!r}", kind.__module__)
                    print(isinstance(kind, type), 1 if kind else 2)
                    print(issubclass(ValueError, Exception), issubclass(bool, (str, int)))
                    before = e
            return out, before is not None and type(before) is ValueError
        """, 0),
    "arguments of various types": ("""
        def fail(x):
            if x == 0:
                raise ValueError(1, "a")
            if x == 1:
                raise KeyError(2, "b", 3.5)
            if x == 2:
                raise MyError(7)
            if x == 3:
                raise MyError()
            if x == 4:
                raise Coded(x)
            return 1 // (x - 5)

        def f(x):
            try:
                fail(x)
            except Exception as e:
                a = e.args
                return len(e.args), bool(a), repr(a), 1 if a else 2, e.args, f"{a}"
            return None
        """, 0, 1, 2, 3, 4, 5, 6),
    "one of various arguments": ("""
        def f(x):
            try:
                if x == 0:
                    raise ValueError(1, "a")
                if x == 1:
                    raise KeyError(2, "b", 3.5)
                if x == 2:
                    raise MyError(7)
                if x == 3:
                    raise MyError
            except Exception as e:
                last = e.args[1] if len(e.args) > 1 else "-"
                return e.args[0], last, e.args[-len(("a",)) * 3] if x == 1 else 0
            return 0, "none", 0
        """, 0, 1, 2, 3, 4),
    "attributes of Python's own classes": ("""
        def leave(x):
            if x == 1:
                raise SystemExit(3)
            if x == 2:
                raise SystemExit
            if x == 3:
                raise SystemExit()
            if x == 4:
                raise ValueError(x)
            if x == 5:
                raise Leave(5)
            return -1

        class Leave(SystemExit):
            pass

        def opened(x):
            if x == 1:
                raise FileNotFoundError(2, "not there")
            if x == 2:
                raise OSError("text")
            if x == 3:
                raise OSError
            raise OSError(13, "no")

        def f(x):
            code = strange = -2
            try:
                code = leave(x)
            except SystemExit as e:
                code = e.code
            except ValueError:
                pass
            try:
                strange = leave(x)
            except BaseException as e:
                try:
                    strange = e.code
                except AttributeError as e2:
                    print(e2, e2.args)
            print(code, strange)
            try:
                opened(x)
            except OSError as e:
                print(e.errno, e.strerror, e.filename, type(e).__name__, e.args)
            try:
                raise StopIteration(x, 1) if x > 2 else StopIteration(x + 1)
            except StopIteration as e:
                print(e.value, len(e.args))
            try:
                raise ImportError("m") if x > 2 else ImportError()
            except ImportError as e:
                print(e.msg)
            return code
        """, 0, 1, 2, 3, 4, 5),
    "args": ("""
        def f(x):
            try:
                raise ValueError("a", x, x * 0.5, (x, "t"))
            except ValueError as e:
                print(e.args, len(e.args))
                return e.args[1] + e.args[3][0]
        """, 3),
    "args of a check": ("""
        def f(x):
            try:
                return str(1 // x)
            except ZeroDivisionError as e:
                return e.args[0] + "!"
        """, 0, 1),
    "args by class": ("""
        @njit
        def g(x):
            if x == 0:
                raise ValueError("v", x)
            if x == 1:
                raise KeyError("k")
            if x == 2:
                raise OverflowError("o", 1.5)
            return x

        def f(x):
            try:
                return g(x)
            except ValueError as e:
                return e.args[1]
            except KeyError as e:
                print(e.args[0])
            except ArithmeticError as e:
                return int(e.args[1] * 2)
            return -1
        """, 0, 1, 2, 3),
    "no args": ("""
        def f(x):
            try:
                assert x
            except AssertionError as e:
                return str(e), e.args
            return "", ()
        """, 0, 1),
    "texts": ("""
        def f(x):
            try:
                raise KeyError("k", x)
            except KeyError as e:
                print(e, (e, 1), sep="|")
                return f"{e}|{e!r:>30}|{e!s}|{e!a}", str(e), repr(e)
        """, 3),
    "messages of the runtime": ("""
        def f(x):
            a = np.zeros(3)
            for k in range(7):
                try:
                    if k == 0:
                        a[x] = 1
                    if k == 1:
                        math.sqrt(-1.0 * x)
                    if k == 2:
                        math.exp(1000.0 + x)
                    if k == 3:
                        int(math.inf)
                    if k == 4:
                        (1, 2)[x]
                    if k == 5:
                        x // (k - 5)
                    if k == 6:
                        np.zeros(-x)
                except (LookupError, ArithmeticError, ValueError) as e:
                    print(k, repr(e))
        """, 5),
    "results": ("""
        def f(x):
            if x == 0:
                return ValueError("a", x)
            try:
                1 // (x - 1)
            except ZeroDivisionError as e:
                return e
            return None
        """, 0, 1, 2),
    "in tuples and in others": ("""
        def f(x):
            es = (ValueError("a"), KeyError("b", x))
            for e in es:
                print(e)
            if x:
                raise TypeError(es[0], (es[1], x))
            return es, MyError(es[1])
        """, 0, 1),
    "identity": ("""
        def f(x):
            a = ValueError("a")
            b = ValueError("a")
            c = a
            try:
                raise a
            except ValueError as e:
                return e is a, e == a, e != a, a == b, a is b, a is not None, c is e, bool(a)
        """, 0),
    "maybe none": ("""
        def f(x):
            err = None
            try:
                1 // x
            except ZeroDivisionError as e:
                err = e
            if isinstance(err, ArithmeticError):
                print("arithmetic")
            print(isinstance(err, (int, ValueError)), err == None, isinstance(err, type(None)))
            if err:
                raise err
            return str(err)
        """, 0, 1),
    "isinstance": ("""
        def f(x):
            e = ValueError("a") if x else KeyError("b", 1)
            print(isinstance(e, ValueError), isinstance(e, (LookupError, ValueError)))
            print(isinstance(e, (int, float)), isinstance(e, object), isinstance(e, BaseException))
            raise e
        """, 0, 1),
    "users' classes": ("""
        @njit
        def g(x):
            raise Derived("d", x) if x else MyError("m")

        def f(x):
            try:
                try:
                    g(x)
                except ValueError:
                    print("value")
                    raise
            except MyError as e:
                return repr(e)
        """, 0, 1),
    "a class with an __init__": ("""
        @njit
        def g(x):
            raise Coded(x, "text")

        def f(x):
            try:
                g(x)
            except Coded as e:
                print(e, repr(e))
                if x:
                    raise
                return e
        """, 0, 1),
    "operating system errors choose their class": ("""
        def f(x):
            try:
                raise OSError(2, "nope")
            except FileNotFoundError as e:
                return "not found", str(e)
            except OSError as e:
                return "other", str(e)
        """, 0),
    "arguments of all types": ("""
        def f(x):
            raise ValueError(Color.RED if x else Color.GREEN, range(3), None, 1j, b"ab",
                             "\u00e9\u20ac", (1, (2.5, "x")), np.arange(3), x > 0)
        """, 0, 1),
    "an array survives in the exception": ("""
        def f(x):
            try:
                b = np.zeros(5)
                b[1] = 7
                raise ValueError(b[1:], x)
            except ValueError as e:
                return e.args[0]
        """, 0),
    "stop iteration": ("""
        def f(x):
            it = iter(range(x))
            try:
                next(it)
                next(it)
            except StopIteration as e:
                return repr(e)
            return "?"
        """, 0, 2),
    "a cell for the exception": ("""
        def f(x):
            err = None

            def g():
                nonlocal err
                try:
                    1 // x
                except ZeroDivisionError as e:
                    err = e

            g()
            if err is not None:
                return str(err)
            return "fine"
        """, 0, 1),
}
