"""Seeded generator of LOW IR that makes, passes on, selects, swaps and drops arrays and tuples of
them, through loops, conditions, calls and handlers: input for rc_insert. Every branch depends on
one unknown bool, so that a walk may take any way."""

import random

ARRAY = "array(float64, 1d, C)"
TUPLE = f"tuple({ARRAY}, int64, {ARRAY})"

HELPERS = f"""fn low @g(x: {ARRAY}, n: int64) -> {ARRAY} {{
b0:
    %1: {ARRAY} = arg #0
    return %1
}}

fn low @g2(x: {ARRAY}) -> none {{
b0:
    return
}}

fn low @h(x: {ARRAY}) -> {TUPLE} {{
b0:
    %1: {ARRAY} = arg #0
    %2 = const int64 3
    %3: {TUPLE} = make %1, %2, %1
    return %3
}}
"""


class Writer:
    """env: variable -> (value, type). handler: (block, values of a and b when the block at hand was
    entered), or None."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.values = 8
        self.blocks = {}  # number -> [parameters, handler, lines]; None: not started
        self.depth = 0
        self.budget = 40
        self.handler = None

    def ref(self):
        self.values += 1
        return f"%{self.values}"

    def new_block(self):
        self.blocks[len(self.blocks)] = None
        return len(self.blocks) - 1

    def start(self, block, params=()):
        self.block = block
        self.blocks[block] = [params, self.handler, []]

    def emit(self, line):
        self.blocks[self.block][2].append("    " + line)

    def op(self, ty, text):
        r = self.ref()
        self.emit(f"{r}: {ty} = {text}")
        return r

    def jump(self, block, to, args):
        words = f"({', '.join(args)})" if args else ""
        self.blocks[block][2].append(f"    jump b{to}{words}")

    def set_handler(self, block):
        self.handler = (block, [self.env[name][0] for name in "ab"])

    def refresh_handler(self):
        if self.handler is not None:
            self.set_handler(self.handler[0])

    # --- values

    def pick(self, ty):
        found = [value for _, (value, t) in sorted(self.env.items()) if t == ty]
        return self.random.choice(found) if found else None

    def new_array(self):
        owner = self.op("ptr", "alloc %2")
        data = self.op("ptr", f"data {owner}")
        return self.op(ARRAY, f"make {data}, {owner}, %2")

    def value(self, ty):
        old, k = self.pick(ty), self.random.random()
        if old and self.random.random() < 0.7:
            return old
        if ty == TUPLE:
            if k < 0.5:
                return self.op(TUPLE, f"make {self.value(ARRAY)}, %2, {self.value(ARRAY)}")
            return self.op(TUPLE, f"call.fn @h {self.value(ARRAY)}")
        pair = self.pick(TUPLE)
        if k < 0.3:
            return self.new_array()
        if k < 0.6:
            return self.op(ARRAY, f"call.fn @g {self.pick(ARRAY)}, %2")
        if pair:
            return self.op(ARRAY, f"field #{self.random.choice([0, 2])} {pair}")
        if k < 0.8:
            return self.op(ARRAY, f"select %3, {self.pick(ARRAY)}, {self.pick(ARRAY)}")
        whole = self.pick(ARRAY)  # a view: the same owner
        data, owner = (self.op("ptr", f"field #{k} {whole}") for k in (0, 1))
        return self.op(ARRAY, f"make {data}, {owner}, %2")

    def use(self):
        address = self.op("ptr", f"elem {self.pick(ARRAY)}, %2")
        self.emit(f"store {address}, {self.op('float64', f'load {address}')}")
        if self.random.random() < 0.5:
            self.emit("check ZERO_DIV %3")

    def assign(self):
        name = self.random.choice("abcd")
        ty = self.random.choice([ARRAY, ARRAY, TUPLE]) if name in "cd" else ARRAY
        self.env[name] = (self.value(ty), ty)
        if self.handler is not None:  # a handler takes what is there when the block is entered
            following = self.new_block()
            self.emit(f"jump b{following}")
            self.refresh_handler()
            self.start(following)

    # --- control flow; False: nothing can come after it

    def merge(self, block, ends):
        same = [
            name
            for name in sorted(ends[0][1])
            if all(env.get(name, (0, 0))[1] == ends[0][1][name][1] for _, env in ends)
        ]
        changed = [name for name in same if len({env[name][0] for _, env in ends}) > 1]
        merged = {name: ends[0][1][name] for name in same}
        for name in changed:
            merged[name] = (self.ref(), merged[name][1])
        for end, env in ends:
            self.jump(end, block, [env[name][0] for name in changed])
        self.env = merged
        self.refresh_handler()
        self.start(block, [merged[name] for name in changed])

    def if_else(self):
        ways, end = [self.new_block(), self.new_block()], self.new_block()
        self.emit(f"branch %3, b{ways[0]}, b{ways[1]}")
        env, handler, ends = dict(self.env), self.handler, []
        for way in ways:
            self.env, self.handler = dict(env), handler
            self.start(way)
            if self.statements():
                ends.append((self.block, dict(self.env)))
        self.handler = handler
        if ends:
            self.merge(end, ends)
        return bool(ends)

    def loop(self):
        header, body, after = self.new_block(), self.new_block(), self.new_block()
        names = sorted(self.env)
        self.jump(self.block, header, [self.env[name][0] for name in names])
        self.env = {name: (self.ref(), self.env[name][1]) for name in names}
        self.refresh_handler()
        self.start(header, [self.env[name] for name in names])
        inside, handler = dict(self.env), self.handler
        self.emit(f"branch %3, b{body}, b{after}")
        self.start(body)
        if self.statements():
            for name in names:
                if self.env.get(name, (0, 0))[1] != inside[name][1]:
                    self.env[name] = (self.value(inside[name][1]), inside[name][1])
            self.jump(self.block, header, [self.env[name][0] for name in names])
        self.env, self.handler = inside, handler
        self.start(after)
        return True

    def try_except(self):
        outer, handler, end = self.handler, self.new_block(), self.new_block()
        self.set_handler(handler)
        body = self.new_block()
        self.emit(f"jump b{body}")
        self.start(body)
        env, ends = dict(self.env), []
        if self.statements():
            ends.append((self.block, dict(self.env)))
        caught, a, b = self.ref(), self.ref(), self.ref()
        self.env = {name: value for name, value in env.items() if name not in "ab"}
        self.env.update(a=(a, ARRAY), b=(b, ARRAY))
        self.handler = outer
        self.refresh_handler()
        self.start(handler, [(caught, "exc"), (a, ARRAY), (b, ARRAY)])
        if self.random.random() < 0.3:
            self.emit(f"raise {caught}")
        elif self.statements():
            ends.append((self.block, dict(self.env)))
        self.handler = outer
        if ends:
            self.merge(end, ends)
        return bool(ends)

    def leave(self):
        if self.random.random() < 0.5:
            self.emit(f"return {self.value(ARRAY)}")
        else:
            self.emit(f"raise {self.op('exc', 'exc.make ValueError')}")
        return False

    def statements(self):
        self.depth += 1
        try:
            return all(self.statement() for _ in range(self.random.randint(1, 5)))
        finally:
            self.depth -= 1

    def statement(self):
        self.budget -= 1
        k = self.random.random()
        if self.budget < 0 or self.depth > 4:
            k *= 0.55
        if k < 0.35:
            self.assign()
        elif k < 0.5:
            self.use()
        elif k < 0.53:
            self.emit(f"call.fn @g2 {self.pick(ARRAY)}")
        elif k < 0.57:
            return self.leave() if self.random.random() < 0.4 else True
        elif k < 0.72:
            return self.if_else()
        elif k < 0.85:
            return self.loop()
        else:
            return self.try_except()
        return True


def program(seed):
    w = Writer(seed)
    w.start(w.new_block())
    w.env = {"a": ("%1", ARRAY), "b": ("%4", ARRAY)}
    for k, ty in enumerate((ARRAY, "int64", "bool", ARRAY)):
        w.emit(f"%{k + 1}: {ty} = arg #{k}")
    if w.statements():
        w.emit(f"return {w.value(ARRAY)}")
    lines = [f"fn low @f(x: {ARRAY}, n: int64, c: bool, y: {ARRAY}) -> {ARRAY} {{"]
    for number, block in sorted(w.blocks.items()):
        if block is None:
            continue
        params, handler, body = block
        names = ", ".join(f"{value}: {ty}" for value, ty in params)
        head = f"b{number}" + (f"({names})" if names else "")
        if handler is not None:
            head += f" handler b{handler[0]}({', '.join(handler[1])})"
        lines += [head + ":", *body]
    return "\n".join([*lines, "}", "", HELPERS])
