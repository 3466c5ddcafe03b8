"""Which loops `explain` calls safe for prange: "safe" must be true, else it is "not known"."""

import linecache

import numpy as np
import pytest

from support import PLAIN

if PLAIN:
    pytest.skip("looks at the compiler itself", allow_module_level=True)

from whipsnake import njit

SAFE, NOT, UNKNOWN = "PARALLEL", "NOT_PARALLEL", "PARALLEL_UNKNOWN"
HEAD = "def f(a, b, m, k, n, pair):\n    s = 0.0\n    c = 1\n    for i in range(n):\n"
ARGS = (np.arange(1.0, 9.0), np.arange(1.0, 17.0), np.ones((8, 8)), np.arange(8) % 4, 8,
        (np.ones(8), np.ones(8)))

# the body of `for i in range(n)`; what is said of that loop
BODIES = [
    ("b[i] = a[i] * 2", SAFE),
    ("a[i] = a[i] * 2", SAFE),
    ("b[i + 1] = a[i]", SAFE),
    ("b[2 * i] = a[i]; b[2 * i + 1] = -a[i]", SAFE),
    ("b[n - 1 - i] = a[i]", SAFE),
    ("m[i, 0] = a[i]; m[i, 1] = m[i, 0]", SAFE),
    ("for j in range(n):\n    m[i, j] = m[i, j] + a[j]", SAFE),
    ("for j in range(n):\n    m[j, i] = m[j, 0] if i == 0 else a[j]", UNKNOWN),
    ("for j in range(1, n):\n    m[i, j] = m[i, j - 1]", SAFE),
    ("s += a[i]", SAFE),
    ("s -= a[i]", SAFE),
    ("if a[i] > 3:\n    s += a[i]", SAFE),
    ("for j in range(n):\n    s += m[i, j]", SAFE),
    ("c *= i", SAFE),
    ("s = max(s, a[i])", SAFE),
    ("t = np.zeros(3)\nt[0] = a[i]\ns += t[0]", SAFE),
    ("x = a[i]\nfor j in range(3):\n    x = x * 0.5 + j\nb[i] = x", SAFE),
    ("b[i] = b[i + 8]", NOT),  # eight apart, in eight iterations: not looked at that closely
    ("a[i] = a[i - 1]", NOT),
    ("if i > 0:\n    a[i] = a[i - 1]", NOT),
    ("b[i] = b[i + 1]", NOT),
    ("if i > 0:\n    b[2 * i] = b[2 * i - 2]", NOT),
    ("a[0] = i", NOT),
    ("a[0] += a[i]", NOT),
    ("a[i] = a[n - 1 - i]", UNKNOWN),
    ("a[i % 2] = i", UNKNOWN),
    ("b[i // 2] = i", UNKNOWN),
    ("a[k[i]] = i", UNKNOWN),
    ("b[i] = b[k[i]]", UNKNOWN),
    ("s = s * 0.5 + a[i]", NOT),
    ("s = a[i] - s", NOT),
    ("s += a[i]; b[i] = s", NOT),
    ("s += a[i] * s", NOT),
    ("s = a[i]", NOT),
    ("c = c + 1 if a[i] > c else c", NOT),
    ("if a[i] < 0:\n    break", NOT),
    ("for j in range(n):\n    m[j, 0] = m[j, 0] + i", UNKNOWN),
    ("for j in range(n):\n    m[0, j] += a[i]", UNKNOWN),
    ("for j in range(n):\n    if i > 0:\n        m[i, j] = m[i - 1, j]", UNKNOWN),
    ("t = b[1:]\nt[i] = b[i]", UNKNOWN),
    ("t = b\nt[i] = b[i + 1]", NOT),
    ("pair[0][i] = pair[1][i]", UNKNOWN),
    ("print(i)", UNKNOWN),
    ("s += np.random.random()", UNKNOWN),
]


def explained(body):
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    text = f"{HEAD}{lines}    return s, c, i\n".replace(", i\n", "\n")
    name = f"<parallel {hash(body)}>"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    namespace = {"np": np}
    exec(compile(text, name, "exec"), namespace)
    f = njit(namespace["f"])
    f(*(x.copy() if isinstance(x, np.ndarray) else x for x in ARGS))
    [signature] = f.explain().signatures
    return [r for r in signature.remarks if r.kind in (SAFE, NOT, UNKNOWN) and r.line == 4]


@pytest.mark.parametrize("body, kind", BODIES)
def test_loop(body, kind, capfd):
    [remark] = explained(body)
    assert remark.kind == kind, remark.text
    if kind != SAFE:
        assert remark.values["why"]


@pytest.mark.parametrize("body", [body for body, kind in BODIES if kind == SAFE])
def test_safe_means_any_order(body):
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    text = f"{HEAD}{lines}    return s, c\n".replace("in range(n)", "in order", 1)
    namespace = {"np": np}
    exec(text.replace("n, pair", "n, pair, order"), namespace)
    ends = []
    for order in (range(8), range(7, -1, -1), (3, 1, 7, 0, 5, 2, 6, 4)):
        args = [x.copy() if isinstance(x, np.ndarray) else x for x in ARGS]
        results = namespace["f"](*args, order)
        ends.append(np.concatenate([np.ravel(x) for x in (*args[:4], results)]))
    np.testing.assert_allclose(ends[1], ends[0])
    np.testing.assert_allclose(ends[2], ends[0])


def test_conditions_are_named():
    [two] = explained("b[i] = a[i]")
    assert "share no memory: 'b' and 'a'" in two.text
    [one] = explained("a[i] = a[i] + 1")
    assert one.values["apart"] == ""
    [sums] = explained("s += a[i]; c += i")
    assert "'s' is a sum, whose last digits depend on the order" in sums.text
    assert "'c' is a sum" in sums.text


def test_parallel_diagnostics(capsys):
    def scan(a, b):
        for i in range(len(a)):
            b[i] = a[i] * 2
        for i in range(1, len(a)):
            b[i] += b[i - 1]

    f = njit(scan)
    f(np.ones(9), np.zeros(9))
    texts = {}
    for level in (1, 2, 3, 4):
        assert f.parallel_diagnostics(level=level) is None
        texts[level] = capsys.readouterr().out
    lines = texts[1].splitlines()
    assert lines[0].startswith(("test_parallel_diagnostics.<locals>.scan(a: array(float64, 1d, C)"))
    assert lines[1] == "loops that would be safe as prange: 1; others: 1"
    safe = next(k for k, line in enumerate(lines) if line.endswith("for i in range(len(a)):"))
    assert "prange would be safe" in lines[safe + 1]
    other = next(k for k, line in enumerate(lines) if line.endswith("for i in range(1, len(a)):"))
    assert "prange" in lines[other + 1] and "would be safe" not in lines[other + 1]
    assert "vectorized" in texts[2] and "vectorized" not in texts[1]
    assert len(texts[1]) < len(texts[2]) <= len(texts[3]) < len(texts[4])
    f.parallel_diagnostics("void(float32[:], float64[:])")
    assert "float32" in capsys.readouterr().out
