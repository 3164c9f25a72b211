"""Reconstruction from counts beside a bare NumPy loop of Equation 3 and beside PyUnfold, on the same matrix.

That of two columns: one matrix for each, beside the bare loop with their Kronecker product.
"""

from collections.abc import Iterator

import numpy as np
from pyunfold import iterative_unfold
from timing import best_times

from ppdm.data import triangles
from ppdm.disguise import GaussianNoise
from ppdm.reconstruct import Attribute, Distribution, FixedStop, reconstruct_counts
from ppdm.reconstruct.em import solve

TITLE = (
    "reconstruct_counts, triangles, Gaussian noise at 100 %: time beside a bare loop of Equation 3, and PyUnfold"
)
BOUND, PYUNFOLD_BOUND, JOINT_BOUND = 1.5, 0.01, 0.25
REPEATS = 15


def bare(matrix: np.ndarray, counts: np.ndarray, steps: int) -> np.ndarray:
    prior = np.full(len(matrix), 1 / len(matrix))
    shares = counts / counts.sum()
    for _ in range(steps):
        prior = prior * (matrix @ (shares / (prior @ matrix)))
    return prior


def unfolded(matrix: np.ndarray, counts: np.ndarray, steps: int) -> None:
    """The same steps by PyUnfold, which works out the covariances of every iterate too; it cannot do without."""
    ones = np.ones(len(matrix))
    iterative_unfold(counts, np.sqrt(counts), matrix.T, 0 * matrix.T, ones, ones, ts_stopping=0, max_iter=steps)


def problem(intervals: int) -> tuple[np.ndarray, np.ndarray]:
    """The matrix and the counts."""
    channel = GaussianNoise.at_privacy(1.0, low=0, high=1)
    seen = channel.disguise(triangles(100_000, rng=1), rng=2)
    edges = channel.true_bins(intervals)
    bins = channel.seen_bins(edges)
    return channel.matrix(edges, bins), np.histogram(seen, bins)[0]


def run() -> Iterator[tuple[str, float, float, str]]:
    """The ratio of times, ours over theirs, by intervals and steps; the best of interleaved repeats."""
    for intervals in (20, 100):
        matrix, counts = problem(intervals)
        for steps in (50, 200, 1000):
            yield row(matrix, counts, steps, bare, BOUND, REPEATS)
    yield row(*problem(20), 20, unfolded, PYUNFOLD_BOUND, 3)
    yield joint_row(20, 100)


def joint_row(intervals: int, steps: int) -> tuple[str, float, float, str]:
    """Two columns, independent of each other, which makes no difference to the time."""
    matrix, counts = problem(intervals)
    both = np.outer(counts, counts)
    whole, start = np.kron(matrix, matrix), np.full((intervals, intervals), 1 / intervals**2)
    edges = dict.fromkeys("ab", np.arange(intervals + 1.0))
    attributes = [Attribute.numeric(name, ends[1:-1]) for name, ends in edges.items()]
    calls = (
        lambda: solve(both, [matrix, matrix], Distribution(edges, start, attributes), FixedStop(steps)),
        lambda: bare(whole, both.ravel(), steps),
    )
    ours, other = best_times(calls, 3)
    note = f"{ours * 1000:.2f} ms and {other * 1000:.2f} ms: {other / ours:,.1f} × as fast"
    return f"{intervals} × {intervals} cells, {steps} steps, beside bare", float(ours / other), JOINT_BOUND, note


def row(matrix, counts, steps, theirs, bound, turns) -> tuple[str, float, float, str]:
    calls = (
        lambda: reconstruct_counts(counts, matrix, stop=FixedStop(steps)),
        lambda: theirs(matrix, counts, steps),
    )
    ours, other = best_times(calls, turns)
    what = f"{len(matrix)} intervals, {steps} steps, beside {theirs.__name__}"
    return (
        what,
        float(ours / other),
        bound,
        f"{ours * 1000:.2f} ms and {other * 1000:.2f} ms: {other / ours:,.1f} × as fast",
    )
