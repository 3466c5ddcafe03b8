"""NumPy functions that are loops and branches, written in the subset that whipsnake compiles.

Each is compiled on demand, for the argument types of the call, like a user's own function: a row
of src/builtins/prelude.c names it. Constants given by the caller (axis, dtype, order) are known
while compiling, so that a branch on them costs nothing. The functions run as plain Python too,
which is how they are tested first.
"""
