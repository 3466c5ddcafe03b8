# program_edit_distance: a longer program: results are memorized in a dict
# expect: UnsupportedError
# tells: distance | dict
import numpy as np

from whipsnake import njit


def encode(word):
    return np.frombuffer(word.encode(), dtype=np.uint8)


@njit
def cost(a, b):
    return 0 if a == b else 1


@njit
def distance(first, second):
    """Levenshtein's distance of two words."""
    known = {}
    n, m = len(first), len(second)
    for i in range(n + 1):
        known[i, 0] = i
    for j in range(m + 1):
        known[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            known[i, j] = min(known[i - 1, j] + 1, known[i, j - 1] + 1,
                              known[i - 1, j - 1] + cost(first[i - 1], second[j - 1]))
    return known[n, m]


def nearest(word, words):
    encoded = encode(word)
    return min(words, key=lambda other: distance(encoded, encode(other)))


nearest("pyhton", ["python", "typhoon", "marathon"])
