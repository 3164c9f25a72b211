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
from ppdm.disguise import LeafNoise, PrivacyWarning
from ppdm.measure import CaseIntruder, tree_similarity
from ppdm.trees import C45Classifier, GiniTreeClassifier, Tree

SEED = 2003
SHARE = 0.276  # the paper's standard deviation of noise in attributes, as a share of the value
PERSONS = 200  # whom the intruder looks for, of each release
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


def compared(first, second, drawn: Sample) -> dict[str, float]:
    """How alike two trees are, and how many strangers each of them gets right."""
    alike = tree_similarity(first, second, drawn.X)
    right = [float((own.predict(drawn.strangers) == drawn.classes).mean()) for own in (first, second)]
    sizes = [len(Tree.of(own).leaves()) for own in (first, second)]
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
    - believed: the mean probability that an intruder gives to the true class of a record in a mixed leaf; off: by how
      much his shares differ from the leaf's true ones
    - leaves mixed 1–2, … pure 5+: how many leaves of such a depth there are
    - overlap mixed 1–2, …: the sum of their overlaps with their partners
    """
    drawn = sample(table, number)
    model = C45Classifier().fit(drawn.X, drawn.y)
    X, y = drawn.X, drawn.y
    found = dict.fromkeys(("changed", "expected", "sd", "total", "believed", "off"), 0.0)
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
    other = C45Classifier().fit(X, y)
    alike = tree_similarity(model, other, drawn.X)
    return {**found, **compared(model, other, drawn), **dict(_by_depth(model.tree_, alike.rules, drawn))}


def _believed(noise, y):
    """What an intruder who sees the released classes believes of records in mixed leaves."""
    mixed = (noise.counts.gt(0).sum(axis=1) > 1)[noise.leaf].to_numpy()
    if not mixed.any():
        return {"believed": 1.0, "off": 0.0}
    beliefs = noise.beliefs(y).to_numpy()[mixed]
    own = noise.counts.columns.get_indexer(noise.y)[mixed]
    true = noise.counts.div(noise.counts.sum(axis=1), axis=0).loc[noise.leaf].to_numpy()[mixed]
    return {
        "believed": float(beliefs[np.arange(len(own)), own].mean()),
        "off": float(abs(beliefs - true)[:, 0].mean()),
    }


def _by_depth(tree, rules, drawn) -> Iterator[tuple[str, float]]:
    """How many leaves there are, by their depth, and what they share with their partners; without one, nothing."""
    overlaps = rules.set_index("leaf_a")["overlap"]
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


def attributes(table: str, number: int, way: str, share: float, rng: np.random.Generator) -> dict[str, float]:
    """What noise in innocent attributes leaves of the tree, and what it hides from who knows these attributes.

    - the parts of ``tree_similarity``, and what both trees get right
    - posterior, first, own class, bits: the means of ``CaseIntruder.report``
    - determined: the mean R² of true and released values, over the attributes with noise (the paper's "coefficient of
      determination")
    - biased: by how much correlations of two attributes change, on average
    """
    drawn = sample(table, number)
    model = C45Classifier().fit(drawn.X, drawn.y)
    noise = follow(way, model, drawn.X, drawn.y, share)
    X, y = released(noise, rng)
    other = C45Classifier().fit(X, y)
    return {**compared(model, other, drawn), **_found(noise, X, y, rng), **_kept(noise, X)}


def _found(noise, X, y, rng):
    """The means of what an intruder believes who knows the innocent attributes of a person."""
    report = CaseIntruder(noise, X, y).report(PERSONS, rng)
    return {name: float(report[name].mean()) for name in ("posterior", "first", "own class", "guessed", "bits")}


def _kept(noise, X):
    """What the released numbers keep of the true ones, and of what these have to do with each other."""
    numbers = [name for name in X.select_dtypes("number") if X[name].var() > 0]
    noisy = [name for name in noise.channels if name in numbers]
    squares = [X[name].corr(noise.X[name]) ** 2 for name in noisy]
    before, after = (frame[numbers].corr().to_numpy() for frame in (noise.X, X))
    pairs = np.triu_indices(len(numbers), 1)
    return {
        "determined": float(np.mean(squares)) if squares else 1.0,
        "biased": float(np.nanmean(abs(after - before)[pairs])) if len(numbers) > 1 else 0.0,
    }


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


def density(table: str, records: str, rng: np.random.Generator) -> dict[str, float]:
    """What an intruder who knows the innocent attributes finds in a small and in a large sample, or in "all" records.

    Records are complete ones.
    """
    size = len(whole(table)[0].dropna()) if records == "all" else int(records)
    drawn = sample(table, int(rng.integers(2**31)), size, complete=True)
    model = C45Classifier().fit(drawn.X, drawn.y)
    noise = follow("TIA and LIA", model, drawn.X, drawn.y)
    X, y = released(noise, rng)
    return _found(noise, X, y, rng)


def threatened(table: str, number: int, way: str, rng: np.random.Generator) -> dict[str, float]:
    """The paper's second scenario: who knows the attributes that the tree tests.

    All innocent attributes get noise; way: what is done to the classes, "as they are" for nothing. The means are of
    the probability that is given to a person's true class:

    - looked up: of persons in the table, by the records that may be theirs
    - classified: of the same persons, by the tree of the release
    - stranger: of persons who are not in the table, by the same tree
    """
    drawn = sample(table, number)
    model = C45Classifier().fit(drawn.X, drawn.y)
    method = None if way == "as they are" else WAYS[way][0]
    noise = LeafNoise(model, drawn.X, drawn.y, method, "both")
    X, y = released(noise, rng)
    other = C45Classifier().fit(X, y)
    looked = CaseIntruder(noise, X, y, "tested").report(PERSONS, rng)["own class"]
    return {
        "looked up": float(looked.mean()),
        "classified": _own_class(other, drawn.X, drawn.y),
        "stranger": _own_class(other, drawn.strangers, drawn.classes),
    }


def _own_class(model, X, y):
    """The mean probability that a classifier gives to the true classes."""
    shares = model.predict_proba(X)
    return float(shares[np.arange(len(y)), pd.Index(model.classes_).get_indexer(y)].mean())


def builders(table: str, number: int, builder: str, way: str, rng: np.random.Generator) -> dict[str, float]:
    """The class noise with trees of other builders, of complete records: before, for the noise, and after it."""
    drawn = sample(table, number, complete=True)
    make = BUILDERS[builder]
    model = make().fit(drawn.X, drawn.y)
    y = follow(way, model, drawn.X, drawn.y).labels(rng)
    return compared(model, make().fit(drawn.X, y), drawn)


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
    return compared(model, C45Classifier().fit(X, y), drawn)


def census(way: str, rng: np.random.Generator) -> dict[str, float]:
    """What an intruder who knows the innocent attributes finds among the same people.

    - the means of ``CaseIntruder.report``
    - classified, stranger: the mean probability that the tree of the release gives to the true class of people in the
      table, and of others
    """
    drawn = sample("adult", int(rng.integers(2**31)))
    model = C45Classifier().fit(drawn.X, drawn.y)
    noise = follow(way, model, drawn.X, drawn.y)
    X, y = released(noise, rng)
    other = C45Classifier().fit(X, y)
    shares = {
        "classified": _own_class(other, drawn.X, drawn.y),
        "stranger": _own_class(other, drawn.strangers, drawn.classes),
    }
    return {**_found(noise, X, y, rng), **shares}
