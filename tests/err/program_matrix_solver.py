# program_matrix_solver: a longer program: the right-hand side comes as a list from Python
# expect: TypingError
# tells: 'b' | list | numpy.array
import numpy as np

from whipsnake import njit


@njit
def pivot_row(a, k):
    best = k
    for i in range(k + 1, a.shape[0]):
        if abs(a[i, k]) > abs(a[best, k]):
            best = i
    return best


@njit
def solve(a, b):
    a = a.copy()
    n = a.shape[0]
    x = np.empty(n)
    for i in range(n):
        x[i] = b[i]
    for k in range(n):
        p = pivot_row(a, k)
        for j in range(n):
            a[k, j], a[p, j] = a[p, j], a[k, j]
        x[k], x[p] = x[p], x[k]
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= f * a[k, j]
            x[i] -= f * x[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= a[i, j] * x[j]
        x[i] /= a[i, i]
    return x


matrix = np.array([[4.0, 1.0], [1.0, 3.0]])
print(solve(matrix, [1.0, 2.0]))
