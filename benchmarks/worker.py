"""A process that measures one engine, or several side by side, told what to do line by line.

Each line on standard input is a JSON object {"do": name, ...}; each answer is one JSON line on the
standard output that the process was started with. What programs print goes to standard error. All
times are in seconds, all memory in bytes. An answer with "error" says what failed, in one line.

NumPy is imported before anything is timed: users of either engine have it loaded anyway.
"""

import importlib
import importlib.util
import json
import os
import statistics
import sys
import time
import traceback

import numpy  # noqa: F401  (imported so that no engine is billed for it)

clock = time.perf_counter

BATCH_SECONDS = 0.001


class Worker:
    """The commands, and what they leave behind for each other."""

    def __init__(self, engine):
        self.engine = engine

    def program(self, name, size="SIZE"):
        """Import the engine, decorate, call once: the three parts of a cold start.

        name: of the module, "programs.nbody".
        """
        start = clock()
        if self.engine != "c":
            importlib.import_module("engine")
        imported = clock()
        module = importlib.import_module(name)
        decorated = clock()
        amount = getattr(module, size)
        args = module.setup(amount)
        run = module.run
        if self.engine == "c":
            import c_peer

            run = c_peer.load(name.split(".")[-1], args)
        first = clock()
        self.result = run(*args)
        end = clock()
        self.module, self.args = module, args
        return {"import": imported - start, "decorate": decorated - imported, "first": end - first}

    def check(self):
        self.module.check(self.result, *self.args)
        return {}

    def side_by_side(self, name, size, lanes):
        """Load the program once for each lane, for the same arguments, and call each once.

        lanes: {"engine", "options", "environment"}. Those that fail are left out; answers
        their errors.
        """
        plain = importlib.import_module(name)
        args = plain.setup(getattr(plain, size))
        self.lanes, errors = {}, {}
        for number, lane in enumerate(lanes):
            try:
                self.lanes[number] = Batches(load_run(lane, name, args))
            except Exception as error:
                traceback.print_exc()
                errors[number] = one_line(error)
        work = getattr(plain, "work", float)
        scale = float(work(plain.SIZE)) / float(work(getattr(plain, size)))
        return {"errors": errors, "scale": scale}

    def turns(self, bursts, seconds):
        """Call the lanes in turns: medians by burst of `seconds` for each, and the least time."""
        for _ in range(bursts):
            stop = clock() + seconds * len(self.lanes)
            while True:
                for lane in self.lanes.values():
                    lane.run()
                if clock() >= stop:
                    break
            for lane in self.lanes.values():
                lane.end_burst()
        return {number: {"turns": lane.medians, "least": lane.least}
                for number, lane in self.lanes.items()}

    def memory(self):
        """Peak resident memory of this process so far."""
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return {"peak": int(line.split()[1]) * 1024}
        raise OSError("/proc/self/status has no VmHWM line")

    def shapes(self):
        """Compile the functions of call_shapes.py by calling each; their plain twins come along."""
        module = importlib.import_module("call_shapes")
        njit = importlib.import_module("engine").njit
        self.loops = {("", "empty"): module.empty_loop()}
        errors = {}
        for name, (plain, arguments) in module.SHAPES.items():
            self.loops[name, "plain"] = module.call_loop(plain, arguments)
            try:
                loop = module.call_loop(njit(plain), arguments)
                loop(2)
                self.loops[name, "engine"] = loop
            except Exception as error:
                errors[name] = one_line(error)
        return {"names": list(module.SHAPES), "errors": errors}

    def shape(self, name, kind, calls, repeats):
        """Time of one call of a shape, the loop around it taken off."""
        loop, empty = self.loops[name, kind], self.loops["", "empty"]
        gross = statistics.median(loop(calls) for _ in range(repeats))
        loop_alone = statistics.median(empty(calls) for _ in range(repeats))
        return {"call": (gross - loop_alone) / calls}

    def compile(self, path):
        """Import the file `path` and call its `run(*ARGS)` once: decorate + first call."""
        start = clock()
        spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        result = module.run(*module.ARGS)
        end = clock()
        expected = plain_result(path)
        if abs(result - expected) > 1e-9 * max(1.0, abs(expected)):
            return {"error": f"wrong result: {result!r} instead of {expected!r}"}
        return {"compile": end - start}


class Batches:
    """A call that is measured, so many times at once that a clock can tell."""

    def __init__(self, call):
        self.call, self.times, self.medians, self.least = call, [], [], float("inf")
        call()
        start = clock()
        call()
        self.batch = max(1, int(BATCH_SECONDS / max(clock() - start, 1e-9)))

    def run(self):
        call = self.call
        start = clock()
        for _ in range(self.batch):
            call()
        self.times.append((clock() - start) / self.batch)

    def end_burst(self):
        self.medians.append(statistics.median(self.times))
        self.least = min(self.least, *self.times)
        self.times = []


def load_run(lane, name, args):
    """The program's `run` under the engine of a lane, for `args`; it is compiled here."""
    before = dict(os.environ)
    engine = lane["engine"]
    os.environ.update(lane["environment"], BENCH_OPTIONS=lane["options"],
                      BENCH_ENGINE="python" if engine == "c" else engine)
    try:
        for module in ("engine", name):
            sys.modules.pop(module, None)
        run = importlib.import_module(name).run
        if engine == "c":
            import c_peer

            run = c_peer.load(name.split(".")[-1], args)
        run(*args)
    finally:
        os.environ.clear()
        os.environ.update(before)
    return lambda: run(*args)


def plain_result(path):
    """What `run(*ARGS)` of a file returns when none of its functions is compiled."""
    with open(path) as file:
        text = file.read().replace("@njit\n", "")
    space = {"__name__": "plain"}
    exec(compile(text, path, "exec"), space)
    return space["run"](*space["ARGS"])


def one_line(error):
    """An exception in a line of at most 200 characters."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = f"{type(error).__name__}: {lines[0] if lines else ''}"
    return text[:200]


def main():
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    sys.setrecursionlimit(100_000)
    worker = Worker(sys.argv[1])
    for line in sys.stdin:
        order = json.loads(line)
        try:
            answer = getattr(worker, order.pop("do"))(**order)
        except (Exception, RecursionError) as error:
            traceback.print_exc()
            answer = {"error": one_line(error)}
        replies.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
