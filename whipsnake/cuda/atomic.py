"""Operations on an element of an array that no other thread can interrupt. Each takes the array,
its subscript (an integer, or a tuple with one for each axis) and a number, and gives what the
element was before."""

from whipsnake.cuda._device import _kernel_only as _make

_DOCS = {
    "add": "ary[idx] += val, for integers and floats.",
    "sub": "ary[idx] -= val, for integers and floats.",
    "and_": "ary[idx] &= val, for integers.",
    "or_": "ary[idx] |= val, for integers.",
    "xor": "ary[idx] ^= val, for integers.",
    "inc": "One more, or 0 where it was val or more, for integers.",
    "dec": "One less, or val where it was 0 or more than val, for integers.",
    "exch": "ary[idx] = val.",
    "max": "The greater of the two; a NaN stays, as with np.maximum.",
    "min": "The lesser of the two; a NaN stays, as with np.minimum.",
    "nanmax": "The greater of the two; a NaN counts as no number.",
    "nanmin": "The lesser of the two; a NaN counts as no number.",
}
globals().update({name: _make(name, "ary, idx, val", doc) for name, doc in _DOCS.items()})
cas = _make("cas", "ary, idx, old, val", "ary[idx] = val, if it was old.")
compare_and_swap = _make("compare_and_swap", "ary, old, val", "ary[0] = val, if it was old.")

__all__ = [*_DOCS, "cas", "compare_and_swap"]
