"""Agrawal & Srikant 2000, §3: one distribution that comes back from disguised values, and when to stop.

Figure 2 at the paper's own scale, and what notebook 01 draws of it.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import xlogy
from scipy.stats import spearmanr

from ppdm import checks
from ppdm.data import plateau, triangles
from ppdm.disguise import GaussianNoise, NumericChannel, UniformNoise
from ppdm.reconstruct import (
    ChiSquareStop,
    DiscrepancyStop,
    Distribution,
    FixedStop,
    HeldOutStop,
    em_step,
    reconstruct,
    reconstruct_counts,
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
STEPS = 5_000  # so many that every path has passed its turn, if it has one


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
    run = reconstruct(seen, channel, edges, FixedStop(STEPS))
    path, again = distances(run, true)
    best = int(path.argmin())
    found |= {"as seen": as_seen(run, true)}
    found |= {"best": path[best], "best: steps": best, "best: again": again[best]}
    found |= {"5,000 steps": path[-1], "5,000 steps: again": again[-1]}
    return found | agreement(path, again)


def agreement(path: np.ndarray, again: np.ndarray) -> dict[str, float]:
    """Whether the distance that a miner can see tells of the one that he wants: rank correlations along a path.

    Over all Bayes steps; and over steps of which each is about a twentieth larger than the last, so that each doubling
    of the number of steps counts alike.
    """
    some = np.unique(np.geomspace(1, len(path) - 1, 200).astype(int))
    return {
        "agreement": float(spearmanr(path, again)[0]),
        "agreement by doublings": float(spearmanr(path[some], again[some])[0]),
    }


def samples(shape: str, noise: str, records: int, rng: np.random.Generator) -> dict[str, float]:
    """How far from the truth Equation 1 ends if more people are seen (§3).

    One step from the true distribution, which is what the paper's sentence speaks of; the iteration from the uniform
    guess on, to the paper's stop, to that of held-out values, and through 5,000 steps; and the nearest of these steps.
    """
    channel, edges = SHAPE_NOISES[noise], np.linspace(0, 1, 21)
    true = truth(shape, edges)
    run = reconstruct(channel.disguise(SHAPES[shape](records, rng), rng), channel, edges, FixedStop(STEPS))
    one = em_step(run.matrix, run.counts, true.probabilities)
    path, _ = distances(run, true)
    found = {"one step from the truth": np.abs(one - true.probabilities).sum() / 2}
    for name in ("χ² step", "held-out"):
        own = reconstruct_counts(run.counts, run.matrix, edges=edges, **RULES[name])
        found |= {name: own.distribution.distance(true), f"{name}: steps": own.n_iter}
    return found | {"5,000 steps": path[-1], "best": path.min(), "best: steps": int(path.argmin())}


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


def counted_step(matrix, counts, prior, reuse: bool = True) -> tuple[np.ndarray, int]:
    """Equation 3 by hand, and how many products it takes; footnote 2 reuses the denominators, which name no interval.

    >>> f = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> new, products = counted_step(f, [60, 40], [0.5, 0.5])
    >>> new.round(6).tolist(), products, counted_step(f, [60, 40], [0.5, 0.5], reuse=False)[1]
    ([0.55, 0.45], 8, 12)
    """
    rows, columns = range(matrix.shape[0]), range(matrix.shape[1])
    products, new = 0, np.zeros(len(rows))
    known: dict[int, float] = {}
    for p in rows:
        for s in columns:
            if not reuse or s not in known:
                known[s] = sum(matrix[t, s] * prior[t] for t in rows)
                products += len(rows)
            new[p] += counts[s] * matrix[p, s] * prior[p] / known[s]
            products += 1
    return new / sum(counts), products
