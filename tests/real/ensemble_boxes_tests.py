"""ensemble-boxes ships no tests: its public functions on random boxes, compiled and plain."""

import sys

import ensemble_boxes
import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

MODULES = [m for name, m in sys.modules.items() if name.startswith("ensemble_boxes.")]


def boxes_of(seed, models=3, ndim=2):
    """Overlapping boxes as several models found them, in coordinates from 0 to 1."""
    r = np.random.default_rng(seed)
    all_boxes, scores, labels = [], [], []
    for _ in range(models):
        n = r.integers(3, 12)
        low = r.random((n, ndim)) * 0.5
        high = low + 0.05 + r.random((n, ndim)) * 0.4
        all_boxes.append(np.hstack([low, high]).clip(0, 1).tolist())
        scores.append(r.random(n).tolist())
        labels.append(r.integers(0, 2, n).tolist())
    return all_boxes, scores, labels


def plainly(function, *args, **kwargs):
    """The call with compiled functions replaced by the Python functions in them."""
    with pytest.MonkeyPatch.context() as patch:
        for module in MODULES:
            for name, value in list(vars(module).items()):
                if isinstance(value, Dispatcher):
                    patch.setattr(module, name, value.py_func)
        return function(*args, **kwargs)


CALLS = [
    ("nms", 2, {}), ("nms", 2, {"weights": [1, 2, 3]}),
    ("soft_nms", 2, {"method": 1}), ("soft_nms", 2, {"method": 2}),
    ("non_maximum_weighted", 2, {}), ("weighted_boxes_fusion", 2, {}),
    ("weighted_boxes_fusion", 2, {"conf_type": "max"}),
    ("weighted_boxes_fusion_3d", 3, {}), ("weighted_boxes_fusion_1d", 1, {}),
    ("weighted_boxes_fusion_experimental", 2, {}),
]


@pytest.mark.parametrize("name, ndim, options", CALLS)
@pytest.mark.parametrize("seed", range(4))
def test_compiled_as_plain(name, ndim, options, seed):
    function = getattr(ensemble_boxes, name)
    args = boxes_of(seed, ndim=ndim)
    want = plainly(function, *args, iou_thr=0.4, **options)
    got = function(*args, iou_thr=0.4, **options)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g, w)


def test_something_is_compiled():
    assert any(isinstance(v, Dispatcher) for m in MODULES for v in vars(m).values())
