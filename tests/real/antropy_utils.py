"""The time series that antropy's tests import from `utils`, which its sdist leaves out."""

import numpy as np

_random = np.random.RandomState(1234567)
RANDOM_TS = _random.rand(3000)
NORMAL_TS = _random.normal(size=3000)
RANDOM_TS_LONG = _random.rand(6000)
ARANGE = np.arange(3000)
PURE_SINE = np.sin(2 * np.pi * ARANGE / 100)
PURE_COSINE = np.cos(2 * np.pi * ARANGE / 100)
TEST_DTYPES = [np.float16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8,
               np.uint16, np.uint32, np.uint64]
