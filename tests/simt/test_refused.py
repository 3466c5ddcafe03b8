"""What kernels cannot do, and what is said then: whole texts."""

import re

import numpy as np
import pytest

from whipsnake import cuda, errors, float64, njit


def message(error, run):
    """The text of the error, without file names and line numbers."""
    with pytest.raises(error) as caught:
        run()
    text = re.sub(r'File "[^"]*", line \d+', "File, line", str(caught.value))
    return re.sub(r"(?m)^ +\d* \|", "|", text)


def test_a_kernel_returns_nothing():
    @cuda.jit
    def kernel(x):
        return x[0] + 1

    assert message(errors.TypingError, lambda: kernel[1, 1](np.ones(1))) == """\
a kernel returns nothing, but kernel returns a float64 here
  File, line, in test_a_kernel_returns_nothing.<locals>.kernel
|     return x[0] + 1
|     ^^^^^^^^^^^^^^^
  hint: write the result into an array that is passed to the kernel"""


@pytest.mark.parametrize("shape, error, text", [
    ("n", errors.TypingError, "the shape of a shared array must be a constant known when comp"),
    ("(4, -1)", errors.TypingError, "a shared array has at least one element and at most 48 KiB"),
    ("10000", errors.TypingError, "a shared array has at least one element and at most 48 KiB"),
    ("2.5", errors.TypingError, "the shape of a shared array must be a constant known when comp"),
])  # fmt: skip
def test_shared_shapes(shape, error, text, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(f"""\
from whipsnake import cuda, float64

@cuda.jit
def kernel(x, n):
    s = cuda.shared.array({shape}, float64)
    s[0] = x[0]
""")
    names = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    with pytest.raises(error, match=re.escape(text)):
        names["kernel"][1, 1](np.ones(1), 3)


def test_threads_outside_a_kernel():
    @njit
    def function():
        return cuda.threadIdx.x

    assert message(errors.TypingError, function) == """\
this exists only in kernels and the functions that they call
  File, line, in test_threads_outside_a_kernel.<locals>.function
|     return cuda.threadIdx.x
|            ^^^^^^^^^^^^^^^^
  hint: decorate the outermost function with cuda.jit and launch it with kernel[grid, block](...)"""


def test_plain_python_calls_say_so():
    for use in (lambda: cuda.grid(1), lambda: cuda.threadIdx.x, cuda.syncthreads,
                lambda: cuda.shared.array(3, float64), lambda: cuda.gridsize(2)):
        with pytest.raises(RuntimeError, match="only in kernels and the functions that they call"):
            use()
    with pytest.raises(AttributeError, match="it has x, y, z"):
        cuda.blockDim.w


@pytest.mark.parametrize("line, text", [
    ("i = cuda.grid(4)", "a grid has 1, 2 or 3 dimensions"),
    ("i = cuda.grid(n)", "the number of dimensions must be a constant known when compiling"),
    ("i = cuda.threadIdx.w", "cuda.threadIdx has no attribute 'w' in compiled code"),
    ("i = cuda.threadIdx()", "cuda.threadIdx cannot be called"),
])  # fmt: skip
def test_bad_numbers(line, text, tmp_path):
    file = tmp_path / "program.py"
    file.write_text("from whipsnake import cuda\n@cuda.jit\ndef kernel(x, n):\n"
                    f"    {line}\n    x[0] = 1\n")
    names = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    with pytest.raises(errors.TypingError, match=re.escape(text)):
        names["kernel"][1, 1](np.ones(1), 3)


def test_options():
    with pytest.raises(TypeError, match="cuda.jit has no option fastmaths; did you mean fastmath?"):
        cuda.jit(fastmaths=True)
    with pytest.raises(errors.UnsupportedError, match="not built yet"):
        cuda.jit(link=["a.ptx"])
    with pytest.raises(errors.UnsupportedError, match="not built yet"):
        cuda.jit(debug="race")
    with pytest.raises(errors.UnsupportedError, match="not built yet: whipsnake.cuda.float32x4"):
        cuda.float32x4(1, 2, 3, 4)
    with pytest.raises(errors.UnsupportedError, match=r"not built yet: whipsnake.cuda.libdevice"):
        cuda.libdevice.sinf(1)
    assert not hasattr(cuda, "nonsense")
