"""`make bench`: measure whipsnake beside Numba, C and plain Python, and write down the results.

    python benchmarks/run.py                          everything, about ten minutes
    python benchmarks/run.py --quick                  fewer rounds, about two minutes
    python benchmarks/run.py --only mandelbrot,nbody  these programs, and nothing else
    python benchmarks/run.py --check                  no timing: only whether the results are right

A whole run writes results.json, results.md and results.svg beside this file; a quick or partial one
writes them to benchmarks/.build/. Needs nothing but the standard library; the workers need NumPy.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import measure
import picture
import report
import targets
from machine import machine_line
from lanes import HERE, WorkerFailed, WorkerProcess, find_lanes

SECTIONS = ("programs", "arrays", "import", "warm", "calls", "checks", "polls", "growth")
# rounds of processes, bursts per process, seconds per burst, calls per sample
FULL = (3, 16, 0.01, 20_000)
QUICK = (1, 5, 0.02, 5_000)


def progress(text):
    print(text, flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="programs, separated by commas")
    parser.add_argument("--sections", default="", help=f"some of {','.join(SECTIONS)}")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--no-numba", action="store_true", help="leave Numba out")
    parser.add_argument("--check", action="store_true", help="check results, time nothing")
    parser.add_argument("--out", type=pathlib.Path, help="folder for the results")
    options = parser.parse_args()
    names = measure.program_names()
    options.only = [name for name in options.only.split(",") if name]
    unknown = [name for name in options.only if name not in names]
    if unknown:
        parser.error(f"no program {', '.join(unknown)}; there are {', '.join(names)}")
    chosen = [name for name in options.sections.split(",") if name]
    if any(name not in SECTIONS for name in chosen):
        parser.error(f"sections are {', '.join(SECTIONS)}")
    options.programs = options.only or names
    options.sections = chosen or (("programs",) if options.only else SECTIONS)
    partial = options.quick or options.no_numba or options.only or chosen
    options.out = options.out or (HERE / ".build" if partial else HERE)
    return options


def check_results(lanes, names):
    """Run each program once per engine and check its result; returns the number of failures."""
    failures = 0
    for name in names:
        words = []
        for lane in lanes:
            size = "SMALL" if lane.engine == "python" else "SIZE"
            try:
                with WorkerProcess(lane) as worker:
                    worker.ask("program", name=f"programs.{name}", size=size)
                    worker.ask("check")
                words.append(f"{lane.name} right")
            except WorkerFailed as error:
                failures += 1
                words.append(f"{lane.name} FAILS ({error})")
        progress(f"{name:<22} " + ", ".join(words))
    return failures


def measure_programs(lanes, names, effort):
    rounds, bursts, seconds, _ = effort
    table = {}
    for number, name in enumerate(names, 1):
        row = table[name] = measure.measure_program(name, lanes, rounds, bursts, seconds)
        parts = []
        for lane, r in row.items():
            cold = "" if lane in ("c", "python") else f"{report.milliseconds(r, 'cold')} + "
            parts.append(f"{lane} {cold}{report.milliseconds(r, 'steady')}")
        parts.append(targets.verdict(targets.missed_by_program(name, row)))
        progress(f"  [{number:>2}/{len(names)}] {name:<22} " + "   ".join(parts))
        for lane, r in row.items():
            if "error" in r:
                progress(f"          {lane}: {r['error']}")
    return table


def measure_arrays(lanes, effort):
    """The programs in arrays/: NumPy takes Python's place, and C has none.

    Numba takes long to compile them, so there are half as many rounds.
    """
    rounds, bursts, seconds, _ = effort
    rounds = (rounds + 1) // 2
    numpy = dataclasses.replace(lanes["python"], name="numpy")
    chosen = [lanes[name] for name in ("whipsnake", "numba") if name in lanes] + [numpy]
    table = {}
    for number, name in enumerate(names := measure.program_names("arrays"), 1):
        row = table[name] = measure.measure_program(
            name, chosen, rounds, bursts, seconds, folder="arrays"
        )
        parts = [f"{lane} {report.milliseconds(r, 'steady')}" for lane, r in row.items()]
        parts.append(targets.verdict(targets.missed_by_arrays(name, row)))
        progress(f"  [{number:>2}/{len(names)}] {name:<22} " + "   ".join(parts))
        for lane, r in row.items():
            if "error" in r:
                progress(f"          {lane}: {r['error']}")
    return table


def measure_all(options, lanes, results):
    """Fill `results` section by section."""
    effort = QUICK if options.quick else FULL
    rounds, bursts, seconds, calls = effort
    every = list(lanes.values())
    if "import" in options.sections:
        progress("import")
        results["import"] = measure.measure_import(every, 3 if options.quick else 9)
        if "whipsnake" in lanes:
            results["signatures"] = measure.measure_signatures(
                lanes["whipsnake"], 3 if options.quick else 9
            )
    if "warm" in options.sections and "whipsnake" in lanes:
        progress("start with a full cache")
        results["warm"] = measure.measure_warm(
            lanes["whipsnake"], options.programs, 3 if options.quick else 9
        )
    if "calls" in options.sections:
        progress("calls")
        results["calls"] = measure.measure_calls(every, rounds * 2 + 1, calls)
    if "programs" in options.sections:
        progress("programs: milliseconds, cold + steady")
        results["programs"] = measure_programs(every, options.programs, effort)
    if "arrays" in options.sections:
        progress("programs on whole arrays: milliseconds, steady")
        results["arrays"] = measure_arrays(lanes, effort)
    if "checks" in options.sections:
        progress("checks: time with over time without")
        results["checks"] = measure.measure_checks(
            every, 1, bursts * 2, seconds, options.only, progress
        )
    if "polls" in options.sections and "whipsnake" in lanes:
        progress("polls: time with over time without")
        results["polls"] = measure.measure_polls(
            lanes["whipsnake"], options.programs, 1, bursts * 2, seconds, progress
        )
    if "growth" in options.sections and {"whipsnake", "numba"} & set(lanes):
        progress("compile time over program size")
        with tempfile.TemporaryDirectory(prefix="bench-growth-") as folder:
            results["growth"] = measure.measure_growth(every, rounds, folder, progress)


def write(results, folder):
    folder.mkdir(parents=True, exist_ok=True)
    text = report.markdown(results)
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    (folder / "results.md").write_text(text)
    if results.get("programs"):
        (folder / "results.svg").write_text(picture.draw(results))
    progress("\n" + text)
    with contextlib.suppress(ValueError):
        folder = folder.relative_to(pathlib.Path.cwd())
    progress(f"written: {folder}/results.json, .md, .svg")


def main():
    options = parse_arguments()
    if not options.no_numba:
        subprocess.run([str(HERE / "setup_peer.sh")], check=False)  # find_lanes says if it failed
    lanes, missing = find_lanes(with_numba=not options.no_numba)
    for name, why in missing.items():
        progress(f"bench: no {name} column: {why}")
    if options.check:
        return 1 if check_results(lanes.values(), options.programs) else 0
    results = {
        "machine": {"line": machine_line(lanes)},
        "missing": missing,
        "quick": options.quick,
    }
    progress(results["machine"]["line"])
    start = time.monotonic()
    measure_all(options, lanes, results)
    results["machine"]["line"] += f", {os.getloadavg()[0]:.1f} at the end"
    results["seconds"] = round(time.monotonic() - start)
    if os.getloadavg()[0] > os.cpu_count():
        results["machine"]["line"] += (
            " (BUSY: others were at work too, do not trust single figures)"
        )
    write(results, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
