"""Seeded generator of typed Python functions whose values stay where Python's ints and int64 agree.

Every integer expression carries a bound on its magnitude; whatever could pass 2**62 is reduced by
`%` first, and every assignment keeps its variable below LIMIT. Floats may overflow to inf and turn
nan. Faults (zero division, a subscript out of range, an explicit raise, int of nan) are left in on
purpose now and then: both runs must raise the same, with the same writes to arrays before it.

A module has a few helper functions and one `main(n, x, flag, a, b)`:
n int, x float, flag bool, a int64[:], b float64[:].
"""

import random

LIMIT = 1 << 20       # bound of every integer variable
TOO_BIG = 1 << 62     # bound of every integer expression
MAX_TRIPS = 400       # product of the trip counts of nested loops
CAUGHT = ["ValueError", "KeyError", "(RuntimeError, IndexError)", "LookupError", "ArithmeticError",
          "Exception"]


class Scope:
    """Variables that can be read at one point: name -> type, one of "int", "float", "bool",
    "pair" (a tuple of an int and a float), "ints", "floats"."""

    def __init__(self, variables, writable=()):
        self.variables = dict(variables)
        self.writable = set(writable)
        self.loop_names = set()

    def of(self, ty):
        return [name for name, t in self.variables.items() if t == ty]

    def copy(self):
        scope = Scope(self.variables, self.writable)
        scope.loop_names = set(self.loop_names)
        return scope


class Generator:
    """Writes one module. All choices come from one random.Random(seed)."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.helpers = []  # (name, parameter types, result type)
        self.counter = 0
        self.risky = self.random.random() < 0.35
        self.inside_try = 0

    def chance(self, p):
        return self.random.random() < p

    def fresh(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}"

    # -- expressions ------------------------------------------------------------------------

    def int_expr(self, scope, depth):
        """(text, bound): the value's magnitude is below bound."""
        kinds = ["const", "var"] if depth <= 0 else [
            "const", "var", "var", "add", "sub", "mul", "mod", "floordiv", "bits", "shift",
            "element", "cast", "ifexp", "minmax", "abs", "call", "pair", "neg", "divmod", "boolsum",
            "len"]
        return getattr(self, "int_" + self.random.choice(kinds))(scope, depth)

    def int_const(self, scope, depth):
        value = self.random.choice([0, 1, 2, 3, 5, 7, 10, 63, 100, 255, 1000, 65535])
        value = -value if self.chance(0.2) else value
        return (f"({value})" if value < 0 else str(value)), abs(value) + 1

    def int_var(self, scope, depth):
        names = scope.of("int")
        if not names:
            return self.int_const(scope, depth)
        return self.random.choice(names), LIMIT

    def int_pairs(self, scope, depth):
        a, bound_a = self.int_expr(scope, depth - 1)
        b, bound_b = self.int_expr(scope, depth - 1)
        return a, bound_a, b, bound_b

    def int_add(self, scope, depth):
        return self.int_sum(scope, depth, "+")

    def int_sub(self, scope, depth):
        return self.int_sum(scope, depth, "-")

    def int_sum(self, scope, depth, op):
        a, bound_a, b, bound_b = self.int_pairs(scope, depth)
        return self.limited(f"({a} {op} {b})", bound_a + bound_b)

    def int_mul(self, scope, depth):
        a, bound_a, b, bound_b = self.int_pairs(scope, depth)
        if bound_a * bound_b >= TOO_BIG:
            a, bound_a = self.reduce(a)
            b, bound_b = self.reduce(b)
        return self.limited(f"({a} * {b})", bound_a * bound_b)

    def reduce(self, text):
        return f"({text} % 1009)", 1009

    def limited(self, text, bound):
        return (text, bound) if bound < 1 << 40 else (f"({text} % {LIMIT})", LIMIT)

    def divisor(self, scope, depth):
        if self.risky and self.chance(0.3):
            return self.int_expr(scope, depth - 1)
        value = self.random.choice([2, 3, 7, 10, 16, -2, -3, -7, 1, -1])
        return (f"({value})" if value < 0 else str(value)), abs(value) + 1

    def int_mod(self, scope, depth):
        a, _ = self.int_expr(scope, depth - 1)
        b, bound = self.divisor(scope, depth)
        return f"({a} % {b})", bound

    def int_floordiv(self, scope, depth):
        a, bound = self.int_expr(scope, depth - 1)
        b, _ = self.divisor(scope, depth)
        return f"({a} // {b})", bound + 1

    def int_divmod(self, scope, depth):
        a, bound_a = self.int_expr(scope, depth - 1)
        b, bound_b = self.divisor(scope, depth)
        return f"divmod({a}, {b})[{self.random.choice([0, 1])}]", max(bound_a + 1, bound_b)

    def int_bits(self, scope, depth):
        a, bound_a, b, bound_b = self.int_pairs(scope, depth)
        op = self.random.choice("&|^")
        return f"({a} {op} {b})", 1 << max(bound_a, bound_b).bit_length()

    def int_shift(self, scope, depth):
        a, bound = self.int_expr(scope, depth - 1)
        if self.chance(0.5):
            return f"({a} >> {self.random.choice([0, 1, 3, 8, 40, 70])})", bound + 1
        count = self.random.choice([0, 1, 4, 9])
        return self.limited(f"({a} << {count})", bound << count)

    def int_neg(self, scope, depth):
        a, bound = self.int_expr(scope, depth - 1)
        op = self.random.choice(["-", "~", "+"])
        return f"({op}{a})", bound + 1

    def int_abs(self, scope, depth):
        a, bound = self.int_expr(scope, depth - 1)
        return f"abs({a})", bound

    def int_element(self, scope, depth):
        arrays = scope.of("ints")
        if not arrays:
            return self.int_var(scope, depth)
        name = self.random.choice(arrays)
        return f"{name}[{self.index(scope, name, depth)}]", LIMIT

    def int_cast(self, scope, depth):
        x = self.float_expr(scope, depth - 1)
        name = "clip" if not (self.risky and self.chance(0.3)) else "narrow"
        return f"int({name}({x}))", LIMIT

    def int_ifexp(self, scope, depth):
        a, bound_a, b, bound_b = self.int_pairs(scope, depth)
        return f"({a} if {self.bool_expr(scope, depth - 1)} else {b})", max(bound_a, bound_b)

    def int_minmax(self, scope, depth):
        a, bound_a, b, bound_b = self.int_pairs(scope, depth)
        return f"{self.random.choice(['min', 'max'])}({a}, {b})", max(bound_a, bound_b)

    def int_boolsum(self, scope, depth):
        return f"({self.bool_expr(scope, depth - 1)} + {self.bool_expr(scope, depth - 1)})", 3

    def int_len(self, scope, depth):
        arrays = scope.of("ints") + scope.of("floats")
        return (f"len({self.random.choice(arrays)})", 1000) if arrays else ("3", 4)

    def int_pair(self, scope, depth):
        pairs = scope.of("pair")
        return (f"{self.random.choice(pairs)}[0]", LIMIT) if pairs else self.int_var(scope, depth)

    def int_call(self, scope, depth):
        call = self.call(scope, depth, "int")
        return (call, LIMIT) if call else self.int_var(scope, depth)

    def index(self, scope, name, depth):
        """A subscript of array `name`, in range unless the module is a risky one."""
        loops = [v for v in scope.loop_names if v in scope.variables]
        if loops and self.chance(0.6):
            base = self.random.choice(loops)
        else:
            base = self.int_expr(scope, depth - 1)[0]
        if self.risky and self.chance(0.25):
            return base
        text = f"{base} % len({name})"
        return f"-1 - {text}" if self.chance(0.15) else text

    def float_expr(self, scope, depth):
        """Text of an expression of type float."""
        kinds = ["const", "var"] if depth <= 0 else [
            "const", "var", "var", "arith", "arith", "mixed", "div", "element", "fromint", "ifexp",
            "minmax", "math", "call", "pair", "neg", "mod", "square"]
        return getattr(self, "float_" + self.random.choice(kinds))(scope, depth)

    def float_const(self, scope, depth):
        return self.random.choice(["0.0", "0.5", "1.0", "2.0", "(-1.5)", "1e3", "1e-3", "3.25",
                                   "0.1", "(-0.0)", "1e300"])

    def float_var(self, scope, depth):
        names = scope.of("float")
        return self.random.choice(names) if names else self.float_const(scope, depth)

    def float_arith(self, scope, depth):
        a, b = self.float_expr(scope, depth - 1), self.float_expr(scope, depth - 1)
        return f"({a} {self.random.choice('+-*')} {b})"

    def float_mixed(self, scope, depth):
        a, (b, _) = self.float_expr(scope, depth - 1), self.int_expr(scope, depth - 1)
        parts = (a, b) if self.chance(0.5) else (b, a)
        return f"({parts[0]} {self.random.choice('+-*')} {parts[1]})"

    def float_div(self, scope, depth):
        a = self.float_expr(scope, depth - 1)
        if self.risky and self.chance(0.4):
            return f"({a} / {self.float_expr(scope, depth - 1)})"
        if self.chance(0.3):
            return f"({self.int_expr(scope, depth - 1)[0]} / {self.divisor(scope, 0)[0]})"
        return f"({a} / (abs({self.float_expr(scope, depth - 1)}) + 1.0))"

    def float_mod(self, scope, depth):
        op = self.random.choice(["%", "//"])
        divisor = self.random.choice(["2.0", "0.75", "(-3.0)"])
        return f"({self.float_expr(scope, depth - 1)} {op} {divisor})"

    def float_element(self, scope, depth):
        arrays = scope.of("floats")
        if not arrays:
            return self.float_var(scope, depth)
        name = self.random.choice(arrays)
        return f"{name}[{self.index(scope, name, depth)}]"

    def float_fromint(self, scope, depth):
        return f"float({self.int_expr(scope, depth - 1)[0]})"

    def float_ifexp(self, scope, depth):
        a, b = self.float_expr(scope, depth - 1), self.float_expr(scope, depth - 1)
        return f"({a} if {self.bool_expr(scope, depth - 1)} else {b})"

    def float_minmax(self, scope, depth):
        a, b = self.float_expr(scope, depth - 1), self.float_expr(scope, depth - 1)
        return f"{self.random.choice(['min', 'max'])}({a}, {b})"

    def float_math(self, scope, depth):
        a = self.float_expr(scope, depth - 1)
        if self.risky and self.chance(0.2):
            return f"math.sqrt({a})"
        return self.random.choice(["math.sqrt(abs({}))", "math.fabs({})", "abs({})",
                                   "math.copysign({}, -1.0)"]).format(a)

    def float_neg(self, scope, depth):
        return f"(-{self.float_expr(scope, depth - 1)})"

    def float_square(self, scope, depth):
        names = scope.of("float")
        if not names:
            return self.float_const(scope, depth)
        name = self.random.choice(names)
        return f"({name} * {name})"

    def float_pair(self, scope, depth):
        pairs = scope.of("pair")
        return f"{self.random.choice(pairs)}[1]" if pairs else self.float_var(scope, depth)

    def float_call(self, scope, depth):
        return self.call(scope, depth, "float") or self.float_var(scope, depth)

    def bool_expr(self, scope, depth):
        """Text of an expression of type bool."""
        kind = self.random.choice(["const", "var", "cmp", "cmp", "fcmp", "chain", "and", "not",
                                   "isnan", "mixed", "in"])
        if depth <= 0:
            kind = self.random.choice(["const", "var"])
        if kind == "var" and scope.of("bool"):
            return self.random.choice(scope.of("bool"))
        op = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
        if kind == "cmp":
            a, _, b, _ = self.int_pairs(scope, depth)
            return f"({a} {op} {b})"
        if kind == "fcmp":
            return f"({self.float_expr(scope, depth - 1)} {op} {self.float_expr(scope, depth - 1)})"
        if kind == "mixed":
            a = self.int_expr(scope, depth - 1)[0]
            return f"({a} {op} {self.float_expr(scope, depth - 1)})"
        if kind == "chain":
            a, _, b, _ = self.int_pairs(scope, depth)
            return f"({a} <= {self.int_expr(scope, 0)[0]} {op} {b})"
        if kind == "and":
            word = self.random.choice(["and", "or"])
            return f"({self.bool_expr(scope, depth - 1)} {word} {self.bool_expr(scope, depth - 1)})"
        if kind == "not":
            return f"(not {self.bool_expr(scope, depth - 1)})"
        if kind == "isnan":
            return f"math.isnan({self.float_expr(scope, depth - 1)})"
        if kind == "in":
            return f"({self.int_expr(scope, depth - 1)[0]} in (0, 1, 7, 100))"
        return self.random.choice(["True", "False"])

    def call(self, scope, depth, result):
        """A call of a helper that returns `result`, or None if there is none to call."""
        fitting = [h for h in self.helpers if h[2] == result]
        if not fitting or depth < 1:
            return None
        name, parameters, _ = self.random.choice(fitting)
        arguments = []
        for ty in parameters:
            if ty == "int":
                text, bound = self.int_expr(scope, depth - 2)
                arguments.append(text if bound <= LIMIT else f"{text} % {LIMIT}")
            elif ty == "float":
                arguments.append(self.float_expr(scope, depth - 2))
            elif ty == "bool":
                arguments.append(self.bool_expr(scope, depth - 2))
            else:
                if not scope.of(ty):
                    return None
                arguments.append(self.random.choice(scope.of(ty)))
        return f"{name}({', '.join(arguments)})"

    # -- statements -------------------------------------------------------------------------

    def emit(self, level, text):
        self.lines.append("    " * level + text)

    def value(self, scope, ty, depth=3):
        """Text of an expression of type `ty` that may be assigned to a variable."""
        if ty == "int":
            text, bound = self.int_expr(scope, depth)
            return text if bound <= LIMIT else f"{text} % {LIMIT}"
        if ty == "float":
            return self.float_expr(scope, depth)
        if ty == "bool":
            return self.bool_expr(scope, depth)
        return f"({self.value(scope, 'int', depth - 1)}, {self.value(scope, 'float', depth - 1)})"

    def block(self, scope, level, budget, trips, in_loop):
        """Statements at one level; at least one. trips: iterations left for nested loops."""
        for _ in range(self.random.randint(1, max(1, budget))):
            self.statement(scope, level, budget - 1, trips, in_loop)

    def statement(self, scope, level, budget, trips, in_loop):
        kinds = ["assign"] * 3 + ["augment", "swap", "store", "store"]
        if budget > 0:
            kinds += ["if", "if", "while", "try", "maybe"] + (["for"] * 3 if trips > 4 else [])
        if in_loop:
            kinds += ["leave"]
        if self.risky or self.inside_try:
            kinds += ["raise"]
        getattr(self, "do_" + self.random.choice(kinds))(scope, level, budget, trips, in_loop)

    def do_assign(self, scope, level, *_):
        ty = self.random.choice(["int", "int", "float", "float", "bool", "pair"])
        targets = [v for v in scope.of(ty) if v in scope.writable]
        value = self.value(scope, ty)
        name = self.random.choice(targets) if targets and self.chance(0.7) else self.fresh("v")
        self.emit(level, f"{name} = {value}")
        scope.variables[name] = ty
        scope.writable.add(name)

    def do_augment(self, scope, level, *_):
        names = [v for v in scope.of("float") if v in scope.writable]
        if not names:
            return self.do_assign(scope, level)
        self.emit(level, f"{self.random.choice(names)} {self.random.choice('+-*')}= "
                         f"{self.float_expr(scope, 2)}")

    def do_swap(self, scope, level, *_):
        names = [v for v in scope.of(self.random.choice(["int", "float"])) if v in scope.writable]
        if len(names) < 2:
            return self.do_assign(scope, level)
        a, b = self.random.sample(names, 2)
        self.emit(level, f"{a}, {b} = {b}, {a}")

    def do_store(self, scope, level, *_):
        ty, element = self.random.choice([("ints", "int"), ("floats", "float")])
        if not scope.of(ty):
            return self.do_assign(scope, level)
        name = self.random.choice(scope.of(ty))
        self.emit(level, f"{name}[{self.index(scope, name, 2)}] = {self.value(scope, element)}")

    def do_if(self, scope, level, budget, trips, in_loop):
        self.emit(level, f"if {self.bool_expr(scope, 2)}:")
        self.block(scope.copy(), level + 1, budget, trips, in_loop)
        if self.chance(0.3):
            self.emit(level, f"elif {self.bool_expr(scope, 2)}:")
            self.block(scope.copy(), level + 1, budget, trips, in_loop)
        if self.chance(0.5):
            self.emit(level, "else:")
            self.block(scope.copy(), level + 1, budget, trips, in_loop)

    def do_for(self, scope, level, budget, trips, in_loop):
        inner = scope.copy()
        name = self.fresh("i")
        count = self.random.randint(0, min(trips, 12))
        kind = self.random.choice(["range", "range3", "down", "ints", "floats", "enumerate", "zip",
                                   "reversed"])
        arrays = scope.of("ints"), scope.of("floats")
        if kind in ("ints", "floats", "enumerate", "zip") and not (all(arrays) and trips >= 16):
            kind = "range"
        if kind == "ints":
            header, types = f"for {name} in {self.random.choice(arrays[0])}:", {name: "int"}
        elif kind == "floats":
            header, types = f"for {name} in {self.random.choice(arrays[1])}:", {name: "float"}
        elif kind == "enumerate":
            header = f"for {name}, {name}x in enumerate({self.random.choice(arrays[1])}):"
            types = {name: "int", name + "x": "float"}
        elif kind == "zip":
            header = f"for {name}, {name}x in zip({self.random.choice(arrays[0])}, " \
                     f"{self.random.choice(arrays[1])}):"
            types = {name: "int", name + "x": "float"}
        else:
            header = {"range": f"for {name} in range({count}):",
                      "range3": f"for {name} in range({self.random.randint(-3, 3)}, {count}, "
                                f"{self.random.choice([1, 2, 3])}):",
                      "down": f"for {name} in range({count}, {self.random.randint(-2, 2)}, -1):",
                      "reversed": f"for {name} in reversed(range({count})):"}[kind]
            types = {name: "int"}
            inner.loop_names.add(name)
        self.emit(level, header)
        inner.variables.update(types)
        self.block(inner, level + 1, budget, trips // (16 if "range" not in kind else
                                                       max(count, 1) + 3), True)
        if self.chance(0.15):
            self.emit(level, "else:")
            self.block(scope.copy(), level + 1, 1, 0, in_loop)

    def do_while(self, scope, level, budget, trips, in_loop):
        count = self.random.randint(0, max(0, min(trips, 8)))
        name = self.fresh("w")
        self.emit(level, f"{name} = 0")
        self.emit(level, f"while {name} < {count}:")
        self.emit(level + 1, f"{name} += 1")
        inner = scope.copy()
        inner.variables[name] = "int"
        self.block(inner, level + 1, budget, trips // (count + 1), True)

    def do_leave(self, scope, level, *_):
        self.emit(level, f"if {self.bool_expr(scope, 2)}:")
        self.emit(level + 1, self.random.choice(["break", "continue"]))

    def do_raise(self, scope, level, *_):
        error = self.random.choice(["ValueError", "KeyError", "RuntimeError"])
        self.emit(level, f"if {self.bool_expr(scope, 3)} and {self.bool_expr(scope, 2)}:")
        self.emit(level + 1, f'raise {error}("code", {self.int_expr(scope, 1)[0]})')

    def do_try(self, scope, level, budget, trips, in_loop):
        """What a block raises, its own loops and helpers included, is caught, or passes by."""
        self.emit(level, "try:")
        self.inside_try += 1
        self.block(scope.copy(), level + 1, budget, trips, in_loop)
        if self.chance(0.5):
            self.do_raise(scope, level + 1)
        self.inside_try -= 1
        for caught in self.random.sample(CAUGHT, self.random.randint(1, 2)):
            self.emit(level, f"except {caught}:")
            self.block(scope.copy(), level + 1, budget, trips // 2, in_loop)
            if self.chance(0.1):
                self.emit(level + 1, "raise")
        if self.chance(0.3):
            self.emit(level, "else:")
            self.block(scope.copy(), level + 1, 1, trips // 2, in_loop)
        if self.chance(0.3):
            self.emit(level, "finally:")
            self.block(scope.copy(), level + 1, 1, trips // 2, False)

    def do_maybe(self, scope, level, budget, trips, in_loop):
        """A variable that is None on some paths."""
        name, ty = self.fresh("m"), self.random.choice(["int", "float", "pair"])
        self.emit(level, f"{name} = None")
        self.emit(level, f"if {self.bool_expr(scope, 2)}:")
        self.emit(level + 1, f"{name} = {self.value(scope, ty)}")
        inner = scope.copy()
        inner.variables[name] = ty
        there = self.chance(0.5)
        self.emit(level, f"if {name} is {'not ' if there else ''}None:")
        self.block(inner if there else scope.copy(), level + 1, budget, trips, in_loop)
        self.emit(level, "else:")
        self.block(scope.copy() if there else inner, level + 1, budget, trips, in_loop)

    # -- functions --------------------------------------------------------------------------

    def helper(self):
        """A function of two to four parameters that returns one int, float or bool."""
        name = self.fresh("helper")
        types = [self.random.choice(["int", "float", "bool", "ints", "floats"])
                 for _ in range(self.random.randint(2, 4))]
        result = self.random.choice(["int", "float"])
        names = [f"p{i}" for i in range(len(types))]
        self.emit(0, "@njit")
        self.emit(0, f"def {name}({', '.join(names)}):")
        scalars = [n for n, t in zip(names, types) if t in ("int", "float", "bool")]
        scope = Scope(zip(names, types), scalars)
        if self.chance(0.5):
            self.emit(1, f"if {self.bool_expr(scope, 2)}:")
            self.emit(2, f"return {self.value(scope, result, 2)}")
        self.block(scope, 1, 2, 8, False)
        self.emit(1, f"return {self.value(scope, result, 2)}")
        self.lines += ["", ""]
        self.helpers.append((name, types, result))

    def main(self):
        self.emit(0, "@njit")
        self.emit(0, "def main(n, x, flag, a, b):")
        scope = Scope({"n": "int", "x": "float", "flag": "bool", "a": "ints", "b": "floats"},
                      {"n", "x", "flag"})
        self.emit(1, "t = (n, x)")
        scope.variables["t"] = "pair"
        scope.writable.add("t")
        for _ in range(self.random.randint(2, 5)):
            self.statement(scope, 1, 3, MAX_TRIPS, False)
        parts = [self.value(scope, ty, 2) for ty in ("int", "float", "bool")]
        self.emit(1, f"return {', '.join(parts)}, t")

    def module(self):
        """The whole module as text."""
        for _ in range(self.random.randint(0, 3)):
            self.helper()
        self.main()
        return PRELUDE + "\n".join(self.lines) + "\n"


PRELUDE = '''@njit
def clip(x):
    return x if -1e5 < x < 1e5 else 0.0


@njit
def narrow(x):
    return x if not (x < -1e5 or x > 1e5) else 1.0


'''


def generate(seed):
    """Source text of the module for a seed. It needs `math` and `njit` in its globals."""
    return Generator(seed).module()


def arguments(seed):
    """Two lists of arguments for `main` of the same seed's module, as plain Python values:
    (n, x, flag, list of int, list of float)."""
    chooser = random.Random(seed ^ 0x5EED)
    result = []
    for _ in range(2):
        length = chooser.choice([1, 3, 7, 16])
        result.append((chooser.choice([0, 1, -1, 5, 100, -37, LIMIT - 1]),
                       chooser.choice([0.0, -0.0, 1.5, -2.25, 1e10, 1e-5, float("inf"), 0.1]),
                       chooser.random() < 0.5,
                       [chooser.randint(-50, 1000) for _ in range(length)],
                       [chooser.choice([0.0, 0.5, -1.25, 3.0, 1e6, 0.1]) for _ in range(length)]))
    return result


if __name__ == "__main__":
    import sys
    print(generate(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
