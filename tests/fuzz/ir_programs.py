"""Seeded generator of LOW IR, for comparing what a function does before and after the passes.

`program(seed)` is one function @f with loops, conditions, subscripts and arithmetic on the edges of
int64, and a helper @h to inline; `strip_program(seed)` has single loops full of divisions and
roots over long arrays. Both end for all arguments in CASES and STRIP_CASES. Faults are left in on
purpose: what is raised, and all that is written before, must stay the same.
"""

import random

FLOATS, INTS, GRID = (
    "array(float64, 1d, C)",
    "array(int64, 1d, C)",
    "array(float64, 2d, C)",
)


def _list(n, step=1):
    return "[" + ",".join(str(1 + k * step % 17) for k in range(n)) + "]"


def _grid(rows, columns):
    return f"{rows}x{columns}" + _list(rows * columns)


# x, y, z, n, m as words for ir_tool("interp ...")
CASES = [
    (_list(6), "[5,4,3,2,1,0]", _grid(3, 4), 4, 3),
    (_list(3), _list(3), _grid(3, 3), 3, 3),
    ("[1]", _list(8), _grid(2, 5), 2, 8),
    (_list(8), _list(8), _grid(8, 8), 5, 0),
    ("[2,2]", "[2,2]", _grid(2, 2), -(2**62), 3),
    ("[]", "[]", "0x3[]", 1, 1),
]
STRIP_CASES = [
    (_list(150, 3), _list(200, 5), _grid(2, 3), 150, 1),
    (_list(64, 7), _list(65, 3), _grid(1, 1), 64, 2),
    (_list(70), _list(7), _grid(1, 1), 70, -1),
    ("[" + "1," * 99 + "0,-1]", "[" + "2," * 99 + "0,1]", _grid(1, 1), 101, 0),
    ("[" + "3," * 40 + "0," + "3," * 60 + "1]", _list(102), _grid(1, 1), 90, 3),
    ("[]", "[]", "0x3[]", 0, 1),
]

HELPER = """fn low @h(a: float64, n: int64) -> float64 {
b0:
    %1: float64 = arg #0
    %2: int64 = arg #1
    %3 = const int64 0
    %4: bool = gt %2, %3
    branch %4, b1, b2
b1:
    %5: float64 = mul %1, %1
    return %5
b2:
    %6: bool = ne %2, %3
    check ZERO_DIV %6
    return %1
}
"""


class Writer:
    """Blocks and values of one function. `env` maps variables to values: i0, i1 are int64, f0, f1
    float64."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.values = 20
        self.blocks = {}  # number -> (parameters, lines)
        self.loop_values = []
        self.depth = 0
        self.budget = 30

    # --- mechanics

    def ref(self):
        self.values += 1
        return f"%{self.values}"

    def new_block(self):
        self.blocks[len(self.blocks)] = ([], [])
        return len(self.blocks) - 1

    def start(self, block, params=()):
        self.block = block
        self.blocks[block][0].extend(params)

    def emit(self, line):
        self.blocks[self.block][1].append("    " + line)

    def op(self, ty, text):
        r = self.ref()
        self.emit(f"{r}: {ty} = {text}")
        return r

    def const(self, ty, value):
        r = self.ref()
        self.emit(f"{r} = const {ty} {value}")
        return r

    def int(self, value):
        return self.const("int64", value)

    def pick(self, *choices):
        return self.random.choice(choices)

    def variable(self, kind):
        return self.random.choice([v for name, v in sorted(self.env.items()) if name[0] == kind])

    def jump(self, block, to, args):
        self.blocks[block][1].append(f"    jump b{to}({', '.join(args)})")

    def merge(self, block, ends):
        """Goes on in `block`, reached from each (block, env) of ends."""
        params, env = [], {}
        for name in sorted(ends[0][1]):
            env[name] = self.ref()
            params.append((env[name], "int64" if name[0] == "i" else "float64"))
        for end, old in ends:
            self.jump(end, block, [old[name] for name in sorted(old)])
        self.env = env
        self.start(block, params)

    # --- expressions

    def int_expr(self, depth=0):
        k = self.random.random()

        def sub():
            return self.int_expr(depth + 1)

        if depth > 2 or k < 0.35:
            return self.variable("i")
        if k < 0.5:
            edges = (0, 1, 2, -1, 3, 7, 8, 64, -8, 2**63 - 1, -(2**63), 255, 1000)
            return self.int(self.pick(*edges))
        if k < 0.58:
            return self.op("int64", f"field #2 {self.pick('%1', '%2')}")
        if k < 0.62:
            return self.op("int64", f"math {self.pick('min', 'max')} {sub()}, {sub()}")
        if k < 0.66:
            return self.op("int64", f"select {self.condition(depth + 1)}, {sub()}, {sub()}")
        if k < 0.70:
            return self.op("int64", f"cast {self.condition(depth + 1)}")
        if k < 0.74:
            small = self.op(self.pick("int8", "uint8", "int32", "uint32"), f"cast {sub()}")
            return self.op("int64", f"cast {small}")
        if k < 0.78:
            a, b = sub(), sub()
            self.emit(f"check ZERO_DIV_INT {self.op('bool', f'ne {b}, {self.int(0)}')}")
            return self.op("int64", f"{self.pick('floordiv', 'floormod')} {a}, {b}")
        if k < 0.80:
            count = self.int(self.pick(0, 1, 5, 63, 64, 70))
            return self.op("int64", f"{self.pick('shl', 'shr')} {sub()}, {count}")
        if k < 0.82:
            return self.op("int64", f"neg {sub()}")
        name = self.pick("add", "sub", "mul", "and", "or", "xor", "add", "sub", "add")
        return self.op("int64", f"{name} {sub()}, {sub()}")

    def float_expr(self, depth=0):
        k = self.random.random()

        def sub():
            return self.float_expr(depth + 1)

        if depth > 2 or k < 0.35:
            return self.variable("f")
        if k < 0.5:
            return self.const("float64", self.pick("0.0", "-0.0", "1.0", "2.5", "1e300", "-1.0"))
        if k < 0.6:
            return self.load()
        if k < 0.66:
            return self.op("float64", f"cast {self.int_expr(depth + 1)}")
        if k < 0.7:
            return self.op("float64", f"math {self.pick('sqrt', 'fabs', 'floor')} {sub()}")
        if k < 0.75:
            return self.op("float64", f"fdiv {sub()}, {sub()}")
        if k < 0.8:
            pair = self.op("complex128", f"make {sub()}, {sub()}")
            return self.op("float64", f"field #{self.pick(0, 1)} {pair}")
        return self.op("float64", f"{self.pick('add', 'sub', 'mul')} {sub()}, {sub()}")

    def condition(self, depth=0):
        k = self.random.random()
        if depth < 2 and k < 0.15:
            a, b = self.condition(depth + 1), self.condition(depth + 1)
            return self.op("bool", f"{self.pick('and', 'or', 'xor')} {a}, {b}")
        if depth < 2 and k < 0.22:
            inner = self.condition(depth + 1)
            return self.op("bool", f"xor {inner}, {self.const('bool', 'true')}")
        expr = self.int_expr if k < 0.8 else self.float_expr
        test = self.pick("eq", "ne", "lt", "le", "gt", "ge")
        return self.op("bool", f"{test} {expr(depth + 1)}, {expr(depth + 1)}")

    # --- memory

    def index(self):
        k, q = self.random.random(), self.random.random()
        if self.loop_values and k < 0.85:
            i = self.random.choice(self.loop_values)
            if q < 0.35:
                return i
            if q < 0.6:
                return self.op("int64", f"add {i}, {self.int(self.pick(1, -1, 2, -3))}")
            if q < 0.7:
                return self.op("int64", f"sub {self.variable('i')}, {i}")
            if q < 0.8:
                return self.op("int64", f"mul {i}, {self.int(self.pick(2, -1, 3))}")
            other = self.random.choice(self.loop_values)
            if q < 0.9:
                return self.op("int64", f"add {i}, {other}")
            return self.op("int64", f"add {self.op('int64', f'mul {i}, %4')}, {other}")
        return self.int(self.pick(0, 1, -1, 2, -2)) if k < 0.92 else self.int_expr(2)

    def checked(self, array, axis, index):
        size = self.op("int64", f"field #{2 + axis} {array}")
        wrapped = self.op("int64", f"wrap {index}, {size}")
        self.emit(f"check.index #{axis} {wrapped}, {size}, {index}")
        return wrapped

    def address(self):
        if self.random.random() < 0.7:
            array, ty = self.pick(("%1", "float64"), ("%2", "int64"))
            return self.op("ptr", f"elem {array}, {self.checked(array, 0, self.index())}"), ty
        at = [self.checked("%3", axis, self.index()) for axis in (0, 1)]
        return self.op("ptr", f"elem %3, {at[0]}, {at[1]}"), "float64"

    def load(self):
        address, ty = self.address()
        value = self.op(ty, f"load {address}")
        return value if ty == "float64" else self.op("float64", f"cast {value}")

    def store(self):
        address, ty = self.address()
        value = self.float_expr(1) if ty == "float64" else self.int_expr(1)
        self.emit(f"store {address}, {value}")

    # --- control flow. A statement is False if nothing can come after it.

    def if_else(self):
        ways, end = [self.new_block(), self.new_block()], self.new_block()
        self.emit(f"branch {self.condition()}, b{ways[0]}, b{ways[1]}")
        env, ends = dict(self.env), []
        for way in ways:
            self.env = dict(env)
            self.start(way)
            if self.statements():
                ends.append((self.block, dict(self.env)))
        if not ends:
            self.blocks[end] = ([], ["    unreachable"])
            return False
        self.merge(end, ends)
        return True

    def bound(self):
        q = self.random.random()
        if q < 0.4:
            return self.op("int64", f"field #2 {self.pick('%1', '%2', '%3')}")
        if q < 0.5:
            return self.op("int64", "field #3 %3")
        if q < 0.7:
            return self.pick("%4", "%5")
        if q < 0.8:
            size = self.op("int64", "field #2 %1")
            return self.op("int64", f"sub {size}, {self.int(self.pick(1, 2))}")
        if self.loop_values and q < 0.9:
            return self.random.choice(self.loop_values)
        return self.int(self.pick(0, 1, 3, 5))

    def loop(self):
        chance = self.random.random
        header, body, after = self.new_block(), self.new_block(), self.new_block()
        low = self.int(self.pick(0, 0, 0, 1, 2, -1))
        if self.loop_values and chance() < 0.2:
            low = self.random.choice(self.loop_values)
        high, step = self.bound(), self.pick(1, 1, 1, 2, 3)
        down = chance() < 0.12
        if down:
            low, high, step = self.op("int64", f"add {high}, {self.int(-1)}"), low, -step
        counter, names, entry = self.ref(), sorted(self.env), self.block
        self.jump(entry, header, [low] + [self.env[name] for name in names])
        params = [(counter, "int64")]
        for name in names:
            self.env[name] = self.ref()
            params.append((self.env[name], "int64" if name[0] == "i" else "float64"))
        self.start(header, params)
        inside = dict(self.env)
        test = self.pick("ge", "gt") if down else self.pick("lt", "lt", "lt", "le")
        operands = f"{counter}, {high}"
        if not down and chance() < 0.1:
            test, operands = "gt", f"{high}, {counter}"
        more = self.op("bool", f"{test} {operands}")
        self.emit(f"branch {more}, b{body}, b{after}")
        self.start(body)
        self.loop_values.append(counter)
        ends = [(after, inside)]
        goes_on = self.statements()
        if goes_on and chance() < 0.15:  # break
            out, rest = self.new_block(), self.new_block()
            self.emit(f"branch {self.condition()}, b{out}, b{rest}")
            ends.append((out, dict(self.env)))
            self.start(rest)
        self.loop_values.pop()
        if goes_on:
            following = self.op("int64", f"add {counter}, {self.int(step)}")
            self.jump(self.block, header, [following] + [self.env[name] for name in names])
        self.env = inside
        if len(ends) > 1:
            self.merge(self.new_block(), ends)
        else:
            self.start(after)
        return True

    def statements(self):
        self.depth += 1
        try:
            return all(self.statement() for _ in range(self.random.randint(1, 4)))
        finally:
            self.depth -= 1

    def statement(self):
        self.budget -= 1
        k = self.random.random()
        if self.budget < 0 or self.depth > 4:
            k *= 0.5
        if k < 0.2:
            value = self.int_expr()
            self.env[self.pick("i0", "i1")] = value
        elif k < 0.33:
            value = self.float_expr()
            self.env[self.pick("f0", "f1")] = value
        elif k < 0.5:
            self.store()
        elif k < 0.52 and self.depth > 1:
            self.emit(f"return {self.variable('f')}")
            return False
        elif k < 0.56:
            call = f"call.fn @h {self.variable('f')}, {self.variable('i')}"
            self.env["f1"] = self.op("float64", call)
        elif k < 0.7:
            return self.if_else()
        elif self.depth < 4:
            return self.loop()
        return True

    def open(self):
        self.start(self.new_block())
        for k, ty in enumerate((FLOATS, INTS, GRID, "int64", "int64")):
            self.emit(f"%{k + 1}: {ty} = arg #{k}")
        self.env = {"i0": "%4", "i1": self.int(3)}
        self.env["f0"] = self.const("float64", "0.0")
        self.env["f1"] = self.const("float64", "1.5")

    def finish(self):
        lines = [f"fn low @f(x: {FLOATS}, y: {INTS}, z: {GRID}, n: int64, m: int64) -> float64 {{"]
        for number in sorted(self.blocks):
            params, body = self.blocks[number]
            names = ", ".join(f"{p}: {ty}" for p, ty in params)
            lines += [f"b{number}" + (f"({names})" if names else "") + ":", *body]
        return "\n".join([*lines, "}", "", HELPER])


def program(seed):
    w = Writer(seed)
    w.open()
    if w.random.random() < 0.8:
        w.loop()
    if w.statements():
        w.emit(f"return {w.variable('f')}")
    return w.finish()


class StripWriter(Writer):
    """Bodies of single loops: elements near the counter, quotients and roots that are checked, sums
    of integers, stores under conditions, subscripts that are loaded."""

    def element(self, array, shifts=(0, 0, 0, 1, -1, 64, 70)):
        shift, i = self.random.choice(shifts), self.counter
        if shift:
            i = self.op("int64", f"add {i}, {self.int(shift)}")
        return self.op("ptr", f"elem {array}, {self.checked(array, 0, i)}")

    def quotient(self, a, b):
        zero = self.const("float64", "0.0")
        self.emit(f"check ZERO_DIV_FLOAT {self.op('bool', f'ne {b}, {zero}')}")
        return self.op("float64", f"fdiv {a}, {b}")

    def root(self, a):
        zero = self.const("float64", "0.0")
        self.emit(f"check MATH_DOMAIN {self.op('bool', f'gt {a}, {zero}')}")
        return self.op("float64", f"math sqrt {a}")

    def value(self, depth=0):
        k = self.random.random()
        if depth > 2 or k < 0.25:
            return self.op("float64", f"load {self.element('%1')}")
        if k < 0.35:
            loaded = self.op("int64", f"load {self.element('%2')}")
            return self.op("float64", f"cast {loaded}")
        if k < 0.45:
            return self.const("float64", self.pick("1.0", "0.5", "-2.0"))
        if k < 0.65:
            return self.quotient(self.value(depth + 1), self.value(depth + 1))
        if k < 0.75:
            return self.root(self.value(depth + 1))
        if k < 0.8:
            index = self.op("int64", f"load {self.element('%2', (0,))}")
            at = self.checked("%1", 0, index)
            return self.op("float64", f"load {self.op('ptr', f'elem %1, {at}')}")
        name = self.pick("add", "sub", "mul")
        return self.op("float64", f"{name} {self.value(depth + 1)}, {self.value(depth + 1)}")

    def bit(self):
        zero = self.const("float64", "0.0")
        return self.op("int64", f"cast {self.op('bool', f'gt {self.value()}, {zero}')}")

    def write(self):
        if self.random.random() < 0.7:
            address = self.element("%1", (0, 0, 0, 0, 1, -1))
            self.emit(f"store {address}, {self.value()}")
        else:
            bit = self.bit()
            self.emit(f"store {self.element('%2', (0, 0, 1))}, {bit}")

    def statement(self):
        k = self.random.random()
        if k < 0.5 or self.depth > 2:
            self.write()
        elif k < 0.75:
            bit = self.bit()
            self.env["i0"] = self.op("int64", f"{self.pick('add', 'xor')} {self.env['i0']}, {bit}")
        else:
            return self.if_else()
        return True

    def condition(self, depth=0):
        return self.op("bool", f"{self.pick('lt', 'gt')} {self.value(1)}, {self.value(1)}")

    def strip_loop(self):
        header, body, after = self.new_block(), self.new_block(), self.new_block()
        sizes = [self.op("int64", f"field #2 {array}") for array in ("%1", "%2")]
        high, low = self.pick("%4", *sizes), self.int(self.pick(0, 0, 1))
        self.counter, total = self.ref(), self.ref()
        self.jump(self.block, header, [low, self.env["i0"]])
        self.start(header, [(self.counter, "int64"), (total, "int64")])
        self.env["i0"] = total
        inside = dict(self.env)
        more = self.op("bool", f"lt {self.counter}, {high}")
        self.emit(f"branch {more}, b{body}, b{after}")
        self.start(body)
        self.depth = 1
        for _ in range(self.random.randint(1, 2)):
            self.statement()
        following = self.op("int64", f"add {self.counter}, {self.int(1)}")
        self.jump(self.block, header, [following, self.env["i0"]])
        self.env = inside
        self.start(after)


def strip_program(seed):
    w = StripWriter(seed)
    w.open()
    for _ in range(w.random.randint(1, 2)):
        w.strip_loop()
    w.emit(f"return {w.op('float64', 'cast ' + w.env['i0'])}")
    return w.finish()
