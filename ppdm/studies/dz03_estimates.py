"""Du & Zhan on estimates, at full scale: a worked node, two sources of variance, more records, dependent attributes."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ppdm import data, information
from ppdm.disguise import GroupedResponse
from ppdm.reconstruct import proportion_variance, record_weights
from ppdm.studies import as00
from ppdm.studies.dz03 import CONFIDENCE, SCHEMES, SPLIT, Split, papers_split
from ppdm.trees import ReconstructedTreeClassifier

VALUES = (1, 0, 0, 1)  # of A1 to A4 at the node of the paper's Figure 2
DEPENDENCES = [
    "in all, not in a class",
    "in a class: sum",
    "in a class: 2 × 2 squares",
    "in a class: 4 × 4 squares",
]
# The grids of three protocols; the last number of records is two thirds of all of Adult.
SOURCES: dict[str, list[Any]] = {"groups": SCHEMES, "theta": [0.7, 0.9], "division": list(range(20))}
GROWTH: dict[str, list[Any]] = {
    "groups": ["1", "3", "N"],
    "theta": [0.7, 0.8, 0.9],
    "records": [500, 1_000, 2_000, 4_000, 8_000, 16_000, 21_707],
}
DEPENDENT: dict[str, list[Any]] = {"dependence": DEPENDENCES, "noise": as00.NOISES}
LEARN, TEST = 20_000, 5_000


@dataclass(frozen=True, eq=False)
class Node:
    """The node of the paper's Figure 2 on a real table: four tests, of which two share the first of three groups.

    Attributes
    ----------
    split : the records
    groups : three groups of all answers
    path : the tests and their values; A1 and A2 lie in the first group, A3 in the second, A4 in the third
    candidate : A5, an attribute of the third group that is not tested yet
    """

    split: Split
    groups: Any
    path: dict[str, int]
    candidate: str

    def channel(self, theta: float) -> GroupedResponse:
        """The disguise with these groups."""
        return GroupedResponse(theta, self.groups)

    def cells(self) -> list[dict[str, int]]:
        """What Equation 10 asks for: the node, and its records of each class and each value of the candidate."""
        own = {self.split.target: (0, 1), self.candidate: (0, 1)}
        return [self.path, *({**self.path, **dict(zip(own, cell))} for cell in product(*own.values()))]


@lru_cache
def papers_node(table: str) -> Node:
    """Groups drawn once, the path with the most records of its rarer class, and the candidate that truly gains most."""
    split = papers_split(table)
    groups = split.channel(1, "3", np.random.default_rng(SPLIT)).groups
    first, second, third = ([name for name in group if name != split.target] for group in groups)
    paths = [dict(zip(names, VALUES)) for names in product(first, first, second, third) if names[0] != names[1]]
    classes = [[{**path, split.target: k} for k in (0, 1)] for path in paths]
    path = paths[int(np.argmax([min(true_counts(split, both)) for both in classes]))]
    rest = [name for name in third if name not in path]
    nodes = [Node(split, groups, path, name) for name in rest]
    return max(nodes, key=lambda node: gain(true_counts(split, node.cells())[1:]))


def true_counts(split: Split, asked: list[dict[str, int]]) -> list[float]:
    """How many training records truly satisfy each conjunction."""
    return [float((split.train[list(one)] == list(one.values())).all(axis=1).sum()) for one in asked]


def gain(cells: list[float]) -> float:
    """Equation 10 from the counts of class × value, in bits; what is below 0 counts as 0."""
    counts = np.maximum(np.reshape(cells, (2, 2)), 0)
    if counts.sum() == 0:
        return 0.0
    by_value = counts.sum(axis=0) / counts.sum()
    return float(information.entropy(counts.sum(axis=1)) - by_value @ information.entropy(counts.T))


def masks(seen: pd.DataFrame, channel: GroupedResponse, asked: dict[str, int]) -> tuple[float, int]:
    """The paper's way to a share: Equation 7, solved for its first entry; and how many masks that takes.

    A mask is what the sheets show that are as asked in some of the mentioned groups, and turned in the others.
    """
    parts = [[name for name in group if name in asked] for group in channel.groups]
    mentioned = [part for part in parts if part]
    agree = np.array([(seen[part] == [asked[name] for name in part]).all(axis=1) for part in mentioned])
    turned = np.array([(seen[part] != [asked[name] for name in part]).all(axis=1) for part in mentioned])
    shares = [
        np.where(np.array(way)[:, None], turned, agree).all(axis=0).mean()
        for way in product([0, 1], repeat=len(mentioned))
    ]
    own = GroupedResponse(channel.thetas[0], mentioned).matrix()
    return float(np.linalg.solve(own, shares)[0]), len(shares)


def node(table: str, theta: float, rng: np.random.Generator) -> dict[str, float]:
    """The worked node, Equations 11 to 14: its size, its class and the gain of a split, estimated and true.

    "coins" is the standard deviation of the estimated size that coins alone make, in closed form; "said" is the
    standard error that the estimate states, which speaks of other records like these, too.
    """
    one = papers_node(table)
    channel, people = one.channel(theta), one.split.train
    seen = channel.disguise(people, rng)
    by_masks, number = masks(seen, channel, one.path)
    # By the weights themselves, because at θ = 0.6 estimates of a small table come with warnings.
    weights = [record_weights(seen, channel, asked) for asked in one.cells()]
    size, *cells = [len(people) * float(own.mean()) for own in weights]
    true, *truly = true_counts(one.split, one.cells())
    share = true / len(people)
    # Var = (E∏w² − P²) / n speaks of drawn records; of these records each has a mean weight of its own, 0 or 1.
    coins = len(people) * proportion_variance(people, channel, one.path) - share * (1 - share)
    return {
        "true": true,
        "size": size,
        "masks": number,
        "apart": abs(len(people) * by_masks - size),
        "coins": (len(people) * coins) ** 0.5,
        "said": len(people) ** 0.5 * float(weights[0].std(ddof=1)),
        "true class": sum(truly[2:]),
        "class": sum(cells[2:]),
        "true gain": gain(truly),
        "gain": gain(cells),
    }


def sources(table: str, groups: str, theta: float, division: int, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy for one division into groups, by its number, with new coins in every repeat."""
    split = papers_split(table)
    channel = split.channel(theta, groups, np.random.default_rng([SPLIT, division]))
    seen = channel.disguise(split.train, rng)
    return {
        "accuracy": split.accuracy(split.fit(channel, seen)),
        "sure": split.accuracy(split.fit(channel, seen, confidence=CONFIDENCE)),
    }


@lru_cache
def _whole_adult():
    """All 32,561 records of Adult, cut in two as the first 10,000 are."""
    whole = data.load("adult")
    target, classes = str(whole.y.name), (whole.y == whole.y.cat.categories[-1]).astype(np.int8)
    return data.BinaryCuts.of(whole.X, whole.listed).apply(whole.X).assign(**{target: classes}), target


def growth(records: int, groups: str, theta: float, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy from more and more records of Adult; sizes with equal streams share their test records."""
    people, target = _whole_adult()
    split = Split.of(people, target, rng, records)
    channel, seen = split.disguised(theta, groups, rng)
    return {
        "accuracy": split.accuracy(split.fit(channel, seen)),
        "sure": split.accuracy(split.fit(channel, seen, confidence=CONFIDENCE)),
        "benchmark": split.accuracy(split.fit(None, split.train)),
        "majority": split.majority,
    }


def pairs(dependence: str, records: int, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.Series]:
    """Two attributes in [0, 1] and two classes of equal size, which go together as one of DEPENDENCES says."""
    x, y = rng.random((2, records))
    if dependence == DEPENDENCES[0]:
        # In each class both are drawn by themselves, low in A and high in B.
        labels = rng.permutation(np.arange(records) % 2)
        x, y = (np.where(labels, rng.beta(4, 2, records), rng.beta(2, 4, records)) for _ in range(2))
    elif dependence == DEPENDENCES[1]:
        labels = (x + y > 1).astype(int)
    else:
        # The fields of a chessboard: neither attribute alone tells of the class.
        squares = 2 if dependence == DEPENDENCES[2] else 4
        labels = (np.floor(squares * x) + np.floor(squares * y)).astype(int) % 2
    return pd.DataFrame({"x": x, "y": y}), pd.Series(np.where(labels, "B", "A"))


def dependent(dependence: str, noise: str, rng: np.random.Generator) -> dict[str, float]:
    """What Agrawal & Srikant's trees make of attributes that depend on each other, at 100 % privacy (§2).

    "together" and "in class" are what the attributes tell of each other, in bits: in all records, and in those of one
    class (the mean over both). Each is cut in eight for that.
    """
    (X, y), (test, test_y) = pairs(dependence, LEARN, rng), pairs(dependence, TEST, rng)
    domains: dict[str, Any] = {name: {"low": 0, "high": 1, "step": None} for name in ("x", "y")}
    run = as00.Study.of(X, y, as00.channels_at(noise, 1.0, domains), test, test_y, rng)
    found = {
        "original": run.accuracy(as00.original(run.channels, LEARN), seen=False),
        "randomized": run.accuracy(as00.randomized(run.channels, LEARN)),
        "byclass": run.accuracy(ReconstructedTreeClassifier(run.channels, "byclass")),
        "joint": run.accuracy(ReconstructedTreeClassifier(run.channels, "joint")),
    }
    eighths = (8 * X).astype(int)
    within = [information.gain(rows["x"], rows["y"]) for _, rows in eighths.groupby(y)]
    together = information.gain(eighths["x"], eighths["y"])
    return {**found, "together": together, "in class": float(np.mean(within))}
