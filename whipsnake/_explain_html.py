"""Reports of `explain` as HTML that needs nothing else: no script, no other file."""

from html import escape

from whipsnake._explain import MARKS, compile_time, new_variables, shown_remarks, to_change

STYLE = """
.whipsnake { font: 14px/1.45 system-ui, sans-serif; color: #1c2330; background: #fff; }
.whipsnake h2 { font-size: 17px; margin: 1em 0 .2em; font-family: ui-monospace, monospace; }
.whipsnake p { margin: .2em 0 .6em; color: #5b6472; }
.whipsnake table { border-collapse: collapse; font: 13px/1.5 ui-monospace, monospace; width: 100%; }
.whipsnake td { padding: 0 .6em; vertical-align: top; text-align: left; border: 0; }
.whipsnake td.n { color: #8a93a2; text-align: right; width: 1%; user-select: none; }
.whipsnake td.s { white-space: pre; }
.whipsnake tr.line { background: #f5f6f8; }
.whipsnake tr.note td.s { white-space: pre-wrap; }
.whipsnake .type { color: #3856a8; }
.whipsnake .good { color: #1c7a3d; }
.whipsnake .costs { color: #b3391e; }
.whipsnake .fact { color: #5b6472; }
.whipsnake .advice { color: #7a5200; }
.whipsnake span[title]:hover { background: #dfe6fb; }
@media (prefers-color-scheme: dark) {
  .whipsnake { color: #dfe3ea; background: #15181d; }
  .whipsnake p, .whipsnake .fact { color: #9aa3b2; }
  .whipsnake tr.line { background: #1e232b; }
  .whipsnake .type { color: #9fb6ff; }
  .whipsnake .good { color: #6fd08c; }
  .whipsnake .costs { color: #ff9379; }
  .whipsnake .advice { color: #e2b65b; }
  .whipsnake span[title]:hover { background: #33405f; }
}
"""


def _row(kind, number, html):
    return f'<tr class="{kind}"><td class="n">{number}</td><td class="s">{html}</td></tr>'


def _source(line):
    """The line with a tooltip on each expression. Expressions lie within each other or apart."""
    text = line.source.encode()
    end_of_line = len(text)
    spans = [(v.column, end_of_line if v.end_line > v.line else min(v.end_column, end_of_line),
              " or ".join(v.types)) for v in line.values]
    out, at, ends = [], 0, []

    def copy(to):
        nonlocal at
        out.append(escape(text[at:to].decode(errors="replace")))
        at = max(at, to)

    def close(before):
        while ends and ends[-1] <= before:
            copy(ends.pop())
            out.append("</span>")

    for start, end, title in sorted(spans, key=lambda s: (s[0], -s[1])):
        close(start)
        if end <= start or (ends and end > ends[-1]):
            continue
        copy(start)
        out.append(f'<span title="{escape(title)}">')
        ends.append(end)
    close(end_of_line)
    copy(end_of_line)
    return "".join(out)


def _notes(line, variables, details):
    indent = " " * (2 + len(line.source) - len(line.source.lstrip()))
    for name, text in variables:
        yield f'{indent}<span class="type">{escape(name)}: {escape(text)}</span>'
    for remark in shown_remarks(line, details):
        text = f"{MARKS[remark.level]} {remark}"
        advice = f'<br/>{indent}  <span class="advice">{escape(remark.advice)}</span>'
        yield (f'{indent}<span class="{remark.level}">{escape(text)}</span>'
               + (advice if remark.advice else ""))


def _function(function, details):
    out = [f"<p>{escape(function.filename)}, line {function.line}, in {escape(function.name)}</p>",
           "<table>"]
    for line, variables in zip(function.lines, new_variables(function)):
        out.append(_row("line", line.number, _source(line)))
        out += [_row("note", "", note) for note in _notes(line, variables, details)]
    returns = escape(" or ".join(function.returns))
    out.append(_row("note", "", f'<span class="type">returns {returns}</span>'))
    return "\n".join([*out, "</table>"])


def _signature(report, details, times):
    first = report.functions[0]
    args = ", ".join(f"{name}: {' or '.join(texts)}" for name, texts in first.arguments)
    out = [f"<h2>{escape(first.name)}({escape(args)})</h2>"]
    if times and compile_time(report):
        out.append(f"<p>{escape(compile_time(report))}</p>")
    out += [_function(function, details) for function in report.functions]
    changes = to_change(report)
    if changes:
        rows = "".join(f'<li>line {line}: {escape(text)}<br/><span class="advice">{escape(advice)}'
                       "</span></li>" for line, text, advice in changes)
        out.append(f"<p>What could be changed:</p><ul>{rows}</ul>")
    return "\n".join(out)


def _part(reports, details, times):
    body = "\n".join(_signature(s, details, times) for r in reports for s in r.signatures)
    return f'<div class="whipsnake">\n<style>{STYLE}</style>\n{body}\n</div>'


def _page(title, part):
    return ('<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"/>'
            f"<title>{escape(title)}</title></head>\n<body>\n{part}\n</body>\n</html>\n")


def render(report, details, times, page):
    """One report as a page, or as a part of one."""
    part = _part([report], details, times)
    return _page(f"{report.function}, explained", part) if page else part


def render_all(reports, details):
    """Several reports as one page."""
    return _page("explained", _part(reports, details, True))
