"""Islam & Brankovic 2003 at its own scale and beyond: what notebook 03 runs small, and quotes in full from results/.

The paper builds a tree from true records, adds noise that knows this tree, builds a tree from what is released, and
compares the two by eye. Here ``measure.tree_similarity`` compares them.
"""

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from ppdm.data import load
from ppdm.disguise import LeafNoise, PrivacyWarning, ProportionalNoise
from ppdm.measure import tree_similarity
from ppdm.trees import C45Classifier, GiniTreeClassifier

SEED = 2003
SHARE = ProportionalNoise.sd  # the paper's standard deviation of noise in attributes, as a share of the value
# How many records the paper takes of each table; of Adult a size that it only names.
SIZES = {"wbc": 350, "boston": 300, "boston without B": 300, "adult": 10_000}
SAMPLES = 20
# What each way adds: the method for the classes; which attributes get noise; and whether only in mixed leaves.
WAYS: dict[str, tuple[str | None, str | None, bool]] = {
    "Random": ("random", None, False),
    "Probabilistic": ("probabilistic", None, False),
    "All leaves": ("all", None, False),
    "TIA, mixed leaves": (None, "total", True),
    "TIA": (None, "total", False),
    "LIA": (None, "leaf", False),
    "TIA and LIA": (None, "both", False),
    "all at once": ("random", "both", False),
}
BOOTSTRAP = "bootstrap"  # no noise, but other records: the scale for all others
CLASSES = [*list(WAYS)[:3], BOOTSTRAP]
ATTRIBUTES = list(WAYS)[3:]
BUILDERS: dict[str, Callable[[], Any]] = {
    "C4.5": C45Classifier,
    "gini": GiniTreeClassifier,
    "scikit-learn": lambda: DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=3, ccp_alpha=0.005, random_state=0
    ),
}
# The depths of leaves that are told apart.
DEPTHS = {"1–2": (1, 2), "3–4": (3, 4), "5+": (5, 1000)}


class Sample(NamedTuple):
    """Records to learn from, with their classes; and the strangers: all others of the table."""

    X: pd.DataFrame
    y: pd.Series
    strangers: pd.DataFrame
    classes: pd.Series


@cache
def whole(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """A table by its name in ``SIZES``; of Boston with the paper's classes, top 20 % and bottom 80 %."""
    source, _, without = name.partition(" without ")
    found = load(source)
    y = found.classes() if source == "boston" else found.y
    return found.X.drop(columns=[without] if without else []), y


def sample(name: str, number: int, size: int | None = None, complete: bool = False) -> Sample:
    """A random sample of a table, the same for each number; complete: of records without missing values only."""
    X, y = whole(name)
    if complete:
        kept = X.notna().all(axis=1)
        X, y = X[kept], y[kept]
    order = np.random.default_rng([SEED, number]).permutation(len(X))
    # In their old order, so that the row numbers tell nothing of the division.
    own, others = map(np.sort, np.split(order, [size or SIZES[name]]))
    return Sample(X.iloc[own], y.iloc[own], X.iloc[others], y.iloc[others])


def released(noise: LeafNoise, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series]:
    """A combined release; for study, so that nobody needs a warning about the rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return noise.release(rng)


def follow(way: str, model, X: pd.DataFrame, y: pd.Series, share: float = SHARE) -> LeafNoise:
    """The noise of one way, along a tree."""
    method, innocent, mixed = WAYS[way]
    return LeafNoise(model, X, y, method, innocent, share, mixed)


def compared(alike: Any, drawn: Sample) -> dict[str, float]:
    """How alike two trees are, and how many strangers each of them gets right."""
    right = [float((tree.predict(drawn.strangers) == drawn.classes).mean()) for tree in alike.trees]
    sizes = [len(tree.leaves()) for tree in alike.trees]
    return {
        **alike.parts(),
        "right": right[0],
        "right after": right[1],
        "leaves before": sizes[0],
        "leaves after": sizes[1],
    }


def classes(table: str, number: int, way: str, rng: np.random.Generator) -> dict[str, float]:
    """What noise in the classes changes, and what becomes of the tree.

    - the parts of ``tree_similarity``; right, right after: the shares of strangers, with their true classes, that both
      trees get right; their leaves
    - changed, expected, sd: the number of classes that changed, and its law
    - total: by how many the second class gained records
    - believed: the mean probability that an intruder gives to the true class of a record in a mixed leaf, if he takes
      the released shares of the leaf; brier: the mean square of what his beliefs miss (Brier's score)
    - leaves mixed 1–2, … pure 5+: how many leaves of such a depth there are
    - overlap mixed 1–2, …: the sum of their overlaps with their partners
    """
    drawn = sample(table, number)
    model = C45Classifier().fit(drawn.X, drawn.y)
    X, y = drawn.X, drawn.y
    found = dict.fromkeys(("changed", "expected", "sd", "total", "believed", "brier"), 0.0)
    if way == BOOTSTRAP:
        rows = rng.integers(0, len(X), len(X))
        X, y = X.iloc[rows], y.iloc[rows]
    else:
        noise = follow(way, model, X, y)
        y = noise.labels(rng)
        found |= {"changed": float((y != drawn.y).sum()), "expected": noise.expected, "sd": noise.law.sd}
        second = noise.counts.columns[1]
        found["total"] = float((y == second).sum() - (drawn.y == second).sum())
        found |= _believed(noise, y)
    alike = tree_similarity(model, C45Classifier().fit(X, y), drawn.X)
    return {**found, **compared(alike, drawn), **dict(_by_depth(alike, drawn))}


def _believed(noise, y):
    """What an intruder who sees the released classes believes of records in mixed leaves."""
    mixed = (noise.counts.gt(0).sum(axis=1) > 1)[noise.leaf].to_numpy()
    if not mixed.any():
        return {"believed": 1.0, "brier": 0.0}
    beliefs = noise.beliefs(y).to_numpy()[mixed]
    own = noise.counts.columns.get_indexer(noise.y)[mixed]
    truth = np.eye(beliefs.shape[1])[own]
    return {
        "believed": float(beliefs[np.arange(len(own)), own].mean()),
        "brier": float(((beliefs - truth) ** 2).sum(axis=1).mean()),
    }


def _by_depth(alike, drawn) -> Iterator[tuple[str, float]]:
    """How many leaves there are, by their depth, and what they share with their partners; without one, nothing."""
    tree, _ = alike.trees
    overlaps = alike.rules.set_index("leaf_a")["overlap"]
    leaf = tree.apply(drawn.X)
    leaves = np.unique(leaf)
    mixed = drawn.y.groupby(leaf).nunique().loc[leaves].to_numpy() > 1
    depth = np.array([len(tree.path(one)) - 1 for one in leaves])
    overlap = overlaps.reindex(leaves).fillna(0).to_numpy()
    for kind, own in (("mixed", mixed), ("pure", ~mixed)):
        for name, (least, most) in DEPTHS.items():
            some = overlap[own & (depth >= least) & (depth <= most)]
            yield f"leaves {kind} {name}", len(some)
            yield f"overlap {kind} {name}", float(some.sum())


def frontier(table: str, number: int, way: str, least: int, rng: np.random.Generator) -> dict[str, float]:
    """Security against quality, for noise that follows coarser and coarser trees.

    The larger the leaves (``least`` records at least), the more of them are mixed, and the more classes change. The
    trees that are compared are grown as always.

    - score: S
    - changed: the mean probability that a record's class changes, E(N) / N
    - doubted: the mean probability that an intruder gives to the wrong classes
    - sure: the share of records whose class he knows for certain
    """
    drawn = sample(table, number)
    model = C45Classifier().fit(drawn.X, drawn.y)
    guide = C45Classifier(min_leaf=least).fit(drawn.X, drawn.y)
    noise = follow(way, guide, drawn.X, drawn.y)
    other = C45Classifier().fit(drawn.X, noise.labels(rng))
    security = noise.security()
    return {
        "score": float(tree_similarity(model, other, drawn.X)),
        "changed": noise.expected / len(drawn.X),
        "doubted": float(1 - security["believed"].mean()),
        "sure": float((security["believed"] > 1 - 1e-9).mean()),
    }


def builders(
    table: str, number: int, builder: str, guide: str, way: str, rng: np.random.Generator
) -> dict[str, float]:
    """The class noise, mined by other builders of trees before and after it; of complete records.

    guide: whose tree the noise follows, "own" or "C4.5". The paper expects equally good results where the miner's
    builder is not the one of the original tree.
    """
    drawn = sample(table, number, complete=True)
    make = BUILDERS[builder]
    model = make().fit(drawn.X, drawn.y)
    followed = model if guide == "own" else BUILDERS[guide]().fit(drawn.X, drawn.y)
    y = follow(way, followed, drawn.X, drawn.y).labels(rng)
    return compared(tree_similarity(model, make().fit(drawn.X, y), drawn.X), drawn)


def large(way: str, rng: np.random.Generator) -> dict[str, float]:
    """Trees of 10,000 people of Adult: a table of the size that the paper expects no less of."""
    drawn = sample("adult", int(rng.integers(2**31)))
    model = C45Classifier().fit(drawn.X, drawn.y)
    X, y = drawn.X, drawn.y
    if way == BOOTSTRAP:
        rows = rng.integers(0, len(X), len(X))
        X, y = X.iloc[rows], y.iloc[rows]
    else:
        X, y = released(follow(way, model, X, y), rng)
    return compared(tree_similarity(model, C45Classifier().fit(X, y), drawn.X), drawn)
