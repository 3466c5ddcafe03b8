"""The measurements. Everything that is compared is measured in turns: A B C, A B C, ...

So a machine that slows down for a second slows all engines, and the ratios (taken turn by turn,
then their median) hardly move. Each function returns plain dicts for results.json.
"""

import contextlib
import json
import math
import os
import pathlib
import statistics
import subprocess
import tempfile

import growth
from lanes import HERE, ROOT, Lane, WorkerFailed, WorkerProcess

median = statistics.median

INDIRECT = ("gather", "spmv", "histogram", "interpolate")
DIVIDING = ("divide", "normalized_difference", "floor_divide", "shading")
AFFINE = ("matmul", "convolution", "axpy", "prefix_sum", "game_of_life", "pairwise")
FAMILIES = {"affine": AFFINE, "indirect": INDIRECT, "dividing": DIVIDING}


class LaneRun:
    """What one lane did with one program, over several processes."""

    def __init__(self, lane):
        self.lane = lane
        # Python takes a smaller size, and one process is enough of it.
        self.size = "SMALL" if lane.name == "python" else "SIZE"
        self.starts, self.turns = [], []
        self.least, self.peak, self.scale, self.error = math.inf, 0, 1.0, None

    def start(self, name):
        """The cold start, in a process of its own."""
        try:
            with WorkerProcess(self.lane) as worker:
                start = worker.ask("program", name=name, size=self.size)
                self.peak = worker.ask("memory")["peak"]
                if not self.starts:
                    worker.ask("check")
        except WorkerFailed as error:
            self.error = str(error)
            return
        self.starts.append(start)

    def add_turns(self, answer, scale):
        self.scale = scale
        self.turns += [time * scale for time in answer["turns"]]
        self.least = min(self.least, answer["least"] * scale)

    def summary(self):
        if self.error:
            return {"error": self.error}
        steady = median(self.turns)
        parts = ("import", "decorate", "first")
        cold = median(sum(start[part] for part in parts) for start in self.starts)
        return {
            **{part: median(start[part] for start in self.starts) for part in parts},
            "cold": cold - steady / self.scale,
            "steady": steady,
            "least": self.least,
            "turns": self.turns,
            "peak": self.peak,
            "scaled_by": self.scale,
        }


def take_turns(runs, name, bursts, seconds):
    """Steady times of the lanes of `runs`, all in one process and on the same arguments.

    Two processes have their arrays at different places in memory, and for some programs that alone
    makes a difference of a third.
    """
    numba = next((run.lane for run in runs if run.lane.engine == "numba"), runs[0].lane)
    lanes = [{"engine": run.lane.engine, "options": run.lane.options,
              "environment": dict(run.lane.environment)} for run in runs]
    shared = Lane("side by side", "python", numba.python, environment=(("WHIPSNAKE_CACHE", "0"),))
    try:
        with WorkerProcess(shared) as worker:
            loaded = worker.ask("side_by_side", name=name, size=runs[0].size, lanes=lanes)
            answers = worker.ask("turns", bursts=bursts, seconds=seconds)
    except WorkerFailed as error:
        for run in runs:
            run.error = str(error)
        return
    for number, run in enumerate(runs):
        if str(number) in answers:
            run.add_turns(answers[str(number)], loaded["scale"])
        else:
            run.error = loaded["errors"][str(number)]


def measure_program(name, lanes, rounds, bursts, seconds, folder="programs"):
    """One program of the folder on all lanes, in `rounds` processes each.

    Returns by lane {"cold", "import", "decorate", "first", "steady", "least", "turns", "peak",
    "scaled_by"}, or {"error"}. `turns` lists the steady times turn by turn; a cold start is import
    + decorate + first call less one steady call. Times of a smaller size are scaled up.
    """
    runs = [LaneRun(lane) for lane in lanes]
    for number in range(rounds):
        alive = [r for r in runs if not r.error and (number == 0 or r.size == "SIZE")]
        for run in alive:
            run.start(f"{folder}.{name}")
        for size in ("SIZE", "SMALL"):
            group = [run for run in alive if run.size == size and not run.error]
            if group:
                take_turns(group, f"{folder}.{name}", bursts, seconds)
    return {run.lane.name: run.summary() for run in runs}


def paired_ratio(above, below):
    """Median over the turns of above's time / below's, or None where one of them failed."""
    if not above or not below or "error" in above or "error" in below:
        return None
    pairs = zip(above["turns"], below["turns"])
    return median(a / b for a, b in pairs)


IMPORT_CODE = """
import time, json
start = time.perf_counter()
import numpy
between = time.perf_counter()
{line}
end = time.perf_counter()
maps = open("/proc/self/maps").read()
print(json.dumps([between - start, end - between, "LLVM" in maps or "_compiler" in maps
                  or "llvmlite" in maps]))
"""


def measure_import(lanes, rounds):
    """Seconds of `import engine` after `import numpy`, and whether LLVM was loaded by it."""
    lines = {"whipsnake": "import whipsnake", "numba": "import numba", "python": ""}
    samples = {lane.name: [] for lane in lanes if lane.name in lines}
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    for number in range(rounds + 1):
        for lane in lanes:
            if lane.name not in lines:
                continue
            code = IMPORT_CODE.format(line=lines[lane.name])
            text = subprocess.run(
                [lane.python, "-c", code], capture_output=True, text=True, env=env, check=True
            ).stdout
            if number > 0:  # the first one fills the page cache and writes .pyc files
                samples[lane.name].append(json.loads(text))
    return {
        name: {
            "numpy": median(s[0] for s in rows),
            "import": median(s[1] for s in rows),
            "llvm_loaded": any(s[2] for s in rows),
        }
        for name, rows in samples.items()
    }


WARM_CODE = """
import time, json
start = time.perf_counter()
import numpy
between = time.perf_counter()
import engine
from programs import {name} as program
decorated = time.perf_counter()
args = program.setup(program.SMALL)
first = time.perf_counter()
program.run(*args)
end = time.perf_counter()
program.run(*args)
again = time.perf_counter()
maps = open("/proc/self/maps").read()
print(json.dumps([between - start, decorated - between + (end - first) - (again - end),
                  "_compiler" in maps]))
"""


SIGNATURES_CODE = """
import time
import numpy, whipsnake
start = time.perf_counter()
import many
print(time.perf_counter() - start)
"""


def measure_signatures(lane, rounds):
    """Seconds of importing a module of 100 functions with signatures, whipsnake being imported."""
    functions = (f'@njit("float64(float64[:], int64, float64)")\ndef f{n}(a, i, x):\n'
                 f'    return a[i] * x + {n}\n' for n in range(100))
    samples = []
    with tempfile.TemporaryDirectory(prefix="bench-many-") as folder:
        (pathlib.Path(folder) / "many.py").write_text("from whipsnake import njit\n" +
                                                      "\n\n".join(functions))
        env = {**os.environ, "WHIPSNAKE_CACHE": "0",
               "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
        for _ in range(rounds + 1):
            command = [lane.python, "-c", SIGNATURES_CODE]
            done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
            samples.append(float(done.stdout))
    return median(samples[1:])


def measure_warm(lane, names, rounds):
    """A process whose compiled functions another one has left in the cache, by program.

    {"numpy": seconds of importing NumPy, "warm": import + decorate + first call - one steady call,
    in the same process, "compiler": whether the compiler was loaded}, medians.
    """
    table = {}
    with tempfile.TemporaryDirectory(prefix="bench-cache-") as cache:
        env = {**os.environ, "BENCH_ENGINE": lane.engine, "BENCH_OPTIONS": lane.options,
               "WHIPSNAKE_CACHE_DIR": cache, "PYTHONPATH": f"{HERE}{os.pathsep}{ROOT}"}
        for name in names:
            command = [lane.python, "-c", WARM_CODE.format(name=name)]
            rows = []
            for _ in range(rounds + 1):
                done = subprocess.run(command, capture_output=True, text=True, env=env)
                if done.returncode:
                    table[name] = {"error": done.stderr.strip().split("\n")[-1][:200]}
                    break
                rows.append(json.loads(done.stdout.split("\n")[-2]))
            else:
                rows = rows[1:]  # the first one filled the cache
                table[name] = {
                    "numpy": median(r[0] for r in rows),
                    "warm": median(r[1] for r in rows),
                    "compiler": any(r[2] for r in rows),
                }
    return table


def measure_calls(lanes, rounds, calls):
    """Seconds per call by shape and lane; "python" is a plain call of the same function.

    Also {"unit": ...}: a plain call without arguments, which the targets take as 20 ns.
    """
    compiled = [lane for lane in lanes if lane.engine in ("whipsnake", "numba")]
    names, workers, errors, samples = [], {}, {}, {}
    with contextlib.ExitStack() as stack:
        for lane in compiled or lanes[-1:]:
            try:
                worker = stack.enter_context(WorkerProcess(lane, timeout=300))
                answer = worker.ask("shapes")
            except WorkerFailed as error:
                errors[lane.name] = {"all shapes": str(error)}
                continue
            names, errors[lane.name] = answer["names"], answer["errors"]
            workers[lane.name] = worker
        for _ in range(rounds):
            for shape in names:
                for lane_name, worker in workers.items():
                    for kind, column in (("engine", lane_name), ("plain", "python")):
                        if kind == "engine" and shape in errors[lane_name]:
                            continue
                        order = {"name": shape, "kind": kind, "calls": calls, "repeats": 5}
                        took = worker.ask("shape", **order)["call"]
                        samples.setdefault(shape, {}).setdefault(column, []).append(took)
    shapes = {
        shape: {column: median(times) for column, times in columns.items()}
        for shape, columns in samples.items()
    }
    unit = shapes.get("no arguments", {}).get("python")
    return {"shapes": shapes, "unit": unit, "errors": errors}


def measure_growth(lanes, rounds, folder, progress):
    """Compile times of generated programs: by series, then by size, then by lane, in seconds."""
    compiled = [lane for lane in lanes if lane.engine in ("whipsnake", "numba")]
    warm_up = growth.write(folder, "statements", 1)
    table, given_up = {}, set()
    for series, sizes in growth.SERIES.items():
        for size in sizes:
            path = growth.write(folder, series, size)
            samples = {lane.name: [] for lane in compiled}
            for number in range(rounds):
                for lane in compiled:
                    done = samples[lane.name]
                    # One long compile tells as much as three.
                    if (lane.name, series) in given_up or (done and (done[0] or 0) > 5.0):
                        continue
                    try:
                        with WorkerProcess(lane, timeout=180) as worker:
                            worker.ask("compile", path=str(warm_up))
                            done.append(worker.ask("compile", path=str(path))["compile"])
                    except WorkerFailed as error:
                        given_up.add((lane.name, series))
                        progress(f"  {lane.name}: {series} {size}: {error}")
            row = {name: median(times) if times else None for name, times in samples.items()}
            table.setdefault(series, {})[size] = row
            progress(f"  {series:<18} {size:>5}  " + growth.describe(row))
    return table


def measure_checks(lanes, rounds, bursts, seconds, only, progress):
    """Time with checks / time without, by engine, family and program."""
    table = {}
    for lane in lanes:
        if lane.engine == "whipsnake":
            checked = lane.with_options("checked")
        elif lane.engine == "numba":
            checked = lane.with_options("checked", boundscheck=True)
        else:
            continue
        unchecked = lane.with_options("unchecked", boundscheck=False, error_model="numpy")
        for family, names in FAMILIES.items():
            for name in names:
                if only and name not in only:
                    continue
                both = measure_program(name, [checked, unchecked], rounds, bursts, seconds)
                ratio = paired_ratio(both["checked"], both["unchecked"])
                table.setdefault(lane.name, {}).setdefault(family, {})[name] = ratio
                shown = "failed" if ratio is None else f"{ratio:.2f}"
                progress(f"  {lane.name:<10} {family:<9} {name:<22} {shown}")
    return table


def measure_polls(lane, names, rounds, bursts, seconds, progress):
    """Time with polls for signals / time without, and the same of the first calls, by program."""
    table = {}
    polling, deaf = lane.with_options("polling"), lane.with_environment("deaf", WHIPSNAKE_POLL="0")
    for name in names:
        both = measure_program(name, [polling, deaf], rounds, bursts, seconds)
        ratio, failed = paired_ratio(both["polling"], both["deaf"]), "failed"
        cold = both["polling"]["cold"] / both["deaf"]["cold"] if ratio else None
        table[name] = {"steady": ratio, "cold": cold}
        progress(f"  {name:<22} {f'{ratio:.2f}' if ratio else failed}")
    return table


def program_names(folder="programs"):
    return sorted(path.stem for path in (HERE / folder).glob("*.py"))
