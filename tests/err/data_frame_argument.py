# data_frame_argument: an object of a class that compiled code does not know
# expect: TypingError
# tells: DataFrame
from whipsnake import njit


class DataFrame:
    """Stands for the one of pandas."""

    def __init__(self, columns):
        self.columns = columns


@njit
def mean(frame):
    return frame.columns


mean(DataFrame((1, 2)))
