# program_tokenizer: a longer program: text goes where bytes are expected
# expect: TypingError
# tells: 'c' is str: argument 1 of is_letter | is called from count_words | is called from report
import numpy as np

from whipsnake import njit

SPACE, NEWLINE = 32, 10


@njit
def is_letter(c):
    return 65 <= c <= 90 or 97 <= c <= 122


@njit
def count_words(text):
    words = 0
    inside = False
    for i in range(len(text)):
        c = text[i]
        if is_letter(c):
            if not inside:
                words += 1
            inside = True
        else:
            inside = False
    return words


@njit
def report(text):
    words = count_words(text)
    lines = 0
    for c in text:
        if c == "\n":
            lines += 1
    return words, lines


data = np.frombuffer(b"one two three", np.uint8)
print(count_words(data))
print(report("one two three"))
