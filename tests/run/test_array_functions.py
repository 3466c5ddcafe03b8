"""NumPy's functions of arrays: the same values, dtypes, shapes and exceptions as NumPy itself."""

import numpy as np
import pytest

from against_numpy import same_as_numpy
from support import errors, lambda_of, make, needs_compiler, njit

pytestmark = [needs_compiler, pytest.mark.filterwarnings("ignore")]

# Its name before NumPy 2.
TRAPEZOID = "trapezoid" if hasattr(np, "trapezoid") else "trapz"

X = np.array([3.0, -1.0, 2.5, 7.0, -1.0, 0.0, 2.5])
N = np.array([[5, 1, 4], [2, 9, 3]])


SHAPES = [
    "np.where(x > 0)",
    "np.where(n > 2)",
    "np.nonzero(n)",
    "np.flatnonzero(x > 0)",
    "np.argwhere(n > 2)",
    "np.shape(n)",
    "np.shape(3)",
    "np.ndim(n)",
    "np.size(n, 1)",
    "np.vstack((x, x))",
    "np.vstack((n, n))",
    "np.vstack([n, n * 0.5])",
    "np.hstack((x, x))",
    "np.hstack((n, n))",
    "np.dstack((x, x))",
    "np.dstack((n, n))",
    "np.column_stack((x, x))",
    "np.column_stack((x, x[:, None]))",
    "np.stack((x, x))",
    "np.stack((n, n), axis=1)",
    "np.stack((n, n, n), axis=-1)",
    "np.concatenate((n, n), axis=None)",
    "np.append(x, 2.0)",
    "np.append(n, n, axis=1)",
    "np.append(x, [1, 2])",
    "np.expand_dims(n, 1)",
    "np.expand_dims(n, (0, 2))",
    "np.squeeze(n[None], 0)",
    "n[None].squeeze(0)",
    "np.squeeze(n[None, :, None], axis=(0, 2))",
    "np.atleast_1d(3.0)",
    "np.atleast_2d(x)",
    "np.atleast_3d(n)",
    "np.atleast_1d(x, 3)",
    "np.swapaxes(n, 0, 1)",
    "n.swapaxes(0, -1)",
    "np.moveaxis(n, 0, 1)",
    "np.moveaxis(n.reshape(1, 2, 3), (0, 1), (2, 0))",
    "np.rollaxis(n, 1)",
    "np.flip(x)",
    "np.flip(n)",
    "np.flip(n, 0)",
    "np.flip(n, (0, 1))",
    "np.fliplr(n)",
    "np.flipud(n)",
    "np.rot90(n)",
    "np.rot90(n, 2)",
    "np.rot90(n, -1)",
    "np.rot90(n, 0)",
    "np.broadcast_to(x, (2, 7))",
    "np.broadcast_to(n[:, :1], (2, 4))",
    "np.broadcast_to(2.0, 3)",
    "np.broadcast_shapes((2, 1), (3,))",
    "np.broadcast_arrays(n, n[0])",
    "np.broadcast_arrays(n, 2.0)",
    "np.broadcast_shapes((), (3,))",
    "np.broadcast_to(2.0, ())",
    "np.tile(x, 2)",
    "np.tile(n, (2, 1, 2))",
    "np.repeat(x, 2)",
    "np.repeat(n, 2, axis=1)",
    "np.repeat(n, [1, 2], axis=0)",
    "x.repeat(3)",
    "np.resize(n, (4, 4))",
    "np.delete(x, 2)",
    "np.delete(x, [0, 2])",
    "np.delete(x, slice(1, 3))",
    "np.delete(x, x > 0)",
    "np.delete(n, 1, axis=1)",
    "np.delete(n, -1, 0)",
    "np.insert(x, 1, 9.0)",
    "np.insert(x, [1, 1, 3], [9.0, 8.0, 7.0])",
    "np.insert(n, 1, 7, axis=1)",
    "np.insert(n, 1, [7, 8], axis=1)",
    "np.insert(n, 0, [7, 8, 9], axis=0)",
    "np.roll(n, 1, axis=1)",
    "np.roll(n, (1, 2), axis=(0, 1))",
    "np.roll(x, 3)",
    "np.diff(n, axis=0)",
    "np.diff(x, 2)",
    "np.diff(x, prepend=0)",
    "np.diff(x, append=[1.0, 2.0])",
    "np.diff(n, prepend=0, axis=0)",
    "np.diff(x > 0)",
    "np.ediff1d(n)",
    "np.ediff1d(x, to_begin=0.0)",
    "np.kron(n, n)",
    "np.kron(x, n)",
    "np.outer(x, n)",
]

SORTING = [
    "np.sort(x)",
    "np.sort(n)",
    "np.sort(n, axis=0)",
    "np.sort(n, axis=None)",
    "np.sort(x[::-1])",
    "np.sort(x + 1j)",
    "np.argsort(n, axis=0)",
    "np.argsort(n)",
    "n.argsort(axis=None)",
    "np.argsort(x + 1j * x[::-1])",
    'np.argsort(x, kind="stable")',
    "x.argsort()",
    "np.lexsort((x, x[::-1]))",
    "np.partition(x, 3)[3]",
    "np.partition(n, 1, axis=0)",
    "np.sort(np.argpartition(x, 3)[:3])",
    "np.searchsorted(np.sort(x), 2.5)",
    'np.searchsorted(np.sort(x), x, side="right")',
    'np.searchsorted(x, 2.5, sorter=np.argsort(x, kind="stable"))',
    'np.sort(x).searchsorted(2.5, "right")',
    "np.searchsorted(np.arange(10), [1, 5])",
    "np.digitize(x, np.array([0.0, 1.0, 2.5]))",
    "np.digitize(x, np.array([2.5, 1.0, 0.0]), right=True)",
    "np.digitize(x, [0.0, 1.0, 2.5])",
    "np.digitize(2.5, [0.0, 1.0, 2.5])",
    "np.unique(x)",
    "np.unique(n, return_counts=True)",
    "np.unique(x, return_index=True, return_inverse=True, return_counts=True)",
    "np.unique(n % 3, return_inverse=True)",
    "np.union1d(x, n)",
    "np.intersect1d(x, n)",
    "np.intersect1d(x, n, return_indices=True)",
    "np.setdiff1d(x, n)",
    "np.setxor1d(x, n)",
    "np.isin(x, n)",
    "np.isin(n, [1, 2, 9])",
    "np.isin(n, np.arange(12), invert=True)",
    "np.take(x, [0, 2])",
    "np.take(x, 2)",
    "np.take(n, [0, 2], axis=1)",
    "np.take(n, 1, axis=1)",
    "np.take(n, np.array([[0, 1], [1, 0]]), axis=0)",
    "np.take(n, np.array([[0, 1], [1, 0]]), axis=1)",
    "np.take(n, np.array([[0, 1], [1, 0]]))",
    'np.take(x, [10, -10], mode="clip")',
    'np.take(x, [10, -10], mode="wrap")',
    "np.take_along_axis(n, np.argsort(n), 1)",
    "np.compress([True, False], n, axis=0)",
    "np.extract(n > 2, n)",
    "np.choose(n % 2, (n, n * 10))",
    "np.select((x > 2, x < 0), (x, -x), 9.0)",
    "np.select((x > 2, x < 0), (x, x * 2))",
    "np.diagonal(n)",
    "np.diagonal(n, 1)",
    "n.diagonal(-1)",
    "np.trace(n)",
    "n.trace(1)",
    "np.trace(n.reshape(1, 2, 3), axis1=1, axis2=2)",
    "np.diag(x)",
    "np.diag(x, -2)",
    "np.diag(n)",
    "np.diag(n, 1)",
    "np.diagflat(n, 1)",
    "np.tri(3)",
    "np.tri(3, 4, 1, np.int32)",
    "np.tril(n)",
    "np.triu(n, 1)",
    "np.tril(x)",
    "np.tril_indices(3)",
    "np.triu_indices(3, 1)",
    "np.triu_indices_from(n)",
    "np.diag_indices(3)",
    "np.vander(x)",
    "np.vander(n[0], 4, increasing=True)",
    "np.indices((2, 3))",
    "np.meshgrid(x, n)",
    'np.meshgrid(x, n, indexing="ij")',
    "np.meshgrid(x, n, x[:2])",
    "np.meshgrid(x, n, sparse=True)",
    'np.meshgrid(x, n, x[:2], sparse=True, indexing="ij")',
    "np.meshgrid(x, n[0], copy=False)",
    "np.meshgrid(x)",
    "np.meshgrid()",
    "np.cross(n, n[::-1])",
    "np.cross(x[:3], n[0])",
    "np.cross(n[0], n)",
    "x.item(1)",
    "n.item(1, 2)",
    "n.item((1, 2))",
    "x[:1].item()",
    "n.choose((x[:3], x[1:4], x[2:5], x[:3], x[:3], x[:3], x[:3], x[:3], x[:3], x[:3]))",
]

NUMBERS = [
    "np.lexsort(n)",
    "np.bincount(n.ravel())",
    "np.bincount(n[0], x[:3])",
    "np.bincount(n[0], minlength=10)",
    "np.histogram(x)",
    "np.histogram(x, 3)",
    "np.histogram(n, 4)",
    "np.histogram(x, bins=4, range=(0, 3))",
    "np.histogram(x, np.array([0.0, 1.0, 2.5, 8.0]))",
    "np.histogram(x, 3, weights=x)",
    "np.histogram(x, 3, density=True)",
    "np.histogram_bin_edges(x, 4)",
    "np.median(x)",
    "np.median(x[:4])",
    "np.median(n)",
    "np.median(n, axis=0)",
    "np.median(n, axis=1, keepdims=True)",
    "np.median(n.reshape(1, 2, 3), axis=(0, 2))",
    "np.nanmedian(x)",
    "np.percentile(x, 30)",
    "np.percentile(x, [30, 60])",
    "np.percentile(n, 30, axis=0)",
    "np.percentile(n, np.array([30, 60]), axis=1)",
    "np.percentile(n, np.array([30, 60]), axis=1, keepdims=True)",
    'np.percentile(x, 30, method="lower")',
    'np.percentile(x, 30, method="midpoint")',
    'np.percentile(x, 30, method="hazen")',
    "np.quantile(x, 0.3)",
    "np.quantile(x.astype(np.float32), 0.3)",
    "np.quantile(x.astype(np.float32), [0.3])",
    "np.nanpercentile(x, 30)",
    "np.nanquantile(x, (0.1, 0.9))",
    "np.average(x)",
    "np.average(n, axis=0)",
    "np.average(x, weights=x)",
    "np.average(n, axis=1, weights=[1, 2, 3])",
    "np.average(n, axis=1, weights=[1, 2, 3], returned=True)",
    "np.average(x, returned=True)",
    "np.average(n, axis=0, returned=True)",
    "np.cov(x)",
    "np.cov(n)",
    "np.cov(n, rowvar=False)",
    "np.cov(x, x[::-1])",
    "np.cov(n, bias=True)",
    "np.cov(n, fweights=[1, 2, 1])",
    "np.cov(n, aweights=[1, 2, 1.5])",
    "np.corrcoef(n)",
    "np.corrcoef(x, x[::-1])",
    "np.interp(2.0, np.arange(7.0), x)",
    "np.interp(x, np.arange(7.0), x)",
    "np.interp(x, np.arange(7.0), x, left=-5, right=9)",
    "np.interp(x, np.arange(7.0), x, period=3)",
    "np.interp([1, 2], [0, 5], [3, 4])",
    "np.TRAPEZOID(x)",
    "np.TRAPEZOID(n, axis=0)",
    "np.TRAPEZOID(n, dx=2)",
    "np.TRAPEZOID(x, np.sort(x))",
    "np.TRAPEZOID(n, [0, 1, 3])",
    "np.TRAPEZOID(n, n)",
    "np.TRAPEZOID(n[0], n)",
    "np.TRAPEZOID(n, n[None])",
    "np.TRAPEZOID(n[None], n, axis=-1)",
    "np.gradient(x)",
    "np.gradient(x, 2)",
    "np.unwrap(x)",
    "np.convolve(x, n[0])",
    'np.convolve(n[0], x, "same")',
    'np.convolve(x, n[0], "valid")',
    'np.convolve(x, x[:4], "same")',
    "np.correlate(x, n[0])",
    'np.correlate(x, n[0], "full")',
    'np.correlate(n[0], x, "same")',
    'np.correlate(x[:4], x, "same")',
    'np.correlate(x, x[:4], "same")',
    'np.correlate(x + 1j, x[:3] * 1j, "full")',
    "np.correlate(n[0], x)",
    "np.angle(x + 1j)",
    "np.angle(1j, True)",
    "np.angle(x)",
    "np.sinc(x)",
    "np.sinc(0.5)",
    "np.real(x)",
    "np.iscomplex(x + 1j)",
    "np.isreal(x)",
    "np.iscomplexobj(x)",
    "np.isrealobj(2.0)",
    "np.nan_to_num(x / 0)",
    "np.nan_to_num(np.inf)",
    "np.nan_to_num(n)",
    "np.nan_to_num(x / 0, nan=1, posinf=2, neginf=3)",
    "np.array_equal(x, x)",
    "np.array_equal(x, n)",
    "np.array_equal(x, x[1:])",
    "np.array_equiv(n, n[0])",
    "np.allclose(x, x + 1e-9)",
    "np.allclose(x, 1.0)",
    "np.allclose(1.0, 1.0)",
    "np.logspace(0, 2, 5)",
    "np.logspace(0, 2, 5, base=2)",
    "np.geomspace(1, 1000, 4)",
    "np.geomspace(-1, -1000, 4)",
    "np.polyval([1, 2, 3], x)",
    "np.polyval(x, 2)",
    "np.result_type(x, n)",
    "np.zeros(2, np.result_type(n, 2.0))",
]

REDUCTIONS = [
    "np.sum(3.0)",
    "np.sum([1, 2, 3])",
    "np.max([1, 2, 3])",
    "np.max(3)",
    "np.mean((1.0, 2.0))",
    "np.any(True)",
    "np.all([True, False])",
    "np.sum(n, axis=0, where=n > 2)",
    "np.mean(n, axis=0, where=n > 2)",
    "np.mean(x, where=x > 0)",
    "np.mean(x.astype(np.float32), where=x > 0)",
    "np.mean(n, axis=1, where=n[0] > 1, keepdims=True)",
    "np.var(x, where=x > 0)",
    "np.std(n, axis=1, where=n > 1, ddof=1)",
    "np.min(n, axis=0, where=n > 2, initial=100)",
    "np.max(x, where=x < 3, initial=-9.0)",
    "np.any(n, axis=0, where=n > 4)",
    "np.all(n > 3, where=n > 2)",
    "np.nanvar(x / x)",
    "np.nanstd(n)",
    "np.nanvar(x / x, axis=0, ddof=1)",
    "np.nanstd(n / (n - 1), axis=0)",
    "np.nanvar(np.full((2, 3), np.nan), axis=0)",
    "np.nanargmin(x / x)",
    "np.nanargmax(n / (n - 1) - n / (n - 1), axis=0)",
    "np.nanargmax(np.array([np.nan, 1, 2]))",
    "np.nancumsum(x / x)",
    "np.nancumprod(x / x)",
    "np.nanmean(x / x)",
    "np.nanmean(n / (n - 1) * np.nan, axis=0)",
    "np.median([3, 1, 2])",
    "np.cumsum([1, 2, 3])",
    "np.argmax((3, 9, 1))",
    "np.sum(n, axis=(0, 1), initial=10)",
    "np.sum(n, out=np.zeros(3, np.int64), axis=0)",
    "np.prod(n, axis=1, dtype=np.float32)",
    "np.ptp(n, axis=0)",
    "np.count_nonzero([0, 1, 2])",
]

UFUNCS = [
    "np.add(x, x, out=x)",
    "np.add(x, 1, x)",
    "np.sqrt(x * x, out=x)",
    "np.multiply(n, 2, out=n)",
    "np.add(x, x, out=x, where=x > 0)",
    "np.add(n, n[0], out=n, where=n > 2)",
    "np.add(n, n, dtype=np.float32)",
    "np.sqrt(n, dtype=np.float32)",
    "np.add(x, n[0, 0], out=np.zeros((2, 7)))",
    "np.clip(x, 0, 1, out=x)",
    "x.clip(0, 1, out=x)",
    "np.divide(1, x, out=np.zeros(7), where=x != 0)",
    "np.divide(x, x, where=x != 0, out=np.ones_like(x))",
    "np.less(x, 1, out=np.zeros(7, np.bool_))",
    "np.add(x[1:], x[:-1], out=x[1:])",
    "np.round(x, 1, out=x)",
    "np.exp(x, out=None)",
    "np.add(1, 2, dtype=np.float32)",
    "np.add(x, 1, where=True)",
    "np.maximum(x, 0, out=x).sum()",
    "np.negative(x, out=x[::-1])",
]

DISPLAYS = [
    "np.array([n[0], n[1]])",
    "np.array((x, x * 2), dtype=np.float32)",
    "np.array([[n[0], n[1]], [n[1], n[0]]])",
    "np.asarray([n[0], n[1]])",
    "np.max([x, x])",
]

PARTS = [
    "np.array_split(x, 3)",
    "np.array_split(n, 2, axis=1)",
    "np.array_split(x, (2, 4))",
    "np.array_split(x, [1, -2])",
    "np.split(n, 3, axis=1)",
    "np.hsplit(n, 3)",
    "np.vsplit(n, 2)",
    "np.split(n, [1], axis=1)",
    "np.lib.stride_tricks.as_strided(x, (3, 2), (16, 8))",
    "np.lib.stride_tricks.as_strided(x, (3,), (0,))",
    "np.lib.stride_tricks.sliding_window_view(x, 3)",
    "np.lib.stride_tricks.sliding_window_view(n, (2, 2))",
    "np.lib.stride_tricks.sliding_window_view(n, 2, axis=1)",
    "np.lib.stride_tricks.as_strided(x[::-1], (2, 2), (-8, -16))",
    "np.broadcast_shapes(5, (3, 1))",
    "x.view(np.int64)",
    "x.view(np.uint8)",
    "n.view(np.int32)",
    "x[::2].view(np.int64)",
    "x[:6].view(np.complex128)",
    "x[:6].view(np.complex128) * 2",
    "np.frombuffer(n, np.float64)",
    "np.frombuffer(x.view(np.uint8), np.float64, 2, 8)",
    "np.frombuffer(n, np.uint8, offset=3)",
    "np.linspace(0, 1, 5, retstep=True)",
    "np.linspace(0, 9, 5, dtype=np.int64)",
    "np.linspace(-1, 9, 4, False, dtype=np.float32)",
    "x * 1j / 0",
    "(x + 1j) / (-0.0 - 0j)",
    "np.nan_to_num(x * 1j / 0)",
]

MORE = [
    "np.i0(x)",
    "np.bartlett(8)",
    "np.blackman(7)",
    "np.hamming(6)",
    "np.hanning(5)",
    "np.kaiser(9, 5.0)",
    "np.kaiser(1, 5.0)",
    "np.unravel_index(7, (3, 4))",
    "np.ravel_multi_index((1, 2), (3, 4))",
    "np.ravel_multi_index((n % 3, n % 4), (3, 4))",
    'np.ravel_multi_index((5, 2), (3, 4), mode="clip")',
    "np.ix_([0, 1], [2, 0])",
    "np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]))",
    'np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]), "f")',
    "np.asfortranarray(n)",
    "np.isscalar(3)",
    "np.isscalar(x)",
    "np.isposinf(x / 0)",
    "np.isneginf(x / 0)",
    "np.vdot(x + 1j, x * 1j)",
    "np.vdot(n, n)",
    "np.inner(n, n)",
    "np.inner(x, x)",
    "np.matmul(n, n.T)",
    "np.matmul(n[None], n.T)",
    "n[None] @ n.T[None]",
    "np.ones((2, 1, 2, 3)) @ np.ones((4, 3, 2))",
    "np.ones((2, 2, 3)) @ n[0]",
    "n[0] @ np.ones((2, 3, 2))",
    "np.dot(2, n)",
    "np.dot([1, 2, 3], n[0])",
    "np.dot(n, n.T)",
    "x.dot(x)",
]


FAULTS = [
    "np.broadcast_to(n, ())",
    "np.take(x, [10])",
    "x.take(n)",
    "x.item()",
    "np.bincount(n[0] - 3)",
    "np.percentile(x, 130)",
    "np.average(x, weights=x * 0)",
    "np.max(x, where=x < 3)",
    "np.split(x, 2)",
    "np.lib.stride_tricks.sliding_window_view(n, 9, axis=1)",
    "np.lib.stride_tricks.sliding_window_view(x, -1)",
    "np.lib.stride_tricks.as_strided(x, (-1,), (0,)).shape",
    "np.lib.stride_tricks.as_strided(x, (2**62, 2), (8, 8)).shape",
    "np.lib.stride_tricks.as_strided(x, (2**30, 2**30, 2), (0, 0, 0)).shape",
    "np.lib.stride_tricks.as_strided(x, (3, 2**60, 0), (0, 8, 8)).shape",
    "np.broadcast_to(x[:1], (2, -1)).shape",
    "np.broadcast_to(1.0, (-1,)).shape",
    "np.broadcast_shapes((-1,), (3,))",
    "n.view(np.complex128)",
    "np.unravel_index(99, (3, 4))",
    "np.ravel_multi_index((5, 2), (3, 4))",
    "np.convolve(x, n)",
    "np.convolve(n[:1], x)",
    "np.correlate(x, n[:1])",
    "np.correlate(n[:1], x, 'full')",
]

ALL = SHAPES + SORTING + NUMBERS + REDUCTIONS + UFUNCS + DISPLAYS + PARTS + MORE


@pytest.mark.parametrize("text", ALL)
def test_functions(text):
    same_as_numpy(lambda_of(text.replace("TRAPEZOID", TRAPEZOID), "x, n"), X, N)


@pytest.mark.parametrize("text", FAULTS)
def test_faults(text):
    same_as_numpy(lambda_of(text, "x, n"), X, N, raises=True)


# -- dtypes and layouts ---------------------------------------------------------------------------

BASE = np.array([[5, 1, 4, 0], [2, 9, 3, 7], [2, 0, 8, 1]])
ARRAYS = {
    "f8 C": BASE / 2.0,
    "f4 F": np.asfortranarray(BASE, np.float32),
    "i4 strided": np.repeat(BASE, 2, axis=1).astype(np.int32)[:, ::2],
    "u1 negative": BASE.astype(np.uint8)[::-1, ::-1],
    "c16 C": BASE + 1j * BASE[::-1],
    "bool C": BASE > 2,
    "f8 NaN": np.where(BASE == 9, np.nan, BASE),
    "f8 broadcast": np.broadcast_to(BASE[0] / 2.0, (3, 4)),
    "f8 empty": np.empty((0, 4)),
}
ORDERED = [
    "np.sort(a)",
    "np.sort(a, axis=0)",
    "np.argsort(a, axis=0, kind='stable')",
    "np.partition(a, 1, axis=0)[1]",
    "np.median(a, axis=0)",
    "np.percentile(a, 40, axis=1)",
    "np.unique(a, return_counts=True)",
    "np.isin(a, a[:2, :2])",
    "np.nanmax(a, axis=0)",
    "np.searchsorted(np.sort(a.ravel()), a)",
]
ANY = [
    "np.concatenate((a, a), axis=1)",
    "np.stack((a, a[::-1]), axis=1)",
    "np.vstack((a, a[0]))",
    "np.roll(a, 1, axis=1)",
    "np.flip(a, 1)",
    "np.rot90(a)",
    "np.tile(a, (1, 2))",
    "np.repeat(a, 2, axis=0)",
    "np.delete(a, 1, axis=1)",
    "np.take(a, np.array([1, -1]), axis=1)",
    "np.nonzero(a)",
    "np.argwhere(a)",
    "np.where(a, a, a[0])",
    "np.tril(a)",
    "np.diagonal(a)",
    "np.cumsum(a, axis=0)",
    "np.sum(a, axis=1, where=a != 0)",
    "np.mean(a, axis=0)",
    "np.count_nonzero(a, axis=1)",
    "np.average(a, axis=1, weights=np.array([1, 2, 3, 4]))",
    "np.moveaxis(a, 0, 1)",
    "np.expand_dims(a, 1)",
    "np.nan_to_num(a)",
    "np.array_equal(a, a)",
    "np.TRAPEZOID(a, axis=0)",
    "np.kron(a, a[:1])",
]
QUICK = ["f8 C", "i4 strided", "f8 NaN", "f8 empty"]


def on_layout(text, name):
    a = ARRAYS[name]
    text = text.replace("TRAPEZOID", TRAPEZOID)
    same_as_numpy(lambda_of(text, "a"), a, ulp=4, raises=None, strides=name.endswith("C"))


@pytest.mark.parametrize("text", ORDERED + ANY)
@pytest.mark.parametrize("name", QUICK)
def test_layouts(text, name):
    on_layout(text, name)


# Complex numbers have no order here; bools are numbers, which NumPy does not subtract.
UNLIKE_NUMPY = [("np.nanmax(a, axis=0)", "c16 C"), ("np.percentile(a, 40, axis=1)", "bool C")]


@pytest.mark.slow
@pytest.mark.parametrize("text, name", [
    (text, name) for name in sorted(set(ARRAYS) - set(QUICK)) for text in ORDERED + ANY
    if (text, name) not in UNLIKE_NUMPY
])
def test_more_layouts(text, name):
    on_layout(text, name)


def test_layouts_unlike_numpy():
    (largest, c), (percentile, b) = UNLIKE_NUMPY
    with pytest.raises(errors.CompileError, match="complex"):
        njit(lambda_of(largest, "a"))(ARRAYS[c])
    want = np.percentile(ARRAYS[b].astype(np.int64), 40, axis=1)
    np.testing.assert_array_equal(njit(lambda_of(percentile, "a"))(ARRAYS[b]), want)


# -- what is refused ------------------------------------------------------------------------------

REFUSED = {
    "x.squeeze()": "name them, as in squeeze(axis=0)",
    "x.tolist()": "use the array itself",
    "np.divmod(x, 2, out=(x, x))": "out= of a function with two results",
    "np.modf(x, out=(x, x))": "out= of a function with two results",
    "np.frexp(x, (x, n))": "out= of a function with two results",
    "np.add(x, x, where=x > 0)": "where= needs out=",
    "np.add(n, 0.5, out=n)": "cannot store",
    "np.add(x, 1.5, dtype=np.int64)": "numpy.add() does not take",
    "np.where(x, 1)": "either both or neither",
    "np.histogram(x, 'auto')": "estimator",
    "np.nonzero(3)": "np.atleast_1d",
}


@pytest.mark.parametrize("text", sorted(REFUSED))
def test_refused(text):
    with pytest.raises(errors.CompileError) as error:
        njit(lambda_of(text, "x, n"))(X, N)
    assert REFUSED[text] in str(error.value)


# -- views that there cannot be ------------------------------------------------------------------

OUTSIDE = [
    "(8,), (8,)",
    "(2,), (-8,)",
    "(2**58, 2), (2**62, 8)",
    "(3, 2**58), (2**62, 2**62)",
    "(2, 2), (2**62, 2**62)",
    "(2**58,), (2**6,)",
    "(3,), (-(2**63),)",
    "(2, 2, 2), (-(2**62), -(2**62), 8)",
]


@pytest.mark.parametrize("how", OUTSIDE)
def test_views_outside_the_memory(how):
    function = lambda_of(f"np.lib.stride_tricks.as_strided(x, {how}).shape", "x")
    with pytest.raises(ValueError, match="outside the memory"):
        njit(function)(X)


@pytest.mark.parametrize("text", [
    "np.broadcast_to(x[:1], (2**31, 2**31)).shape",
    "np.broadcast_to(1.0, (2**62, 2**62)).shape",
    "np.lib.stride_tricks.sliding_window_view(np.broadcast_to(x[:1], (2**40,)), 2**39).shape",
    "np.broadcast_arrays(np.broadcast_to(x, (2**59, 7)), np.ones((99, 1, 1)))[0].shape",
])
def test_views_of_more_than_there_are_numbers_for(text):
    with pytest.raises(ValueError, match="array is too big"):
        njit(lambda_of(text, "x"))(X)


# -- stores of tuples -----------------------------------------------------------------------------

STORES = [
    "a[0] = (1, 2, 3, 4)",
    "a[0] = 1, 2",
    "a[:, 0] = (1.5, 2.5, 3)",
    "a[:2] = ((1, 2, 3, 4), (4, 5, 6, 7))",
    "a[0] = (7,)",
    "a[:] = (1, 2, 3, 4)",
    "a[a > 2] = (1.0,)",
    "np.fill_diagonal(a, 9)",
    "np.fill_diagonal(a, (8.0, 9.0))",
    "np.place(a, a > 3, (1, 2))",
    "np.put(a, (1, -1), 77)",
    "np.put(a[:, ::2], (1, 2), (5, 6))",
    "np.putmask(a, a > 3, a * 2)",
    "np.copyto(a, 3.0, where=a > 3)",
    "a.sort()",
    "a.sort(axis=0)",
    "a[:, 1].sort()",
    "a.put((0, 3), (1, 2))",
    "np.add(a, 1, out=a, where=a > 2)",
]


@pytest.mark.parametrize("text", STORES)
def test_stores(text):
    function = make(f"def f(a):\n    {text}\n    return a\n")
    same_as_numpy(function, BASE / 2.0, raises=text == "a[0] = 1, 2")


# -- bins -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", range(7))
def test_every_number_is_in_its_bin(kind):
    rng = np.random.default_rng(kind)
    a, limits = [
        (rng.random(500), (0, 1)),
        (rng.integers(-50, 50, 500).astype(float), (-50.0, 49.0)),
        (rng.random(500) * 1e-9 + 1e6, (1e6, 1e6 + 1e-9)),
        (rng.random(500).astype(np.float32), (0.1, 0.9)),
        ((rng.integers(0, 40, 500) / 8).astype(np.float32), (0, 5)),
        (rng.integers(-9, 9, 500), (-3, 7)),
        (np.arange(300) * 5e-324, (0.0, 300 * 5e-324)),
    ][kind]
    within = njit(lambda_of("np.histogram(a, n, range=limits)", "a, n, limits"))
    whole = njit(lambda_of("np.histogram(a, n)", "a, n"))
    for n in (1, 2, 3) if kind == 6 else (1, 2, 3, 7, 10, 49, 50, 99, 128):
        try:
            want = np.histogram(a, n, range=limits), np.histogram(a, n)
        except ValueError:
            continue  # too many bins
        for w, g in zip(want, (within(a, n, limits), whole(a, n))):
            np.testing.assert_array_equal(g[0], w[0])
            np.testing.assert_array_equal(g[1], w[1])


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "?"])
@pytest.mark.parametrize("n", [1, 5, 127, 128, 129, 4096, 4097, 9000])
def test_places_of_extremes(dtype, n):
    rng = np.random.default_rng(n)
    text = "np.argmax(a), np.argmin(a), a.any(), a.all(), a[::2].any(), a[::2].all(), np.max(a)"
    function = lambda_of(f"({text})", "a")
    for a in (rng.integers(0, 5, n), np.zeros(n), np.ones(n), np.arange(n), np.arange(n)[::-1]):
        same_as_numpy(function, a.astype(dtype))
    if dtype[0] == "f":
        for k in (0, n // 2, n - 1):
            for v in (np.nan, -np.nan, np.inf, -np.inf, -0.0):
                a = np.zeros(n, dtype)
                a[k] = v
                got, want = njit(function)(a), function(a)
                assert got[:6] == want[:6] and (got[6] == want[6] or v != v)


@pytest.mark.parametrize("dtype", ["f8", "i2", "c16"])
def test_argpartition_leaves_smaller_before_greater(dtype):
    function = njit(lambda_of("np.argpartition(a, k)", "a, k"))
    rng = np.random.default_rng(3)
    for a in (rng.normal(0, 50, 300), rng.integers(0, 4, 300), np.array([1, np.nan, 0, np.nan])):
        with np.errstate(invalid="ignore"):
            a = a.astype(dtype)
        for k in (0, 1, a.size // 2, a.size - 1, -1):
            order, s = function(a, k), np.sort(a)
            np.testing.assert_array_equal(np.sort(order), np.arange(a.size))
            np.testing.assert_array_equal(a[order][k], s[k])
            np.testing.assert_array_equal(np.sort(a[order][:k]), s[:k])


# -- sorting in the runtime -----------------------------------------------------------------------

SORT = make("def f(a):\n    return np.sort(a), np.argsort(a, kind='stable')\n")


@pytest.mark.parametrize("dtype", "?bBhHiIlLefd")
def test_sorting_of_every_width(dtype):
    rng = np.random.default_rng(1)
    for n in (0, 1, 2, 13, 192, 193, 5000):
        a = rng.normal(0, 100, n) if dtype in "efd" else rng.integers(-(2**62), 2**62, n)
        a = a.astype(dtype)
        if dtype in "efd" and n > 50:
            a[::17] = np.nan
            a[3:7] = -np.nan, np.inf, -np.inf, 0.0
        got = njit(SORT)(a)
        np.testing.assert_array_equal(got[0], np.sort(a))
        np.testing.assert_array_equal(got[1], np.argsort(a, kind="stable"))


def test_partition_leaves_smaller_before_greater():
    partition = njit(lambda_of("np.partition(a, k)", "a, k"))
    rng = np.random.default_rng(2)
    for a in (rng.normal(size=3000), np.arange(3000.0), np.zeros(3000), rng.normal(size=70)):
        for k in (0, a.size // 3, a.size - 1, -1):
            p, s = partition(a, k), np.sort(a)
            assert p[k] == s[k]
            np.testing.assert_array_equal(np.sort(p[:k]), s[:k])
            np.testing.assert_array_equal(np.sort(p[k:]), s[k:])


# -- None of a call -------------------------------------------------------------------------------


def test_what_returns_nothing_may_be_returned():
    inner = make("def g(a):\n    for i in range(a.shape[0]):\n        a[i] = 1.0\n", "g")
    function = make("def f(a):\n    return g(a)\n", g=inner)
    assert njit(function)(np.zeros(3)) is None
