# program_shortest_path: a longer program: a tuple has three items, and two names take it
# expect: TypingError
# tells: unpack | best_edge
import numpy as np

from whipsnake import njit

INFINITE = 1e300


@njit
def best_edge(weights, done, distance):
    best, where, at = INFINITE, -1, -1
    for i in range(len(done)):
        if not done[i]:
            continue
        for j in range(len(done)):
            if done[j] or weights[i, j] <= 0.0:
                continue
            if distance[i] + weights[i, j] < best:
                best, where, at = distance[i] + weights[i, j], i, j
    return best, where, at


@njit
def dijkstra(weights, start):
    n = weights.shape[0]
    done = np.zeros(n, dtype=np.bool_)
    distance = np.full(n, INFINITE)
    distance[start] = 0.0
    done[start] = True
    for _ in range(n - 1):
        length, target = best_edge(weights, done, distance)
        if target < 0:
            break
        distance[target] = length
        done[target] = True
    return distance


dijkstra(np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 2.0], [4.0, 2.0, 0.0]]), 0)
