"""Du & Zhan 2003 at its own scale: what notebook 04 runs small, and quotes in full from results/."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from ppdm import checks, data
from ppdm.disguise import GroupedResponse
from ppdm.measure import accuracy_from_disguised
from ppdm.trees import ResponseTreeClassifier

if TYPE_CHECKING:
    from ppdm.plots import Picture

TABLES = {"adult": "Adult", "votes": "Voting", "wbc": "Breast-Cancer"}  # in this order everywhere
PARTS = {"adult": "first10000"}  # which the paper takes of a table; of the others all
SCHEMES = ["1", "2", "3", "N"]
THETAS = [0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.51, 0.55, 0.6, 0.7, 0.8, 0.9, 1]
MIDDLE = [0.6, 0.7, 0.8, 0.9]
SPLIT = 2003  # the seed of the one division into training and test records
CONFIDENCE = 0.95
SMALL = 290  # training records of Voting
LEVELS = ["none", "0.5", "0.8", "0.95", "0.99"]
WAYS = ["two values", "all values, same θ", "all values, same ε"]
HIDDEN = ["in a group", "in a group of its own", "open"]  # the class
READINGS: dict[str, dict[str, Any]] = {
    "listed": {},
    "alphabetical": {"nominal": "alphabetical"},
    "frequent": {"nominal": "frequent"},
    "median": {"numbers": "median"},
}


@dataclass(frozen=True, eq=False)
class Split:
    """True records to learn from and to test on; the class is a column of both."""

    train: pd.DataFrame
    test: pd.DataFrame
    target: str

    @classmethod
    def of(cls, records: pd.DataFrame, target: str, rng: np.random.Generator, learn: int | None = None) -> Self:
        """Two thirds to learn from (of these, only the first ``learn``), and the last third to test on."""
        order = rng.permutation(len(records))
        first, rest = order[: (2 * len(order) + 1) // 3], order[(2 * len(order) + 1) // 3 :]
        return cls(records.iloc[first[:learn]], records.iloc[rest], target)

    @property
    def columns(self) -> list[str]:
        """The attributes."""
        return [str(column) for column in self.train if column != self.target]

    @property
    def majority(self) -> float:
        """The share of the test records that are of the larger class of the training records."""
        return float((self.test[self.target] == self.train[self.target].mode()[0]).mean())

    def fit(self, channel: GroupedResponse | None, seen: pd.DataFrame, **how) -> ResponseTreeClassifier:
        """ID3 on records: as they are, or on estimates where a channel is given."""
        model = ResponseTreeClassifier(theta=1) if channel is None else ResponseTreeClassifier(groups=channel)
        return model.set_params(**how).fit(seen[self.columns], seen[self.target])

    def accuracy(self, model: ResponseTreeClassifier) -> float:
        """The share of the true test records that a model classifies rightly."""
        return float(model.score(self.test[self.columns], self.test[self.target]))

    def channel(
        self, theta: float, groups: str, rng: np.random.Generator, hidden: str = HIDDEN[0]
    ) -> GroupedResponse:
        """Groups drawn at random, "N": one an attribute; the class is in one of them, in one of its own, or open."""
        columns = [*self.columns, self.target] if hidden == HIDDEN[0] else self.columns
        drawn = GroupedResponse.drawn(theta, columns, len(columns) if groups == "N" else int(groups), rng)
        own = [[self.target]] if hidden == HIDDEN[1] else []
        return GroupedResponse(theta, [*drawn.groups, *own])

    def disguised(
        self, theta: float, groups: str, rng: np.random.Generator, hidden: str = HIDDEN[0]
    ) -> tuple[GroupedResponse, pd.DataFrame]:
        """Such a channel, and the training records as it releases them."""
        channel = self.channel(theta, groups, rng, hidden)
        return channel, channel.disguise(self.train, rng)

    def wide_channel(
        self, theta: float, groups: str, same_epsilon: bool, rng: np.random.Generator
    ) -> GroupedResponse:
        """The same for attributes of several values; if wished, each alone in its group has the ε of two values."""
        values = {
            name: list(column.cat.categories) for name, column in self.train.items() if column.dtype == "category"
        }
        drawn = self.channel(theta, groups, rng)
        if same_epsilon:
            sizes = [len(values.get(column, (0, 1))) for (column,) in drawn.groups]
            return GroupedResponse([theta / (theta + (1 - theta) * (k - 1)) for k in sizes], drawn.groups, values)
        return GroupedResponse(theta, drawn.groups, values)


@lru_cache
def records(table: str, reading: str = "listed") -> tuple[pd.DataFrame, str]:
    """All records of a table, cut in two everywhere, with the class as the last column; and the name of that."""
    whole = data.load(table, PARTS.get(table))
    target, classes = str(whole.y.name), (whole.y == whole.y.cat.categories[-1]).astype(np.int8)
    cuts = data.BinaryCuts.of(whole.X, whole.listed, **READINGS[reading])
    return cuts.apply(whole.X).assign(**{target: classes}), target


@lru_cache
def papers_split(table: str) -> Split:
    """The one division of a table that all runs of Figures 3 to 6 share."""
    return Split.of(*records(table), np.random.default_rng(SPLIT))


@lru_cache
def benchmark(table: str, confidence: float | None = None) -> float:
    """The accuracy of plain ID3 on that division."""
    split = papers_split(table)
    return split.accuracy(split.fit(None, split.train, confidence=confidence))


def schemes(table: str, groups: str, theta: float, rng: np.random.Generator) -> dict[str, float]:
    """Figures 3 to 6: accuracy on true test records of ID3 from disguised ones, and of ID3 on those as they are."""
    split = papers_split(table)
    channel, seen = split.disguised(theta, groups, rng)
    model = split.fit(channel, seen)
    return {
        "accuracy": split.accuracy(model),
        "naive": split.accuracy(split.fit(None, seen)),
        "nodes": float(len(model.tree_.attribute)),
        "benchmark": benchmark(table),
        "majority": split.majority,
    }


def confident(table: str, groups: str, theta: float, rng: np.random.Generator) -> dict[str, float]:
    """The same records, with splits that have to beat their own uncertainty."""
    split = papers_split(table)
    model = split.fit(*split.disguised(theta, groups, rng), confidence=CONFIDENCE)
    return {
        "accuracy": split.accuracy(model),
        "nodes": float(len(model.tree_.attribute)),
        "benchmark": benchmark(table, CONFIDENCE),
        "majority": split.majority,
    }


def levels(table: str, groups: str, theta: float, confidence: str, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy with splits of more or less confidence; "none" is the paper's rule."""
    split = papers_split(table)
    level = None if confidence == "none" else float(confidence)
    return {"accuracy": split.accuracy(split.fit(*split.disguised(theta, groups, rng), confidence=level))}


def hidden_class(
    table: str, groups: str, theta: float, hidden: str, rng: np.random.Generator
) -> dict[str, float]:
    """Accuracy with the class in a group of attributes, in one of its own, or open."""
    split = papers_split(table)
    channel, seen = split.disguised(theta, groups, rng, hidden)
    return {
        "accuracy": split.accuracy(split.fit(channel, seen)),
        "confident": split.accuracy(split.fit(channel, seen, confidence=CONFIDENCE)),
        "naive": split.accuracy(split.fit(None, seen)),
    }


def readings(table: str, reading: str, groups: str, theta: float, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy under other readings of how the values are cut in two, each run with a division of its own."""
    return _beside_benchmark(Split.of(*records(table, reading), rng), groups, theta, rng)


def small(table: str, groups: str, theta: float, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy where every table has as few training records as Voting, each run with a division of its own."""
    return _beside_benchmark(Split.of(*records(table), rng, SMALL), groups, theta, rng)


def _beside_benchmark(split, groups, theta, rng):
    return {
        "accuracy": split.accuracy(split.fit(*split.disguised(theta, groups, rng))),
        "benchmark": split.accuracy(split.fit(None, split.train)),
        "majority": split.majority,
    }


def tested(table: str, groups: str, theta: float, rng: np.random.Generator) -> dict[str, float]:
    """Accuracy estimated from disguised test records (§4.6), and the score that these have by themselves."""
    split = papers_split(table)
    channel, train = split.disguised(theta, groups, rng)
    model = split.fit(channel, train)
    seen = channel.disguise(split.test, rng)
    found = accuracy_from_disguised(model, seen[split.columns], seen[split.target], channel)
    truth = split.accuracy(model)
    return {
        "truth": truth,
        "estimate": found.accuracy,
        "error": found.accuracy - truth,
        "said": found.standard_error,
        "score": float(model.score(seen[split.columns], seen[split.target])),
    }


@lru_cache
def wide_records(table: str) -> tuple[pd.DataFrame, str]:
    """All records with every nominal or graded value kept, a missing one as a value of its own; numbers cut in two."""
    halves, target = records(table)
    whole = data.load(table, PARTS.get(table))
    named: dict[str, pd.Series] = {}
    for name, column in whole.X.items():
        if table == "wbc" or isinstance(column.dtype, pd.CategoricalDtype):
            texts = column.astype(object).map(str, na_action="ignore").fillna("?")
            named[str(name)] = pd.Series(pd.Categorical(texts), column.index)
    return halves.assign(**named), target


def wide(table: str, way: str, groups: str, theta: float, rng: np.random.Generator) -> dict[str, float]:
    """Attributes with all their values beside attributes cut in two; splits have to beat their own uncertainty."""
    split = Split.of(*(records if way == WAYS[0] else wide_records)(table), rng)
    channel = split.wide_channel(theta, groups, way == WAYS[2], rng)
    model = split.fit(channel, channel.disguise(split.train, rng), confidence=CONFIDENCE)
    return {
        "accuracy": split.accuracy(model),
        "benchmark": split.accuracy(split.fit(None, split.train, confidence=CONFIDENCE)),
        "majority": split.majority,
    }


def members(channel: GroupedResponse) -> str:
    """The groups as the panel's ``who`` takes them: a line for each."""
    return "\n".join(", ".join(map(str, group)) for group in channel.groups)


def reversals(channel: GroupedResponse, record: Mapping[Any, Any], *, title: str = "") -> "Picture":
    """The 2^g records that a disguised one stands for, and with which weight (DZ03 §4.4 and §4.5), as a picture.

    channel is of at most four groups, all attributes of 0 and 1; record has the released value of each of them.
    """
    from ppdm.plots import Picture  # here, because the measures need no extra for plots

    turns = list(product([0, 1], repeat=checks.whole("the number of groups", len(channel.groups), 1, 4)))
    group_of = {column: place for place, group in enumerate(channel.groups) for column in group}
    left = [place + 0.35 * group for place, group in enumerate(group_of.values())]  # a gap between groups
    end, side = left[-1] + 1.5, 0.94
    picture: Any = Picture(title, 1.8 + 0.75 * len(group_of), 0.9 + 0.36 * len(turns))
    ax = picture.add_subplot()
    ax.set_title(title, loc="left", fontsize=11)
    words = []
    for y, turn in enumerate(turns):
        for x, (column, group) in zip(left, group_of.items()):
            fill = picture.colour(group) if turn[group] else "white"
            ax.fill_between([x, x + side], y, y + 0.9, color=fill, edgecolor="#888888", linewidth=0.8)
            value, ink = record[column] ^ turn[group], "white" if turn[group] else "black"
            ax.text(x + side / 2, y + 0.45, str(value), ha="center", va="center", color=ink)
        weight = prod((theta - one) / (2 * theta - 1) for theta, one in zip(channel.thetas, turn))
        words.append(f"{weight:+.3f}".replace("-", "−"))
        ax.text(end, y + 0.45, words[-1], va="center")
    ax.set_xticks([*(x + side / 2 for x in left), end + 0.4], [*map(str, group_of), "weight"])
    ax.set_yticks(np.arange(len(turns)) + 0.45, ["as released", *[""] * (len(turns) - 2), "all reversed"])
    ax.set(xlim=(-0.1, end + 1.1), ylim=(len(turns), -0.1))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    groups = f"{len(channel.groups)} group{'' if len(channel.groups) == 1 else 's'}"
    picture.alt = f"A sheet of {groups} and the {len(turns)} records that it stands for, "
    picture.alt += f"from as released to all reversed, with the weights {', '.join(words)}."
    return picture


def falls(results: pd.DataFrame, column: str, along: str, order: list[Any]) -> pd.Series:
    """By how much a measure falls from each level of an argument to the next one, in every run: for a verdict."""
    cells = [name for name in ("table", "groups", "theta") if name != along]
    wide = results.pivot_table(column, [*cells, "repeat"], along, sort=False)[order]
    steps = (wide.shift(1, axis=1) - wide).iloc[:, 1:].melt(ignore_index=False, value_name="fall")
    levels: Any = [*cells, along, "repeat"]
    return steps.set_index(along, append=True)["fall"].reorder_levels(levels)


def worse_on_votes(results: pd.DataFrame, lead: bool = False) -> pd.Series:
    """How much more of its benchmark, or of its benchmark's lead over the majority, Voting loses than the other tables.

    In every run with one to three groups and θ from 0.6 to 0.9. The tables have their names in prose.
    """
    rows = results[results["theta"].isin(MIDDLE) & (results["groups"] != "N")]
    lost = rows["benchmark"] - rows["accuracy"]
    if lead:
        lost = lost / (rows["benchmark"] - rows["majority"]).groupby(rows["table"]).transform("mean")
    wide = rows.assign(lost=lost).pivot_table("lost", ["groups", "theta", "repeat"], "table", sort=False)
    voting = TABLES["votes"]
    others = wide.drop(columns=voting).rsub(wide[voting], axis=0).melt(ignore_index=False, value_name="worse")
    order: Any = ["table", "groups", "theta", "repeat"]
    return others.set_index("table", append=True)["worse"].reorder_levels(order)
