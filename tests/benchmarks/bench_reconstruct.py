"""Reconstruction from counts beside a bare NumPy loop of Equation 3 on the same matrix."""

from collections.abc import Iterator

import numpy as np
from timing import best_times

from ppdm.data import triangles
from ppdm.disguise import GaussianNoise
from ppdm.reconstruct import FixedStop, reconstruct_counts

TITLE = "reconstruct_counts, triangles under Gaussian noise at 100 %: time beside a bare loop of Equation 3"
BOUND = 1.5
REPEATS = 15


def bare(matrix: np.ndarray, counts: np.ndarray, steps: int) -> np.ndarray:
    prior = np.full(len(matrix), 1 / len(matrix))
    shares = counts / counts.sum()
    for _ in range(steps):
        prior = prior * (matrix @ (shares / (prior @ matrix)))
    return prior


def run() -> Iterator[tuple[str, float, float, str]]:
    """The ratio of times, ours over bare, by intervals and steps; the best of interleaved repeats."""
    channel = GaussianNoise.at_privacy(1.0, low=0, high=1)
    seen = channel.disguise(triangles(100_000, rng=1), rng=2)
    for intervals in (20, 100):
        edges = channel.true_bins(intervals)
        bins = channel.seen_bins(edges)
        matrix, counts = channel.matrix(edges, bins), np.histogram(seen, bins)[0]
        for steps in (50, 200, 1000):
            calls = (
                lambda n=steps, m=matrix, c=counts: reconstruct_counts(c, m, stop=FixedStop(n)),
                lambda n=steps, m=matrix, c=counts: bare(m, c, n),
            )
            ours, theirs = best_times(calls, REPEATS)
            yield (
                f"{intervals} intervals, {steps} steps",
                float(ours / theirs),
                BOUND,
                f"{ours * 1000:.2f} ms and {theirs * 1000:.2f} ms",
            )
