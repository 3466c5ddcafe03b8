"""What we want to reach, and whether a set of results does."""

import math

from measure import FAMILIES, paired_ratio

COLD_EACH, COLD_MEAN = 10.0, 20.0
STEADY_EACH, STEADY_MEAN = 0.95, 1.0
C_EACH = 0.9
IMPORT_SECONDS = 0.005
WARM_SECONDS = 0.008
SIGNATURES_SECONDS = 0.020

# C's compiler turns recursion into loops, and C checks neither stack nor status: see README.md.
NOT_HELD_TO_C = ("fib", "ackermann", "exceptions")

# C checks no subscripts. Where they are read from data ours cost up to 15 % (CHECKS), and the same
# check written by hand in C costs that: see README.md.
C_INDIRECT = C_EACH / 1.15

# Programs on whole arrays: against Numba as above but for the mean; NumPy within what noise leaves.
ARRAYS_MEAN = 1.3
NUMPY_EACH = 0.95

# Nanoseconds where a plain Python call takes 20.
CALLS = {"two floats": 40.0, "two ints": 40.0, "one array": 50.0, "five arrays": 120.0}

# Time with checks over time without, geometric mean over a family.
CHECKS = {"affine": 1.02, "indirect": 1.15, "dividing": 1.05}

# Time with polls for signals over time without: geometric mean, and the most of one program.
POLLS_MEAN, POLLS_EACH = 1.02, 1.10

# Compile time per unit of size may grow by this much from the last size but one to the last.
GROWTH = 1.3


def geometric_mean(values):
    values = [value for value in values if value]
    if not values:
        return None
    return math.exp(sum(math.log(value) for value in values) / len(values))


def program_ratios(rows):
    """For one program: cold start and steady state of Numba, and steady state of C, over ours.

    2.0 means that we are twice as quick; None that one side has no figure.
    """
    ours, numba, c = rows.get("whipsnake"), rows.get("numba"), rows.get("c")
    cold = None
    if ours and numba and "error" not in ours and "error" not in numba:
        cold = numba["cold"] / ours["cold"]
    return {
        "cold": cold,
        "steady": paired_ratio(numba, ours),
        "c": paired_ratio(c, ours),
        "numba_c": paired_ratio(c, numba),
    }


def array_ratios(rows):
    """The same for a program on whole arrays: cold, and steady over Numba and over NumPy."""
    ratios = program_ratios(rows)
    ratios["numpy"] = paired_ratio(rows.get("numpy"), rows.get("whipsnake"))
    return ratios


# Column of the ratios -> (least ratio, what it is about).
AGAINST_NUMBA = {"cold": (COLD_EACH, "cold start"), "steady": (STEADY_EACH, "Numba")}
ARRAY_LIMITS = {**AGAINST_NUMBA, "numpy": (NUMPY_EACH, "NumPy")}


def program_limits(name):
    """The targets of a program, as above."""
    if name in NOT_HELD_TO_C:
        return AGAINST_NUMBA
    least = C_INDIRECT if name in FAMILIES["indirect"] else C_EACH
    return {**AGAINST_NUMBA, "c": (least, "C")}


def missed(rows, ratios, limits):
    """Which targets a program misses: a list of words, or None if nothing is known."""
    if "error" in rows.get("whipsnake", {}):
        return ["runs"]
    known = [column for column in limits if ratios[column]]
    if not known:
        return None
    return [limits[column][1] for column in known if ratios[column] < limits[column][0]]


def missed_by_program(name, rows):
    return missed(rows, program_ratios(rows), program_limits(name))


def missed_by_arrays(name, rows):
    return missed(rows, array_ratios(rows), ARRAY_LIMITS)


def verdict(words):
    """What `missed` said, as a phrase: "ok", "missed: Numba, C", or "-"."""
    if words is None:
        return "-"
    return "missed: " + ", ".join(words) if words else "ok"


def mean_ratios(programs):
    """Geometric means of the columns of `program_ratios`; recursion is left out of those of C."""
    rows = {name: program_ratios(row) for name, row in programs.items()}
    held = {name: row for name, row in rows.items() if name not in NOT_HELD_TO_C}
    return {
        "cold": geometric_mean(row["cold"] for row in rows.values()),
        "steady": geometric_mean(row["steady"] for row in rows.values()),
        "c": geometric_mean(row["c"] for row in held.values()),
        "numba_c": geometric_mean(row["numba_c"] for row in held.values()),
    }


def scaled_call(calls, shape, lane):
    """Nanoseconds of a call on a machine where a plain Python call takes 20, or None."""
    took = calls["shapes"].get(shape, {}).get(lane)
    return None if took is None or not calls["unit"] else took / calls["unit"] * 20.0


def verdicts(results):
    """Rows (what, figure, limit, reached) over those parts that were measured."""
    rows = []
    programs = results.get("programs")
    if programs:
        rows += program_verdicts(programs)
    if results.get("arrays"):
        rows += array_verdicts(results["arrays"])
    imports = results.get("import", {}).get("whipsnake")
    if imports:
        took = imports["import"]
        rows.append(
            ("import, over NumPy", f"{took * 1e3:.1f} ms", "<= 5 ms", took <= IMPORT_SECONDS)
        )
        loaded = imports["llvm_loaded"]
        rows.append(("LLVM after import", "loaded" if loaded else "not loaded", "none", not loaded))
    took = results.get("signatures")
    if took:
        rows.append(("import of 100 signatures", f"{took * 1e3:.1f} ms",
                     f"<= {SIGNATURES_SECONDS * 1e3:.0f} ms", took <= SIGNATURES_SECONDS))
    warm = {name: row for name, row in results.get("warm", {}).items() if "error" not in row}
    if warm:
        worst = max(warm, key=lambda name: warm[name]["warm"])
        took = warm[worst]["warm"]
        rows.append(
            ("start with a full cache, over NumPy, most", f"{took * 1e3:.1f} ms ({worst})",
             f"<= {WARM_SECONDS * 1e3:.0f} ms", took <= WARM_SECONDS)
        )
        loaded = [name for name, row in warm.items() if row["compiler"]]
        rows.append(("compiler loaded with a full cache", ", ".join(loaded) or "none", "none",
                     not loaded))
    if results.get("calls"):
        rows += call_verdicts(results["calls"])
    ours = results.get("checks", {}).get("whipsnake", {})
    for family in FAMILIES:
        mean = geometric_mean(ours.get(family, {}).values())
        if mean is not None:
            limit = CHECKS[family]
            rows.append((f"checks, {family}", f"{mean:.3f}", f"<= {limit:.2f}", mean <= limit))
    polls = {name: r["steady"] for name, r in results.get("polls", {}).items() if r["steady"]}
    if polls:
        mean, worst = geometric_mean(polls.values()), max(polls, key=polls.get)
        rows.append(("polls, mean", f"{mean:.3f}", f"<= {POLLS_MEAN}", mean <= POLLS_MEAN))
        most = f"{polls[worst]:.2f} ({worst})"
        rows.append(("polls, most", most, f"<= {POLLS_EACH}", polls[worst] <= POLLS_EACH))
    for series, sizes in results.get("growth", {}).items():
        step = growth_step(sizes, "whipsnake")
        if step is not None:
            rows.append(
                (f"growth, {series}", f"{step:.2f}", f"<= {GROWTH} per unit", step <= GROWTH)
            )
    return rows


def program_verdicts(programs):
    each = {name: program_ratios(row) for name, row in programs.items()}
    means = mean_ratios(programs)
    indirect = {name: row for name, row in each.items() if name in FAMILIES["indirect"]}
    held = {name: row for name, row in each.items() if name not in {*NOT_HELD_TO_C, *indirect}}
    rows = []
    failed = [name for name, row in programs.items() if "error" in row.get("whipsnake", {})]
    if any("whipsnake" in row for row in programs.values()):
        rows.append(("programs that fail", ", ".join(failed) or "none", "none", not failed))
    rows += short_verdict("programs that miss a target", programs, missed_by_program)
    for what, column, limit, among in (
        ("cold start against Numba, least", "cold", COLD_EACH, each),
        ("steady state against Numba, least", "steady", STEADY_EACH, each),
        ("steady state against C, least", "c", C_EACH, held),
        ("... with indirect subscripts", "c", C_INDIRECT, indirect),
    ):
        known = {name: row[column] for name, row in among.items() if row[column]}
        if known:
            worst = min(known, key=known.get)
            rows.append(
                (
                    what,
                    f"{known[worst]:.2f}x ({worst})",
                    f">= {limit:.3g}x",
                    known[worst] >= limit,
                )
            )
    for what, column, limit in (
        ("cold start against Numba, mean", "cold", COLD_MEAN),
        ("steady state against Numba, mean", "steady", STEADY_MEAN),
    ):
        if means[column]:
            rows.append((what, f"{means[column]:.2f}x", f">= {limit:g}x", means[column] >= limit))
    return rows


def short_verdict(what, programs, missed_by):
    """One row about all of them, if anything is known."""
    words = {name: missed_by(name, row) for name, row in programs.items()}
    short = [name for name, missing in words.items() if missing]
    if all(missing is None for missing in words.values()):
        return []
    return [(what, ", ".join(short) or "none", "none", not short)]


def array_verdicts(programs):
    rows = short_verdict("array programs that miss a target", programs, missed_by_arrays)
    mean = geometric_mean(array_ratios(row)["steady"] for row in programs.values())
    if mean:
        rows.append(
            (
                "array programs against Numba, mean",
                f"{mean:.2f}x",
                f">= {ARRAYS_MEAN:g}x",
                mean >= ARRAYS_MEAN,
            )
        )
    return rows


def call_verdicts(calls):
    rows = []
    for shape, limit in CALLS.items():
        took = scaled_call(calls, shape, "whipsnake")
        if took is not None:
            rows.append((f"call, {shape}", f"{took:.0f} ns", f"<= {limit:.0f} ns", took <= limit))
    slower = [
        shape
        for shape, row in calls["shapes"].items()
        if "whipsnake" in row and "numba" in row and row["whipsnake"] >= row["numba"]
    ]
    if any("whipsnake" in row and "numba" in row for row in calls["shapes"].values()):
        rows.append(("calls not below Numba's", ", ".join(slower) or "none", "none", not slower))
    return rows


def growth_step(sizes, lane):
    """Growth of the compile time per unit of size over the last step of a series."""
    ordered = sorted(sizes, key=int)
    smaller, larger = ordered[-2], ordered[-1]
    before, after = sizes[smaller].get(lane), sizes[larger].get(lane)
    if not before or not after:
        return None
    return (after / int(larger)) / (before / int(smaller))
