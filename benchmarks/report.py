"""The results as tables: in Markdown, which reads well on a terminal too."""

import targets

LANES = ("whipsnake", "numba", "c", "python")


def table(head, rows):
    """A Markdown table with its columns padded; the first column is text, the others figures."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]

    def line(cells):
        padded = [cells[0].ljust(widths[0])]
        padded += [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:])]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * widths[0]] + ["-" * (width - 1) + ":" for width in widths[1:]]
    return "\n".join([line(head), line(rule), *(line(row) for row in rows)])


def figures(number):
    return f"{number:.3g}" if number < 1000 else f"{number:.0f}"


def milliseconds(row, key):
    """A time out of a lane's row: "failed" if the lane failed, "-" if it did not run."""
    if row is None:
        return "-"
    if "error" in row:
        return "failed"
    text = figures(row[key] * 1e3)
    return "~" + text if row["scaled_by"] > 1 and key == "steady" else text


def times(ratio, limit=None):
    """A ratio, marked where it misses its limit."""
    if ratio is None:
        return "-"
    text = f"{ratio:.1f}x" if ratio >= 10 else f"{ratio:.2f}x"
    return text + (" !" if limit is not None and ratio < limit else "")


def ratio_cells(ratios, limits, columns):
    """Ratios, marked where they miss their limit; `columns` without one are not."""
    return [times(ratios[column], limits.get(column, (None,))[0]) for column in columns]


def program_rows(programs, lanes, columns, ratios_of, limits_of, missed_by):
    """A row per program: cold, its ratio, steady on these lanes, ratios, the verdict."""
    for name, row in programs.items():
        ratios, limits = ratios_of(row), limits_of(name)
        yield [
            name,
            *(milliseconds(row.get(lane), "cold") for lane in ("whipsnake", "numba")),
            *ratio_cells(ratios, limits, ["cold"]),
            *(milliseconds(row.get(lane), "steady") for lane in lanes),
            *ratio_cells(ratios, limits, columns),
            targets.verdict(missed_by(name, row)),
        ]


def mean_row(programs, lanes, columns, means, limits):
    return [
        "geometric mean",
        *column_means(programs, "cold", ("whipsnake", "numba")),
        *ratio_cells(means, limits, ["cold"]),
        *column_means(programs, "steady", lanes),
        *ratio_cells(means, limits, columns),
        "",
    ]


def programs_table(programs):
    head = ["program", "cold: whipsnake", "numba", "ratio", "steady: whipsnake", "numba", "C"]
    head += ["python", "over numba", "over C", "numba over C", "verdict"]
    columns = ["steady", "c", "numba_c"]
    rows = program_rows(
        programs, LANES, columns, targets.program_ratios, targets.program_limits,
        targets.missed_by_program
    )
    limits = {"cold": (targets.COLD_MEAN,), "steady": (targets.STEADY_MEAN,)}
    means = targets.mean_ratios(programs)
    return table(head, [*rows, mean_row(programs, LANES, columns, means, limits)])


def arrays_table(programs):
    head = ["program", "cold: whipsnake", "numba", "ratio", "steady: whipsnake", "numba", "numpy"]
    head += ["over numba", "over numpy", "verdict"]
    lanes, columns = ("whipsnake", "numba", "numpy"), ["steady", "numpy"]
    rows = program_rows(
        programs, lanes, columns, targets.array_ratios, lambda name: targets.ARRAY_LIMITS,
        targets.missed_by_arrays
    )
    limits = {"cold": (targets.COLD_MEAN,), "steady": (targets.ARRAYS_MEAN,)}
    each = [targets.array_ratios(row) for row in programs.values()]
    means = {
        column: targets.geometric_mean(ratios[column] for ratios in each)
        for column in ("cold", *columns)
    }
    return table(head, [*rows, mean_row(programs, lanes, columns, means, limits)])


def column_means(programs, key, lanes):
    for lane in lanes:
        rows = [row[lane] for row in programs.values() if lane in row]
        mean = targets.geometric_mean(row[key] for row in rows if "error" not in row)
        yield "-" if mean is None else figures(mean * 1e3)


def parts_table(programs):
    """Where a cold start goes, and how much memory a process has had at its end."""
    head = ["program"]
    for lane in ("whipsnake", "numba"):
        head += [f"{lane}: import", "decorate", "first call"]
    head += [f"peak MB: {lane}" if lane == "whipsnake" else lane for lane in LANES[:3]]
    rows = []
    for name, row in programs.items():
        cells = [name]
        for lane in ("whipsnake", "numba"):
            cells += [milliseconds(row.get(lane), part) for part in ("import", "decorate", "first")]
        for lane in LANES[:3]:
            known = row.get(lane) and "error" not in row[lane]
            cells.append(f"{row[lane]['peak'] / 2**20:.0f}" if known else "-")
        rows.append(cells)
    return table(head, rows)


def imports_table(imports):
    rows = [
        [
            name,
            f"{row['numpy'] * 1e3:.1f}",
            f"{row['import'] * 1e3:.1f}",
            "yes" if row["llvm_loaded"] else "no",
        ]
        for name, row in imports.items()
    ]
    return table(["engine", "import numpy", "import engine", "LLVM loaded"], rows)


def warm_table(warm):
    rows = [
        [name, "failed", "-", "-"]
        if "error" in row
        else [name, f"{row['numpy'] * 1e3:.1f}", f"{row['warm'] * 1e3:.1f}",
              "yes" if row["compiler"] else "no"]
        for name, row in warm.items()
    ]
    return table(["program", "import numpy", "whipsnake to first result", "compiler loaded"], rows)


def calls_table(calls):
    head = ["arguments", "whipsnake", "numba", "plain Python", "whipsnake, scaled", "numba, scaled"]
    rows = []
    for shape, row in calls["shapes"].items():
        cells = [shape]
        for lane in ("whipsnake", "numba", "python"):
            cells.append(f"{row[lane] * 1e9:.0f}" if lane in row else "-")
        for lane in ("whipsnake", "numba"):
            scaled = targets.scaled_call(calls, shape, lane)
            text = "-" if scaled is None else f"{scaled:.0f}"
            limit = targets.CALLS.get(shape) if lane == "whipsnake" else None
            cells.append(text + (" !" if limit and scaled and scaled > limit else ""))
        rows.append(cells)
    return table(head, rows)


def growth_table(growth):
    head = ["series", "size", "whipsnake ms", "per unit", "numba ms", "per unit"]
    rows = []
    for series, sizes in growth.items():
        for size, row in sizes.items():
            cells = [series, str(size)]
            for lane in ("whipsnake", "numba"):
                took = row.get(lane)
                cells += (
                    ["-", "-"]
                    if took is None
                    else [
                        f"{took * 1e3:.1f}",
                        f"{took * 1e3 / int(size):.2f}",
                    ]
                )
            rows.append(cells)
    return table(head, rows)


def checks_table(checks):
    head = ["family", "program", *checks]
    rows = []
    for family in next(iter(checks.values())):
        programs = next(iter(checks.values()))[family]
        for name in programs:
            ratios = [engine[family].get(name) for engine in checks.values()]
            rows.append([family, name, *("-" if r is None else f"{r:.2f}" for r in ratios)])
        means = [targets.geometric_mean(engine[family].values()) for engine in checks.values()]
        rows.append(
            [family, "geometric mean", *("-" if mean is None else f"{mean:.3f}" for mean in means)]
        )
    return table(head, rows)


def polls_table(polls):
    head = ["program", "steady", "cold"]
    rows = [
        [name, *(f"{r[k]:.2f}" if r[k] else "-" for k in head[1:])] for name, r in polls.items()
    ]
    means = [targets.geometric_mean(r[k] for r in polls.values()) for k in head[1:]]
    rows.append(["geometric mean", *("-" if mean is None else f"{mean:.3f}" for mean in means)])
    return table(head, rows)


def failures(results):
    """Lines saying what failed, with the engine's own words."""
    lines = []
    for section in ("programs", "arrays"):
        for name, row in results.get(section, {}).items():
            lines += [f"- {name}, {lane}: {r['error']}" for lane, r in row.items() if "error" in r]
    for lane, errors in results.get("calls", {}).get("errors", {}).items():
        lines += [f"- call with {shape}, {lane}: {text}" for shape, text in errors.items()]
    return lines


def targets_table(results):
    rows = [
        [what, figure, limit, "ok" if reached else "missed"]
        for what, figure, limit, reached in targets.verdicts(results)
    ]
    return table(["target", "figure", "limit", "verdict"], rows) if rows else ""


SECTIONS = (
    (
        "programs",
        "Programs",
        programs_table,
        "Milliseconds, medians. Cold: import + decorate + first call - one steady call, in a new "
        "process with an empty cache. Steady: one call after that. Ratios above 1 are in our "
        "favour; `!` misses its target, and the verdict says which. Not held to C: "
        + ", ".join(targets.NOT_HELD_TO_C)
        + ". Python ran a smaller size, scaled up by the work (`~`).",
    ),
    (
        "programs",
        "Cold start in parts, and memory",
        parts_table,
        "Milliseconds; peak resident memory of the process after the first call, in MiB. C's is "
        "that of Python, NumPy and the data alone.",
    ),
    (
        "arrays",
        "Programs on whole arrays",
        arrays_table,
        "Milliseconds, medians, as above. NumPy runs the same text as plain Python.",
    ),
    ("import", "Import", imports_table, "Milliseconds; the engine's is on top of NumPy's."),
    (
        "warm",
        "Start with a full cache",
        warm_table,
        "Milliseconds of a process whose functions an earlier one has compiled: importing NumPy; "
        "then import + decorate + first call - one steady call.",
    ),
    (
        "calls",
        "Calls",
        calls_table,
        "Nanoseconds of a call that does next to nothing, the loop around it taken off. Scaled: "
        "for a machine where a plain Python call without arguments takes 20 ns.",
    ),
    (
        "checks",
        "Cost of checks",
        checks_table,
        "Time with bounds and division checks over time without (Numba: `boundscheck=True` and "
        "its default error model against `boundscheck=False, error_model='numpy'`).",
    ),
    (
        "polls",
        "Cost of polling for signals",
        polls_table,
        "Time with polls in loops, so that Ctrl-C stops them, over time without.",
    ),
    (
        "growth",
        "Compile time over program size",
        growth_table,
        "Decorate + first call, in a process that has compiled one small function before.",
    ),
)


def markdown(results):
    """The whole report."""
    parts = ["# Benchmark results", "", results["machine"]["line"], ""]
    for lane, why in results["missing"].items():
        parts += [f"No {lane} column: {why}.", ""]
    verdict = targets_table(results)
    if verdict:
        parts += ["## Targets", "", verdict, ""]
    for key, title, make, explanation in SECTIONS:
        if results.get(key):
            parts += [f"## {title}", "", explanation, "", make(results[key]), ""]
    failed = failures(results)
    if failed:
        parts += ["## Failures", "", *failed, ""]
    return "\n".join(parts)
