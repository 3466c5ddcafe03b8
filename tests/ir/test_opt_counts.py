"""Reference counts after rc_insert, walked along random ways through random programs: nothing is
used or released when its count is 0, and on every way out what is returned has been counted once
for the caller, arguments are as they came, everything else is gone.

WHIPSNAKE_FUZZ_N programs (150; 2000 with --all) from the seed WHIPSNAKE_FUZZ_SEED on.
"""

import os
import pathlib
import random
import re
import sys

import pytest
from tool import ir_tool

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "fuzz"))

import count_programs

ALL = os.environ.get("WHIPSNAKE_TEST_ALL", "0") not in ("", "0")
COUNT = int(os.environ.get("WHIPSNAKE_FUZZ_N", "2000" if ALL else "150"))
FIRST = int(os.environ.get("WHIPSNAKE_FUZZ_SEED", "0"))
BATCH = 25
WALKS, STEPS = 40, 200
RAISES = ("alloc", "call.fn", "exc.make", "check", "check.index")


def owners(ty):
    """How many counted references a value of this type holds."""
    return {"ptr": 0, count_programs.ARRAY: 1, count_programs.TUPLE: 2, "exc": 1}.get(ty, 0)


class Block:
    def __init__(self, head):
        m = re.fullmatch(r"b\d+[\w.]*(?:\((.*?)\))?(?: handler b(\d+)(?:\((.*)\))?)?:", head)
        assert m, head
        self.params = re.findall(r"(%\d+):", m[1] or "")
        self.handler = m[2] and (int(m[2]), re.findall(r"%\d+", m[3] or ""))
        self.lines = []


def parse(text):
    """The first function: its blocks by number, and the types of its arguments."""
    lines = text.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("fn "))
    blocks = {}
    for line in lines[start + 1 :]:
        if line == "}":
            return blocks
        if line.startswith("b"):
            # Types have brackets of their own: only names matter here.
            line = re.sub(r": (tuple|array)\([^%]*\)(?=, %|\)(?: handler|:))", ":", line)
            block = blocks[int(re.match(r"b(\d+)", line)[1])] = Block(line)
        else:
            block.lines.append(line.strip())
    raise AssertionError("no end of the function")


class Wrong(Exception):
    pass


class Walk:
    """One way through the blocks. A value is (references, memory it points into): two lists of
    object numbers; counts[object] is what the code has made of it."""

    def __init__(self, blocks, seed):
        self.blocks, self.random = blocks, random.Random(seed)
        self.env, self.counts = {}, []
        self.arguments = 0

    def fresh(self, n):
        self.counts += [1] * n
        return (list(range(len(self.counts) - n, len(self.counts))), [])

    def use(self, name):
        refs, memory = self.env[name]
        if any(self.counts[o] <= 0 for o in refs + memory):
            raise Wrong(f"{name} is used after its release")
        return self.env[name]

    def leave(self, result=((), ())):
        for o, count in enumerate(self.counts):
            wanted = (o < self.arguments) + list(result[0]).count(o)
            if count != wanted:
                raise Wrong(f"count {count} instead of {wanted} at the exit")

    def result(self, op, ty, words, args):
        refs = [r for a in args for r in a[0]]
        memory = [o for a in args for o in a[0] + a[1]]
        if op == "arg":
            value = self.fresh(owners(ty))
            self.arguments = len(self.counts)
            return value
        if op in ("alloc", "call.fn", "exc.make"):
            return self.fresh(1 if op == "alloc" else owners(ty))
        if op == "make" and ty == count_programs.ARRAY:
            return (args[1][0], args[0][0] + args[0][1])
        if op == "make":
            return (refs, [])
        if op == "select":
            return self.random.choice(args[1:])
        if op == "field" and ty == count_programs.ARRAY:
            return ([refs[0 if words.startswith("#0") else 1]], [])
        if op == "field" and ty == "ptr":
            return args[0] if words.startswith("#1") else ([], memory)
        return ([], memory if ty == "ptr" else [])

    def count(self, name, by):
        for o in self.env[name][0]:
            if by < 0 and self.counts[o] <= 0:
                raise Wrong(f"{name} is released twice")
            self.counts[o] += by

    def instruction(self, line):
        """False: it has raised."""
        m = re.fullmatch(r"(?:(%\d+)(?:: (.*?))? = )?([\w.]+) ?(.*)", line)
        name, ty, op, words = m.groups()
        args = re.findall(r"%\d+", words)
        values = [self.use(a) for a in args]
        if op in RAISES and self.random.random() < 0.2:
            return False
        if op in ("retain", "release"):
            self.count(args[0], 1 if op == "retain" else -1)
        elif name:
            self.env[name] = self.result(op, ty, words, values)
        return True

    def enter(self, number, values):
        self.env.update(zip(self.blocks[number].params, values))
        return number

    def raise_from(self, block, exc):
        """The handler's number, or None: the function is left."""
        if block.handler is None:
            for o in exc[0]:
                self.counts[o] -= 1
            self.leave()
            return None
        to, args = block.handler
        return self.enter(to, [exc, *(self.use(a) for a in args)])

    def run(self):
        at = min(self.blocks)
        for _ in range(STEPS):
            block = self.blocks[at]
            at = self.step(block)
            if at is None:
                return

    def step(self, block):
        for line in block.lines[:-1]:
            if not self.instruction(line):
                return self.raise_from(block, self.fresh(1))
        last = block.lines[-1]
        word = last.split()[0]
        args = re.findall(r"%\d+", last)
        if word == "return":
            return self.leave(self.use(args[0]) if args else ((), ()))
        if word == "raise":
            return self.raise_from(block, self.use(args[0]))
        ways = re.findall(r"b(\d+)(?:\.\w+)*(?:\((.*?)\))?(?:,|$| cold)", last)
        to, passed = self.random.choice(ways)
        return self.enter(int(to), [self.use(a) for a in re.findall(r"%\d+", passed)])


def walk_all(text, label):
    blocks = parse(text)
    for seed in range(WALKS):
        try:
            Walk(blocks, seed).run()
        except Wrong as wrong:
            pytest.fail(f"{label}, walk {seed}: {wrong}\n{text}")


@pytest.mark.parametrize("batch", range((COUNT + BATCH - 1) // BATCH))
def test_counts(batch):
    for seed in range(FIRST + batch * BATCH, FIRST + (batch + 1) * BATCH):
        text = count_programs.program(seed)
        assert ir_tool("verify", text) == "ok", text
        if seed % 2:
            text = ir_tool("pass simplify", text)
        walk_all(ir_tool("pass rc_insert", text), f"seed {seed}")


def test_a_missing_release_is_noticed():
    """And a superfluous one: the walks do see something."""
    found = 0
    for seed in range(12):
        text = ir_tool("pass rc_insert", count_programs.program(seed))
        for wrong in (
            re.sub(r"    release .*\n", "", text, count=1),
            re.sub(r"(    release .*\n)", r"\1\1", text, count=1),
        ):
            if wrong == text:
                continue
            try:
                for walk in range(WALKS):
                    Walk(parse(wrong), walk).run()
            except Wrong:
                found += 1
    assert found > 10
