"""Li, Shaw & Lin 2003 at its own scale: what notebook 02 runs small, and quotes in full from results/.

The paper's C++ system takes a table and a privacy specification, and gives a transformed table. Here a
``PrivacySpecification`` does so, and C4.5 mines what it releases.
"""

import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ppdm.data import load
from ppdm.disguise import PrivacySpecification, PrivacyWarning, relevance
from ppdm.measure import information_gain
from ppdm.trees import C45Classifier

# Table 1 as it is printed: mutual information with the class, in bits.
PRINTED = {
    "preg": 0.061825,
    "plas": 0.304201,
    "pres": 0.05931,
    "skin": 0.081664,
    "insu": 0.232564,
    "mass": 0.123164,
    "pedi": 0.010896,
    "age": 0.140941,
}
# What the authors' program may have done to a value before it counted.
STORED: dict[str, Callable[[pd.Series], Any]] = {
    "as it is": lambda values: values,
    "ten intervals of one width": lambda values: pd.cut(values, 10, labels=False),
    "ten intervals of one size": lambda values: pd.qcut(values, 10, labels=False, duplicates="drop"),
    "rounded": np.round,
    "fraction cut off": np.trunc,
    "one byte": lambda values: np.trunc(values) % 256,
}
DROP = {"sensitive": True, "action": "drop"}
AGE = {"sensitive": True, "tolerance": 3}
MDLP = {**AGE, "action": "discretise", "method": "mdlp", "min_group": 5}
TRAIN, TEST, SEED = 576, 192, 2003  # of the 768 records; of all protocols
RELEVANT = 0.01  # bits of gain after cuts, from which on an attribute of Adult is kept


class Way(NamedTuple):
    """What a row of Table 2 does to the records, and how its test records are shuffled.

    Attributes
    ----------
    columns : what is dropped or discretised
    within : None: nothing is shuffled; "class": age within each class; "all": age over all records
    literal : the test records are shuffled within their class, too, as the paper says; their class is used for it
    """

    columns: dict[str, dict[str, Any]]
    within: str | None = None
    literal: bool = False


GONE = {"preg": DROP}
WAYS = {
    "original": Way({}),
    "without preg": Way(GONE),
    "dropped": Way({**GONE, "age": {**AGE, **DROP}}),
    "discretised": Way({**GONE, "age": MDLP}),
    "in class, literally": Way(GONE, "class", literal=True),
    "in class": Way(GONE, "class"),
    "globally": Way(GONE, "all"),
    # Whether it is the number of values that harms (the paper's explanation of its Experiments 3 and 4).
    "discretised, in class": Way({**GONE, "age": MDLP}, "class"),
    "discretised, globally": Way({**GONE, "age": MDLP}, "all"),
}
# Whose trees are compared with those of the records that are not released.
MODELS = ["bootstrap", "dropped", "discretised", "in class", "globally"]
# Table 2 as it is printed, in per cent. Experiment 3 can be read in two ways.
TABLE2 = {
    "original": (88.6, 74.1),
    "without preg": (85.5, 74.1),
    "dropped": (81.1, 75.3),
    "discretised": (81.4, 74.5),
    "in class, literally": (88.2, 69.1),
    "in class": (88.2, 69.1),
    "globally": (87.6, 71.2),
}


def pima() -> pd.DataFrame:
    """The whole table, with its class as the last column."""
    table = load("pima")
    return table.X.assign(**{"class": table.y})


def census() -> pd.DataFrame:
    """The first 10,000 people of Adult, with their income as the last column."""
    table = load("adult", "first10000")
    return table.X.assign(income=table.y)


def values_of(table: pd.DataFrame) -> pd.DataFrame:
    """How many distinct values each column has, and how many zeros."""
    return pd.DataFrame({"distinct values": table.nunique(), "zeros": (table == 0).sum()}).T


def table1(table: pd.DataFrame) -> pd.DataFrame:
    """The gain of every attribute under each idea of what happened to its values, beside what is printed."""
    names = list(PRINTED)
    gains = {
        idea: [information_gain(stored(table[name]), table["class"]) for name in names]
        for idea, stored in STORED.items()
    }
    return pd.DataFrame({"printed": list(PRINTED.values()), **gains}, names)


def gain_by_chance(X: pd.DataFrame, classes: pd.Series, draws: int = 20) -> pd.Series:
    """The mean gain of every attribute after the classes were dealt out at random, so that nothing can be learned."""
    rng = np.random.default_rng(1)
    dealt = [rng.permutation(classes) for _ in range(draws)]
    return pd.Series({name: np.mean([information_gain(X[name], own) for own in dealt]) for name in X})


def matches(gains: pd.DataFrame) -> pd.Series:
    """How many of the printed figures each idea explains, to all of their digits."""
    ideas = gains.drop(columns="printed")
    return (ideas.sub(gains["printed"], axis=0).abs() < 1e-6).sum().rename("figures explained")


def quietly(step: Callable[..., Any], *given) -> Any:
    """What a step of a specification returns; for study, so that nobody needs a warning about the rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return step(*given)


def specification(columns: Mapping[str, Any], seed=None) -> PrivacySpecification:
    """A specification that keeps what it does not name."""
    return PrivacySpecification({"class": "class", "others": "keep", "columns": dict(columns)}, seed)


def released(
    columns: Mapping[str, Any], table: pd.DataFrame, seed=None
) -> tuple[PrivacySpecification, pd.DataFrame]:
    """A fitted specification, and the whole table as it releases it."""
    fitted = specification(columns, seed)
    return fitted, quietly(fitted.release, table)


def shuffle(within: str | None) -> dict[str, dict[str, Any]]:
    """The specification's entry that shuffles age over all records, or within each class."""
    return {"age": {**AGE, "action": "shuffle", **({"within": "class"} if within == "class" else {})}}


def shuffled(table: pd.DataFrame, seed: int) -> dict[str, pd.DataFrame]:
    """The true table, and with its ages shuffled in both ways."""
    ways = {"shuffled in class": "class", "shuffled globally": "all"}
    return {"true": table, **{name: released(shuffle(within), table, seed)[1] for name, within in ways.items()}}


def kept(before: pd.DataFrame, after: pd.DataFrame) -> dict[str, Any]:
    """What a shuffle of the ages keeps."""
    return {
        "same ages": sorted(before["age"]) == sorted(after["age"]),
        "gain of age": information_gain(after["age"], after["class"]),
        "correlation with class": after["age"].corr(after["class"].cat.codes),
        "correlation with preg": after["age"].corr(after["preg"]),
        "unmoved (%)": round(100 * (before["age"] == after["age"]).mean(), 1),
    }


class Release(NamedTuple):
    """Training records as they are released, and their classes; test records as shown, and with true ages; theirs."""

    train: pd.DataFrame
    classes: pd.Series
    shown: pd.DataFrame
    true: pd.DataFrame
    test_classes: pd.Series

    def fit(self) -> C45Classifier:
        """C4.5 from the training records."""
        return C45Classifier().fit(self.train, self.classes)


def split(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A random division into 576 records to learn from and 192 to test on."""
    table = pima()
    order = rng.permutation(len(table))
    # In their old order, so that the row numbers tell nothing of the division.
    return table.iloc[np.sort(order[:TRAIN])], table.iloc[np.sort(order[TRAIN:])]


def release(way: str, rng: np.random.Generator) -> Release:
    """A random division, transformed in one of the ways of Table 2."""
    plan = WAYS[way]
    train, test = split(rng)
    seed = int(rng.integers(2**62))  # drawn after the division, which is then the same for all ways
    y, test_y = train.pop("class"), test.pop("class")
    reduced = specification(plan.columns, seed)
    train = quietly(reduced.fit_transform, train, y)
    shown = true = quietly(reduced.transform, test)
    if plan.within:
        shuffled = specification(shuffle(plan.within), seed)
        train = quietly(shuffled.fit_transform, train, y)
        shown = quietly(shuffled.transform, true)
        if plan.literal:
            # A specification of its own, because only what is released whole is shuffled within its classes.
            shown = quietly(specification(shuffle(plan.within), seed).fit_transform, true, test_y)
    return Release(train, y, shown, true, test_y)


def splits(way: str, rng: np.random.Generator) -> dict[str, int]:
    """Table 2 for one division: how many training and test records are classified rightly, and the tree's leaves.

    - train : of 576, as they are released
    - test : of 192, transformed like the training records
    - true : of 192, with their true ages (or the intervals of these)
    """
    found = release(way, rng)
    model = found.fit()
    right = {
        "train": model.predict(found.train) == found.classes,
        "test": model.predict(found.shown) == found.test_classes,
        "true": model.predict(found.true) == found.test_classes,
    }
    return {**{name: int(hits.sum()) for name, hits in right.items()}, "leaves": len(model.tree_.leaves())}


def models(way: str, rng: np.random.Generator) -> dict[str, int]:
    """Whether the tree of what is released corresponds to the one of what is not (only without preg).

    - agree : test records, of 192, to which both trees give the same class
    - root : 1 if both test the same attribute first

    way: one of Table 2; or "bootstrap": other records drawn from the same training records, which says how much trees
    differ by chance alone.
    """
    seed = int(rng.integers(2**62))
    # From one seed both get the same division.
    base = release("without preg", np.random.default_rng(seed))
    other = release(way if way in WAYS else "without preg", np.random.default_rng(seed))
    if way == "bootstrap":
        rows = rng.integers(0, TRAIN, TRAIN)
        other = other._replace(train=other.train.iloc[rows], classes=other.classes.iloc[rows])
    first, second = base.fit(), other.fit()
    agree = first.predict(base.true) == second.predict(other.true)
    return {"agree": int(agree.sum()), "root": int(root(first) == root(second))}


def agreement(models: pd.DataFrame) -> pd.DataFrame:
    """How often trees of released records agree with the one of true records, in per cent."""
    means = models.groupby("way", sort=False)[["agree", "root"]].mean() * [100 / TEST, 100]
    return means.set_axis(["same class (%)", "same first test (%)"], axis=1)


def unusual(splits: pd.DataFrame) -> pd.DataFrame:
    """What Table 2 prints, and how many divisions reach it in training, or stay below it on the test records (%).

    possible: whether the test figure is the share of a whole number of 192 records, rounded or cut to a tenth.
    """
    rows = {}
    for way, (train, test) in TABLE2.items():
        runs = splits[splits["way"] == way]
        reach = runs["train"] / TRAIN >= (train - 0.05) / 100  # as it is rounded
        below = runs["test"] / TEST < test / 100
        tenths = 1000 * np.arange(TEST + 1) / TEST
        possible = round(10 * test) in {*tenths.round(), *np.floor(tenths)}
        rows[way] = [train, 100 * reach.mean(), test, 100 * below.mean(), possible]
    names = ["printed train", "reach it (%)", "printed test", "stay below (%)", "possible"]
    return pd.DataFrame.from_dict(rows, "index", columns=names)


def root(model: C45Classifier) -> str | None:
    """The attribute that a tree tests first; None if it is a leaf."""
    place = model.tree_.attribute[0]
    return model.tree_.attributes[place].name if place >= 0 else None


def seconds(kept: str, rng: np.random.Generator) -> dict[str, float]:
    """How long C4.5 takes on Adult's 32,561 records with all attributes or with the relevant ones, and what it finds.

    kept: "all"; or "relevant": those with a gain of 0.01 or more after cuts. The order of the records is random.
    """
    train, test = load("adult"), load("adult", "test")
    order = rng.permutation(len(train.X))
    gains: Any = relevance.rank(train.X, train.y)["gain_after_cuts"]
    names = [name for name in train.X if kept == "all" or gains[name] >= RELEVANT]
    # The order changes no tree, but it may change how long it takes.
    start = time.perf_counter()
    model = C45Classifier().fit(train.X[names].iloc[order], train.y.iloc[order])
    took = time.perf_counter() - start
    return {
        "seconds": took,
        "leaves": len(model.tree_.leaves()),
        "accuracy": float(model.score(test.X[names], test.y)),
    }
