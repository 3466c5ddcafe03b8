"""Where whipsnake cannot work, importing it says so in a sentence."""

import sys

import pytest

from support import run_python

pytestmark = pytest.mark.skipif(sys.implementation.name != "cpython", reason="about CPython")


def test_subinterpreters_are_refused():
    run_python("""
        import sys
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        import whipsnake  # the main interpreter goes on
        script = '''
        try:
            import whipsnake
        except ImportError as error:
            text = str(error)
        assert "subinterpreters" in text, text
        '''
        import textwrap
        number = interpreters.create()
        failed = interpreters.run_string(number, textwrap.dedent(script))
        assert failed is None, failed
        assert whipsnake.njit(lambda x: x + 1)(1) == 2
    """)


def test_free_threaded_python_is_refused():
    run_python("""
        import sys
        sys.abiflags = "t"
        try:
            import whipsnake
        except ImportError as error:
            assert "no build for free-threaded Python yet" in str(error)
        else:
            raise AssertionError
    """)


def test_a_second_copy_is_refused():
    run_python("""
        import sys, whipsnake
        for name in [n for n in sys.modules if n.startswith("whipsnake")]:
            del sys.modules[name]
        try:
            import whipsnake
        except ImportError as error:
            assert "only once per process" in str(error)
        else:
            raise AssertionError
    """)
