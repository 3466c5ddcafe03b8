"""Options, the split into quick and slow tests, and the import path: all in this one place.

    pytest tests                 the quick suite
    pytest tests --all           everything (also WHIPSNAKE_TEST_ALL=1)
    pytest tests/err --bless     rewrite the expected error texts; read the diff
"""

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", dest="run_all",
                     default=os.environ.get("WHIPSNAKE_TEST_ALL", "0") not in ("", "0"),
                     help="run the slow tests too")
    parser.addoption("--bless", action="store_true", default=False,
                     help="rewrite the golden files from what comes out")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: only with --all")
    if config.getoption("run_all"):
        os.environ["WHIPSNAKE_TEST_ALL"] = "1"
    elif not config.option.markexpr:
        config.option.markexpr = "not slow"


@pytest.fixture
def bless(request):
    """True if golden files are to be rewritten."""
    return request.config.getoption("bless")


@pytest.fixture
def run_all(request):
    """True if the long versions of tests are wanted."""
    return request.config.getoption("run_all")
