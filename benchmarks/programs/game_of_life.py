"""Conway's game of life on a board of bytes whose border stays dead."""

import numpy as np

from engine import njit

SIZE, SMALL = 256, 32
GENERATIONS = 20


def work(size):
    return size * size


def setup(size):
    board = (np.random.default_rng(3).random((size, size)) < 0.3).astype(np.uint8)
    board[[0, -1], :] = 0
    board[:, [0, -1]] = 0
    return board, GENERATIONS


@njit
def neighbours(board, i, j):
    count = 0
    for di in range(-1, 2):
        for dj in range(-1, 2):
            if di != 0 or dj != 0:
                count += board[i + di, j + dj]
    return count


@njit
def run(board, generations):
    now = board.copy()
    after = np.zeros_like(board)
    height, width = board.shape
    for _ in range(generations):
        for i in range(1, height - 1):
            for j in range(1, width - 1):
                n = neighbours(now, i, j)
                if n == 3 or (n == 2 and now[i, j] == 1):
                    after[i, j] = 1
                else:
                    after[i, j] = 0
        now, after = after, now
    return now


def check(result, board, generations):
    for _ in range(generations):
        n = sum(
            board[1 + di : board.shape[0] - 1 + di, 1 + dj : board.shape[1] - 1 + dj]
            for di in (-1, 0, 1)
            for dj in (-1, 0, 1)
            if di or dj
        )
        board = np.pad((n == 3) | ((n == 2) & (board[1:-1, 1:-1] == 1)), 1).astype(np.uint8)
    np.testing.assert_array_equal(result, board)
