"""The results as a picture: two bar charts on logarithmic scales, written as SVG by hand."""

import math

ROW, TOP, LABELS, CHART, GAP = 22, 64, 170, 380, 60
COLOURS = {"whipsnake": "#2a7a4b", "numba": "#3b6ea8", "python": "#b0b0b0"}
TEXT = 'font-family="sans-serif" font-size="12"'
SMALL = 'font-family="sans-serif" font-size="9"'


class Axis:
    """A logarithmic scale from `low` to `high` over CHART pixels that start at `left`."""

    def __init__(self, left, low, high):
        self.left, self.low = left, math.log10(low)
        self.per_decade = CHART / (math.log10(high) - self.low)
        self.ticks = [10.0**k for k in range(math.ceil(self.low), math.floor(math.log10(high)) + 1)]

    def x(self, value):
        at = self.left + (math.log10(value) - self.low) * self.per_decade
        return min(max(at, self.left), self.left + CHART)


def label(value):
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def bars(axis, values, start, y, colours):
    """One row of bars from `start` (a value on the axis), sharing the height of the row."""
    height = (ROW - 6) / max(1, len(values))
    out = []
    for k, (name, value) in enumerate(values):
        if value is None:
            x, base = axis.x(start) + 4, y + 3 + (k + 1) * height - 1
            out.append(f'<text x="{x:.1f}" y="{base:.1f}" {SMALL}>{name}: failed</text>')
            continue
        left, right = sorted((axis.x(start), axis.x(value)))
        top = y + 3 + k * height
        out.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{max(right - left, 1):.1f}" '
            f'height="{height - 1:.1f}" fill="{colours[name]}"/>'
        )
        if len(values) <= 2:
            x, base = right + 4, top + height - 1
            out.append(f'<text x="{x:.1f}" y="{base:.1f}" {SMALL}>{label(value)}</text>')
    return out


def grid(axis, bottom, marks):
    out = []
    for value in axis.ticks:
        x = axis.x(value)
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}" stroke="#ddd"/>')
        out.append(
            f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle" {TEXT}>{value:g}</text>'
        )
    for value in marks:
        x = axis.x(value)
        out.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}" stroke="#c33" '
            'stroke-dasharray="4 3"/>'
        )
    return out


def legend(x, names):
    out = []
    for name in names:
        out.append(f'<rect x="{x}" y="36" width="12" height="12" fill="{COLOURS[name]}"/>')
        out.append(f'<text x="{x + 17}" y="47" {TEXT}>{name}</text>')
        x += 100
    return out


def figure(row, lane, key):
    lane_row = row.get(lane)
    return None if not lane_row or "error" in lane_row else lane_row[key]


def draw(results):
    """The picture of results["programs"] as SVG text."""
    programs = results["programs"]
    bottom = TOP + ROW * len(programs)
    lanes = [name for name in COLOURS if any(name in row for row in programs.values())]
    compiled = [name for name in lanes if name != "python"]
    cold = Axis(LABELS, 1.0, 10_000.0)
    steady = Axis(LABELS + CHART + GAP, 0.1, 1000.0)
    width = steady.left + CHART + 50
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bottom + 60}">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{cold.left}" y="24" {TEXT} font-weight="bold">Cold start, milliseconds '
        "(shorter is better)</text>",
        f'<text x="{steady.left}" y="24" {TEXT} font-weight="bold">Steady state, time over that '
        "of C (left is better)</text>",
        *legend(cold.left, compiled),
        *legend(steady.left, lanes),
        *grid(cold, bottom, []),
        *grid(steady, bottom, [1.0]),
    ]
    for k, (name, row) in enumerate(programs.items()):
        y = TOP + k * ROW
        out.append(f'<text x="{LABELS - 10}" y="{y + 15}" text-anchor="end" {TEXT}>{name}</text>')
        times = [(lane, figure(row, lane, "cold")) for lane in compiled]
        out += bars(cold, [(n, v and v * 1e3) for n, v in times], 1.0, y, COLOURS)
        c = figure(row, "c", "steady")
        over_c = [(lane, figure(row, lane, "steady")) for lane in lanes]
        if c:
            out += bars(steady, [(n, v and v / c) for n, v in over_c], 1.0, y, COLOURS)
    line = results["machine"]["line"].replace("&", "&amp;").replace("<", "&lt;")
    parts = line.split("; ")
    for k, some in enumerate((parts[:4], parts[4:])):
        out.append(f'<text x="10" y="{bottom + 40 + 12 * k}" {SMALL}>{"; ".join(some)}</text>')
    return "\n".join([*out, "</svg>", ""])
