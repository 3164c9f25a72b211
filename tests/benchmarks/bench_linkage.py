"""Linkage of Quest's nine attributes: beside the comparison of all pairs, and as the number of records grows.

All pairs of ten times as many records would take 100 times as long. Memory is what Python and NumPy hold at most.
"""

import tracemalloc
from collections.abc import Iterator

import numpy as np
import pandas as pd
from timing import best_times

from ppdm.data import quest
from ppdm.disguise import Disguise, NumericChannel
from ppdm.measure import linkage_rate
from ppdm.studies.as00 import channels_at

TITLE = "linkage_rate, nine attributes of Quest, against all pairs, and by the number of records"
CASES = (("uniform", 1.0), ("Gaussian", 0.5), ("Gaussian", 1.0))
FEW, MANY, MOST = 5_000, 50_000, 200_000
BLOCK = 200
TIE = 1e-6
PAIRS_BOUND, GROWTH_BOUND, MOST_BOUND = 0.4, 60.0, 20.0
MEMORY = 350e6  # 5 columns of true and released records apart, which are 30 MB

Channels = dict[str, NumericChannel]


def literal(channels: Channels, X: pd.DataFrame, seen: pd.DataFrame) -> float:
    """The rate by comparing each record with all, a block at a time."""
    found = 0.0
    for first in range(0, len(X), BLOCK):
        rows = X.iloc[first : first + BLOCK]
        scores = np.zeros((len(rows), len(X)))
        for name, channel in channels.items():
            scores += channel.log_law(seen[name].to_numpy(float), rows[name].to_numpy(float)[:, None])
        likeliest = scores > scores.max(axis=1, keepdims=True) - TIE
        found += (likeliest[np.arange(len(rows)), first + np.arange(len(rows))] / likeliest.sum(axis=1)).sum()
    return found / len(X)


def disguised(n: int, noise: str, level: float) -> tuple[Channels, pd.DataFrame, pd.DataFrame]:
    """Channels, true records, released ones."""
    X, _ = quest(n, rng=0)
    channels: Channels = channels_at(noise, level)
    return channels, X, Disguise(channels, random_state=1).fit_transform(X)


def run() -> Iterator[tuple[str, float, float | None, str]]:
    """Once for many records, the best of two turns for few."""
    for noise, level in CASES:
        few, many = disguised(FEW, noise, level), disguised(MANY, noise, level)
        if abs(literal(*few) - linkage_rate(*few)) > 1e-12:
            raise AssertionError(f"{noise} at {level}: another rate than that of all pairs")
        ours, theirs = best_times([lambda a=few: linkage_rate(*a), lambda a=few: literal(*a)], 2)
        what = f"{noise} noise at {level:.0%}"
        shown = f"{FEW:,} records: {ours:.2f} s and {theirs:.2f} s"
        yield f"{what}, beside all pairs", float(ours / theirs), PAIRS_BOUND, shown
        longer = best_times([lambda a=many: linkage_rate(*a)], 2)[0]
        shown = f"{longer:.2f} s; all pairs 100 times as many"
        yield f"{what}, {MANY:,} records to {FEW:,}", float(longer / ours), GROWTH_BOUND, shown

    # The last case once more, with four times as many records, 16 times as many pairs.
    most = disguised(MOST, noise, level)
    longest = best_times([lambda: linkage_rate(*most)], 1)[0]
    yield f"{what}, {MOST:,} records to {MANY:,}", float(longest / longer), MOST_BOUND, f"{longest:.1f} s"
    tracemalloc.start()
    linkage_rate(*most)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    yield f"memory, {MOST:,} records, to {MEMORY / 1e6:.0f} MB", peak / MEMORY, 1.0, f"{peak / 1e6:.0f} MB"
