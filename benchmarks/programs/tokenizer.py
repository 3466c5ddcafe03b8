"""A tokenizer over bytes: words, numbers and single signs; fills three arrays, returns a count."""

import re

import numpy as np

from engine import njit

SIZE, SMALL = 400_000, 4_000

WORD = 1
NUMBER = 2
SIGN = 3


def work(size):
    return size


def setup(size):
    rng = np.random.default_rng(7)
    words = ["while", "x1", "=", "total", "+", "3.25", "(", "count_of", ")", "*", "17", "\n", "if"]
    text = " ".join(rng.choice(words, size // 3))[:size].encode()
    text = np.frombuffer(text, dtype=np.uint8).copy()
    n = len(text)
    return text, np.zeros(n, np.uint8), np.zeros(n, np.int32), np.zeros(n, np.int32)


@njit
def is_letter(c):
    return 97 <= c <= 122 or 65 <= c <= 90 or c == 95


@njit
def is_digit(c):
    return 48 <= c <= 57


@njit
def run(text, kinds, starts, ends):
    count = 0
    i = 0
    n = len(text)
    while i < n:
        c = text[i]
        if c == 32 or c == 10:
            i += 1
            continue
        start = i
        i += 1
        if is_letter(c):
            kind = WORD
            while i < n and (is_letter(text[i]) or is_digit(text[i])):
                i += 1
        elif is_digit(c):
            kind = NUMBER
            while i < n and (is_digit(text[i]) or text[i] == 46):
                i += 1
        else:
            kind = SIGN
        kinds[count] = kind
        starts[count] = start
        ends[count] = i
        count += 1
    return count


def check(result, text, kinds, starts, ends):
    pattern = re.compile(rb"([A-Za-z_][A-Za-z_0-9]*)|([0-9][0-9.]*)|([^ \n])")
    found = [(m.lastindex, m.start(), m.end()) for m in pattern.finditer(text.tobytes())]
    assert result == len(found)
    ours = zip(kinds[:result].tolist(), starts[:result].tolist(), ends[:result].tolist())
    assert list(ours) == found
