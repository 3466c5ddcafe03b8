"""Options, the split into quick and slow tests, and the import path: all in this one place.

    pytest tests                 the quick suite
    pytest tests --all           everything (also WHIPSNAKE_TEST_ALL=1)
    pytest tests/err --bless     rewrite the expected error texts; read the diff

Compiled code is kept in a folder of its own for each run, never in the user's; WHIPSNAKE_TEST_CACHE
names one that stays, so that a second run takes everything from it. Fuzzers begin elsewhere in each
run, as the head of the output tells.
"""

import atexit
import os
import random
import shutil
import signal
import sys
import tempfile

import pytest

if "PYTEST_XDIST_WORKER" not in os.environ:  # workers inherit it
    kept = os.environ.get("WHIPSNAKE_TEST_CACHE")
    os.environ["WHIPSNAKE_CACHE_DIR"] = kept or tempfile.mkdtemp(prefix="whipsnake-cache-")
    if not kept:
        atexit.register(shutil.rmtree, os.environ["WHIPSNAKE_CACHE_DIR"], ignore_errors=True)
    os.environ.setdefault("WHIPSNAKE_FUZZ_SEED", str(random.SystemRandom().randrange(10**9)))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As a shell starts what it runs in the background; the programs of the tests would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", dest="run_all",
                     default=os.environ.get("WHIPSNAKE_TEST_ALL", "0") not in ("", "0"),
                     help="run the slow tests too")
    parser.addoption("--bless", action="store_true", default=False,
                     help="rewrite the golden files from what comes out")


def pytest_report_header():
    seed = os.environ["WHIPSNAKE_FUZZ_SEED"]
    return f"random programs and arguments: WHIPSNAKE_FUZZ_SEED={seed} repeats them"


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
