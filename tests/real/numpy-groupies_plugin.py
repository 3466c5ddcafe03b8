"""The option of pytest that numpy-groupies' tests read, from a file that is not in its wheel."""


def pytest_addoption(parser):
    parser.addoption("--seed", type=int, default=42)
