"""Agrawal & Srikant 2000, §3: one distribution that comes back from disguised values, and when to stop.

Figure 2 at the paper's own scale, and what notebook 01 draws of it.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import xlogy

from ppdm import checks
from ppdm.data import plateau, triangles
from ppdm.disguise import GaussianNoise, NumericChannel, UniformNoise
from ppdm.reconstruct import (
    ChiSquareStop,
    DiscrepancyStop,
    Distribution,
    FixedStop,
    HeldOutStop,
    reconstruct,
)

TRAIN = 100_000
SHAPES = {"plateau": plateau, "triangles": triangles}
SHAPE_NOISES: dict[str, NumericChannel] = {
    "Gaussian": GaussianNoise(sd=0.25, low=0, high=1),
    "uniform": UniformNoise(half_width=0.5, low=0, high=1),
}
RULES: dict[str, dict[str, Any]] = {
    "χ² step": {"stop": ChiSquareStop()},
    "discrepancy": {"stop": DiscrepancyStop()},
    "held-out": {"stop": HeldOutStop()},
    "100 steps": {"stop": FixedStop(100)},
    "1,000 steps": {"stop": FixedStop(1000)},
    "χ² step, smoothed": {"stop": ChiSquareStop(), "smooth": 0.01},
}
# What a claim says, and of each run a difference that is at least 0 if it is so: the verdict is ``Ledger.verdict``.
Differences = dict[str, tuple[str, pd.Series]]


def _triangles_cdf(x):
    triangle, t = np.divmod(2 * np.clip(x, 0, 1), 1)
    return (triangle + np.where(t < 0.5, 2 * t**2, 1 - 2 * (1 - t) ** 2)) / 2


CDF = {"plateau": lambda x: np.clip(2 * x - 0.5, 0, 1), "triangles": _triangles_cdf}


def truth(shape: str, edges) -> Distribution:
    """The true distribution of a shape over intervals: what a reconstruction of its values should find.

    Parameters
    ----------
    shape : "plateau" or "triangles"
    edges : increasing numbers that cover [0, 1]

    >>> truth("plateau", [0, 0.5, 1]).probabilities.tolist()
    [0.5, 0.5]
    """
    cdf = CDF[checks.choice("shape", shape, CDF)]
    edges = checks.edges("edges", edges)
    if edges[0] > 0 or edges[-1] < 1:
        raise ValueError(f"edges goes from {edges[0]:g} to {edges[-1]:g}; expected edges that cover [0, 1]")
    return Distribution(edges, np.diff(cdf(edges)))


def shapes(shape: str, noise: str, rng: np.random.Generator, records: int = TRAIN) -> dict[str, float]:
    """Figure 2: how far from the truth each stopping rule ends, and after how many steps."""
    channel, edges = SHAPE_NOISES[noise], np.linspace(0, 1, 21)
    true = truth(shape, edges)
    seen = channel.disguise(SHAPES[shape](records, rng), rng)
    found: dict[str, float] = {}
    for name, rule in RULES.items():
        run = reconstruct(seen, channel, edges, **rule)
        found |= {name: run.distribution.distance(true), f"{name}: steps": run.n_iter}
    run = reconstruct(seen, channel, edges, FixedStop(5000))
    path, again = distances(run, true)
    best = int(path.argmin())
    found |= {"as seen": as_seen(run, true)}
    found |= {"best": path[best], "best: steps": best, "best: again": again[best]}
    return found | {"5,000 steps": path[-1], "5,000 steps: again": again[-1]}


def as_seen(run, true: Distribution) -> float:
    """The total variation of the seen shares from the truth: what lies outside the domain is all wrong."""
    # The intervals on each side that only disguised values reach.
    beyond = (len(run.counts) - len(true.probabilities)) // 2
    off = run.counts / run.counts.sum() - np.pad(true.probabilities, beyond)
    return float(np.maximum(off, 0).sum())


def distances(run, true: Distribution) -> tuple[np.ndarray, np.ndarray]:
    """The total variation of each iterate from the truth; and, disguised again, from what was seen."""
    off = run.history - true.probabilities, run.history @ run.matrix - run.counts / run.counts.sum()
    return np.abs(off[0]).sum(axis=1) / 2, np.abs(off[1]).sum(axis=1) / 2


def figure2(edges: np.ndarray, rng: np.random.Generator, records: int = TRAIN) -> dict[str, dict[str, Any]]:
    """The four panels of Figure 2: true, seen and reconstructed shares, for ``plots.distributions``."""
    panels = {}
    for noise, channel in SHAPE_NOISES.items():
        for shape, draw in SHAPES.items():
            run = reconstruct(channel.disguise(draw(records, rng), rng), channel, edges)
            panels[f"{shape}, {noise} noise"] = {
                "true": truth(shape, edges),
                "seen": (run.counts / run.counts.sum(), channel.seen_bins(edges)),
                "reconstructed": run.distribution,
            }
    return panels


def watch(seen, others, channel: NumericChannel, true: Distribution, steps: int) -> pd.DataFrame:
    """After each Bayes step: what only a teacher knows, what the miner can see, and what other people's values say."""
    run = reconstruct(seen, channel, true.edges, FixedStop(steps))
    fresh = reconstruct(others, channel, true.edges, FixedStop(1)).counts
    path, again = distances(run, true)
    columns = {
        "distance to the truth": path,
        "distance disguised again": again,
        "log-likelihood of others": xlogy(fresh, run.history @ run.matrix).sum(axis=1),
    }
    return pd.DataFrame(columns).rename_axis("Bayes steps")


def differences(shapes: pd.DataFrame) -> Differences:
    """The claims about distributions, from the results of "shapes", indexed by their arguments and "repeat"."""
    diverged = shapes["5,000 steps"] - 1.5 * shapes["best"]
    return {
        "A2": ("Figure 2: the shapes come back", shapes["as seen"] / 2 - shapes["χ² step"]),
        "A11a": ("Seen against disguised again is no reliable indicator (§3)", diverged),
        "A11b": ("Successive estimates are the better rule (§3)", shapes["discrepancy"] - shapes["χ² step"]),
    }
