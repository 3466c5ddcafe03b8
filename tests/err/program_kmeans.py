# program_kmeans: a longer program: the distance function is given a row index instead of the row
# expect: TypingError
# tells: int64 | nearest | is called from assign
import numpy as np

from whipsnake import njit


@njit
def distance(a, b):
    total = 0.0
    for k in range(a.size):
        d = a[k] - b[k]
        total += d * d
    return total


@njit
def nearest(point, centres):
    best, best_distance = 0, np.inf
    for c in range(centres.shape[0]):
        d = distance(point, centres[c])
        if d < best_distance:
            best, best_distance = c, d
    return best


@njit
def assign(points, centres, labels):
    changed = 0
    for i in range(points.shape[0]):
        label = nearest(i, centres)
        if label != labels[i]:
            labels[i] = label
            changed += 1
    return changed


rng = np.random.default_rng(0)
points = rng.normal(size=(100, 2))
centres = points[:3].copy()
labels = np.zeros(100, np.int64)
while assign(points, centres, labels):
    for c in range(3):
        centres[c] = points[labels == c].mean(axis=0)
