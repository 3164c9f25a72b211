"""Noise in innocent attributes (Islam & Brankovic 2003, §3.2): what it leaves of trees, and what an intruder finds."""

import numpy as np
import pandas as pd

from ppdm.disguise import LeafNoise
from ppdm.measure import CaseIntruder, tree_similarity
from ppdm.studies.ib03 import WAYS, compared, follow, released, sample, whole
from ppdm.trees import C45Classifier

PERSONS = 200  # whom the intruder looks for, of each release


def attributes(table: str, number: int, way: str, share: float, rng: np.random.Generator) -> dict[str, float]:
    """What noise in innocent attributes leaves of the tree, and what it hides from who knows these attributes.

    - the parts of ``tree_similarity``, and what both trees get right
    - posterior, first, own class, bits: the means of ``CaseIntruder.report``
    - determined: the mean R² of true and released values, over the attributes with noise (the paper's "coefficient of
      determination")
    - biased: by how much correlations of two attributes change, on average
    - newcomers: 1 if the second tree tests an attribute that the first does not; above: how many tests stand above it
    """
    drawn = sample(table, number)
    model = C45Classifier().fit(drawn.X, drawn.y)
    noise = follow(way, model, drawn.X, drawn.y, share)
    X, y = released(noise, rng)
    other = C45Classifier().fit(X, y)
    return {
        **compared(tree_similarity(model, other, drawn.X), drawn),
        **found(noise, X, y, rng),
        **_kept(noise, X),
        **_newcomers(model, other),
    }


def found(noise: LeafNoise, X: pd.DataFrame, y: pd.Series, rng: np.random.Generator) -> dict[str, float]:
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


def _newcomers(first, second):
    """Whether the second tree tests an attribute that the first does not; and how many tests stand above, at least."""
    known = first.tree_.tested_attributes
    tree = second.tree_
    depths = [
        len(tree.path(node)) - 1
        for node in np.flatnonzero(tree.attribute >= 0)
        if tree.attributes[tree.attribute[node]].name not in known
    ]
    return {"newcomers": float(bool(depths)), "above": float(min(depths, default=0))}


def density(table: str, records: str, rng: np.random.Generator) -> dict[str, float]:
    """What an intruder who knows the innocent attributes finds in a small and in a large sample, or in "all" records.

    Records are complete ones.
    """
    size = len(whole(table)[0].dropna()) if records == "all" else int(records)
    drawn = sample(table, int(rng.integers(2**31)), size, complete=True)
    model = C45Classifier().fit(drawn.X, drawn.y)
    noise = follow("TIA and LIA", model, drawn.X, drawn.y)
    X, y = released(noise, rng)
    return found(noise, X, y, rng)


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
    return {**found(noise, X, y, rng), **shares}
