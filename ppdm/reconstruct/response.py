"""The estimated table of records that were disguised in groups (DZ03 §4.5).

The counts of all cells go through the inverse once, group by group: then each disguised record stands for itself and
its reversals, and a tree grows from the table as from any other.
"""

from functools import lru_cache
from math import prod

import numpy as np

from ppdm.disguise.grouped import eigenvalues
from ppdm.reconstruct.cube import CubeTable
from ppdm.reconstruct.groups import binary_weights
from ppdm.reconstruct.paths import PathTable, SeenRecords
from ppdm.reconstruct.table import EstimatedTable

MOST_CELLS = 1 << 22
MOST_MAGNIFIED = 1e6  # how much the inverse may magnify a rounding error in the cells; on a path few groups do
DENSE = 0.25  # the share of cells that are not 0, from which on an array is faster than rows


def response_table(records: SeenRecords) -> "EstimatedTable | CubeTable | PathTable":
    """The estimated counts of all cells, as weighted rows or as an array; path by path if there are too many cells, or
    if their counts would be so large, and of so many signs, that their sums were lost in rounding.
    """
    sizes, inside = records.sizes, list(range(len(records.sizes)))
    if prod(sizes) > MOST_CELLS:
        inside = records.disguised
    outside = [place for place in range(len(sizes)) if place not in inside]
    shape = tuple(sizes[place] for place in inside)
    patterns, pattern = _patterns(records.codes[outside])
    if prod(shape) * patterns.shape[1] > MOST_CELLS or _magnified(records) > MOST_MAGNIFIED:
        return PathTable(records)
    counts = np.zeros((patterns.shape[1], *shape))
    np.add.at(counts, (pattern, *records.codes[inside]), 1)
    counts = counts.reshape(len(counts), -1)
    for theta, places in records.groups:
        counts = _inverted(counts, theta, shape, tuple(inside.index(place) for place in places))
    if not outside and set(sizes[:-1]) == {2} and np.count_nonzero(counts) > DENSE * counts.size:
        return CubeTable(records.attributes, records.classes, counts.reshape(-1, len(records.classes)).T)
    own, cell = np.nonzero(counts)
    codes = np.empty((len(sizes), len(own)), np.min_scalar_type(max(sizes) - 1))
    codes[inside], codes[outside] = _cell_codes(shape)[:, cell], patterns[:, own]
    weights, class_codes = counts[own, cell], codes[-1].astype(np.intp)
    return EstimatedTable(records.attributes, records.classes, codes[:-1], class_codes, weights)


def _magnified(records: SeenRecords) -> float:
    """By how much the inverse may magnify an error."""
    sizes = records.sizes
    return prod(
        1 / min(map(abs, eigenvalues(theta, [sizes[place] for place in places]))) for theta, places in records.groups
    )


def _patterns(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different columns of some codes, and which of them each is."""
    if not len(codes):
        return np.empty((0, 1), dtype=codes.dtype), np.zeros(codes.shape[1], dtype=np.intp)
    patterns, pattern = np.unique(codes, axis=1, return_inverse=True)
    return patterns, pattern.ravel()


def _inverted(counts: np.ndarray, theta: float, shape: tuple[int, ...], axes: tuple[int, ...]) -> np.ndarray:
    """Counts (pattern, cell) before one group's disguise."""
    if theta == 1:
        return counts
    if all(shape[axis] == 2 for axis in axes):
        truth, opposite = binary_weights(theta)
        return truth * counts + opposite * counts[:, _reversal(shape, axes)]
    # Its matrix is diagonal in the Fourier basis: one eigenvalue where an attribute is the same for all its values.
    product = np.ones([1] * (len(shape) + 1))
    for axis in axes:
        own = np.full(shape[axis], -1 / (shape[axis] - 1))
        own[0] = 1
        product = product * own.reshape([-1 if place == axis + 1 else 1 for place in range(len(shape) + 1)])
    along = [axis + 1 for axis in axes]
    waves = np.fft.fftn(counts.reshape(-1, *shape), axes=along) / (theta + (1 - theta) * product)
    return np.fft.ifftn(waves, axes=along).real.reshape(counts.shape)


@lru_cache(maxsize=4)
def _cell_codes(shape: tuple[int, ...]) -> np.ndarray:
    """The codes of each cell, a row an axis."""
    codes = np.indices(shape, np.min_scalar_type(max(shape, default=1) - 1))
    return codes.reshape(len(shape), prod(shape))


@lru_cache(maxsize=64)
def _reversal(shape: tuple[int, ...], axes: tuple[int, ...]) -> np.ndarray:
    """The cell that each becomes when its values along some axes of two are reversed."""
    codes = list(_cell_codes(shape))
    for axis in axes:
        codes[axis] = 1 - codes[axis]
    return np.ravel_multi_index(codes, shape)
