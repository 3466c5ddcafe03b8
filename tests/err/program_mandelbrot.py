# program_mandelbrot: a longer program: a number is returned on one path, a text on another
# expect: TypingError
# tells: returns | str | int64 | is called from picture
import numpy as np

from whipsnake import njit


@njit
def escape_time(c, limit):
    z = 0j
    for n in range(limit):
        z = z * z + c
        if abs(z) > 2.0:
            return n
    return "inside"


@njit
def picture(width, height, limit):
    image = np.zeros((height, width), np.int32)
    for row in range(height):
        y = -1.2 + 2.4 * row / height
        for column in range(width):
            x = -2.0 + 3.0 * column / width
            image[row, column] = escape_time(complex(x, y), limit)
    return image


@njit
def area(image, limit):
    inside = 0
    for row in range(image.shape[0]):
        for column in range(image.shape[1]):
            if image[row, column] == limit:
                inside += 1
    return inside / image.size * 7.2


image = picture(80, 40, 100)
print(area(image, 100))
