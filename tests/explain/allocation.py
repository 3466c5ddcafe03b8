# New memory in every iteration.
import numpy as np

from whipsnake import njit


@njit
def norms(points):
    out = np.empty(len(points))
    for i in range(len(points)):
        d = points[i].copy()
        out[i] = np.sqrt(d.dot(d))
    return out


norms(np.ones((3, 4)))
