"""Islam & Brankovic 2003 in small tables: what notebook 03 shows of single trees, and draws from full-scale results."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from ppdm.disguise import LeafNoise
from ppdm.studies.ib03 import DEPTHS, follow, whole
from ppdm.trees import C45Classifier

NAMES = {"wbc": "WBC", "boston": "Boston", "boston without B": "Boston without B", "adult": "Adult"}
KNOWN = ["age", "workclass", "education", "occupation", "race", "sex", "hours-per-week", "native-country"]


def unique_people(X: pd.DataFrame, columns: Sequence[str] = KNOWN) -> pd.DataFrame:
    """How many people are the only ones with what is known of them, in per cent, by how many attributes are known.

    Each number of attributes stands for all combinations of so many.
    """
    rows = []
    for number in range(1, len(columns) + 1):
        for known in combinations(columns, number):
            alone = ~X.duplicated(list(known), keep=False)
            rows.append({"known": number, "unique": 100 * alone.mean()})
    return pd.DataFrame(rows)


def repeated(X: pd.DataFrame, y: pd.Series, model: C45Classifier, way: str, times: int) -> list[C45Classifier]:
    """Trees from the records after class noise of one way, each with noise of its own."""
    noise = follow(way, model, X, y)
    return [C45Classifier().fit(X, noise.labels(seed)) for seed in range(times)]


def used(models: Mapping[str, Sequence[C45Classifier]], original: C45Classifier) -> pd.DataFrame:
    """In how many trees of each kind an attribute is tested, for those of the original tree; and others, on average."""
    own = original.tree_.tested_attributes
    found = {}
    for way, several in models.items():
        tested = [model.tree_.tested_attributes for model in several]
        counts = {name: f"{sum(name in one for one in tested)} of {len(tested)}" for name in own}
        others = np.mean([len(set(one) - set(own)) for one in tested])
        found[way] = {**counts, "new attributes, mean": f"{others:.1f}"}
    return pd.DataFrame(found)


def lead(classes: pd.DataFrame, column: str, first: str = "Random", second: str = "All leaves") -> pd.Series:
    """By how much the first way is ahead of the second one, in each run."""
    runs = classes.pivot_table(column, ["table", "number", "repeat"], "way")
    return runs[first] - runs[second]


def depths(classes: pd.DataFrame) -> pd.DataFrame:
    """The mean overlap of leaves with their partners, by depth, for mixed and for pure leaves."""
    rows = []
    for kind in ("mixed", "pure"):
        for depth in DEPTHS:
            sums = classes.groupby(["table", "way"], sort=False)[
                [f"overlap {kind} {depth}", f"leaves {kind} {depth}"]
            ].sum()
            share = sums.iloc[:, 0] / sums.iloc[:, 1]
            rows.append(share.rename("overlap").reset_index().assign(leaves=kind, depth=depth))
    return pd.concat(rows, ignore_index=True)


def in_order(results: pd.DataFrame) -> list[str]:
    """The tables of some results, in the order in which notebook 03 shows them."""
    there = set(results["table"])
    return [name for name in NAMES if name in there]


def means(results: pd.DataFrame, by: Sequence[str], columns: Mapping[str, str]) -> pd.DataFrame:
    """Means of some columns, which get the names that notebook 03 has for them: a row for each table and way.

    What ``by`` names is kept in the order of the results, and tables are in the order of the notebook.
    """
    parts = [results]
    if "table" in results:
        parts = [results[results["table"] == name].assign(table=NAMES[name]) for name in in_order(results)]
    rows = pd.concat(parts).groupby(list(by), sort=False)[list(columns)].mean()
    return rows.rename(columns=dict(columns)).round(3)


def people(results: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """What noise leaves of the tree of 10,000 people, and what an intruder believes of them: a row for each way."""
    kept = {"score": "S", "kept": "rules kept", "right after": "accuracy"}
    believed = {name: name for name in ("posterior", "own class", "classified", "stranger")}
    both = means(results["large"], ["way"], kept).join(means(results["census"], ["way"], believed))
    return both.astype(object).where(both.notna(), "")


def totals(noises: Mapping[str, LeafNoise], label: str) -> pd.DataFrame:
    """How many records have a class, in truth and in releases: their mean and their standard deviation."""
    rows = {}
    for way, noise in noises.items():
        place = list(noise.counts.columns).index(label)
        rows[way] = [row[place] for row in noise.law.totals()]
    return pd.DataFrame(rows, ["true", "mean", "sd"]).T.rename_axis(f"records of the class {label}").round(2)


def doubt_before(name: str) -> float:
    """How much an intruder doubts the class of a person of a table before he sees any release.

    He believes in a class as often as it occurs.
    """
    return 1 - float((whole(name)[1].value_counts(normalize=True) ** 2).sum())
