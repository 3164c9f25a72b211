"""DZ03's tree on Adult's first 10,000 records, as 0 and 1, the class disguised, three groups, theta 0.9.

Beside the paper followed to the letter: for every estimate the 2^g vectors of "as E says" and "reversed" are counted
among the records, by boolean masks, and M_g is solved; once plainly, and once with all care that leaves it this method.
All grow the same tree, to the end. And beside itself: what a node costs where every attribute is a group of its own.
That table has a row for each of 2^15 cells, six times the 5,248 rows of three groups; the bound allows for it.
"""

from collections.abc import Iterator
from functools import reduce
from itertools import product

import numpy as np
import pandas as pd
from timing import best_times

from ppdm import information
from ppdm.data import BinaryCuts, load
from ppdm.disguise import GroupedResponse
from ppdm.reconstruct import Attribute
from ppdm.tables import grouped_table
from ppdm.trees import ResponseTreeClassifier, Tree

TITLE = (
    "ResponseTreeClassifier, Adult's first 10,000, against 2^g masks counted and M_g solved for every estimate"
)
THETA, REPEATS = 0.9, 5
BOUND, NODE_BOUND = 0.02, 3.0
TIE = 1e-12

Tests = list[str | None]  # what each node tests, from the root and from 0 to 1; None: a leaf


class Literal:
    """ID3 as DZ03 §4.5 describes it, every estimate for itself, and with our rules for negative ones."""

    def __init__(self, seen: pd.DataFrame, target: str, channel: GroupedResponse) -> None:
        self.columns = {name: seen[name].to_numpy(bool) for name in seen}
        self.group = {name: place for place, group in enumerate(channel.groups) for name in group}
        self.reversals = list(product((False, True), repeat=len(channel.groups)))
        self.matrix, self.target, self.size = channel.matrix(), target, len(seen)

    def count(self, conjunction: dict[str, bool]) -> float:
        """The estimated number of true records that satisfy a conjunction."""
        seen = []
        for reversal in self.reversals:
            mask = np.ones(self.size, dtype=bool)
            for name, value in conjunction.items():
                mask &= self.columns[name] == (value != reversal[self.group[name]])
            seen.append(mask.sum())
        return float(np.linalg.solve(self.matrix, seen)[0])

    def classes(self, path: dict[str, bool]) -> np.ndarray:
        """The estimated number of each class."""
        return np.array([self.count({**path, self.target: value}) for value in (False, True)])

    def sides(self, parent: np.ndarray, path: dict[str, bool], name: str) -> np.ndarray:  # noqa: ARG002  (see Careful)
        """The same where an attribute is 0 and where it is 1."""
        return np.array([self.classes({**path, name: value}) for value in (False, True)])

    def gain(self, parent: np.ndarray, path: dict[str, bool], name: str) -> float:
        """The gain of an attribute."""
        sides = self.sides(parent, path, name)
        sizes = sides.sum(axis=1)
        if sizes.min() < 1 - 1e-9:
            return -np.inf
        entropies = information.entropy(np.maximum([parent, *sides], 0), axis=1)
        return float(entropies[0] - sizes @ entropies[1:] / parent.sum())

    def grow(self, path: dict[str, bool], left: list[str]) -> Tests:
        """The tests of a node and of all below it."""
        counts = self.classes(path)
        if not left or counts.sum() < 2 - 1e-9 or counts.min() <= 1e-9 * np.maximum(counts, 0).sum():
            return [None]
        gains = np.array([self.gain(counts, path, name) for name in left])
        if gains.max() < -TIE:
            return [None]
        best = left[int(np.argmax(gains >= gains.max() - TIE))]
        others = [name for name in left if name != best]
        return [best, *(test for value in (False, True) for test in self.grow({**path, best: value}, others))]


class Careful(Literal):
    """The same, what can be spared spared: one side from the other, comparisons and the inverse once for all."""

    def __init__(self, seen: pd.DataFrame, target: str, channel: GroupedResponse) -> None:
        super().__init__(seen, target, channel)
        self.holds = {
            (name, bit): column == bit for name, column in self.columns.items() for bit in (False, True)
        }
        self.first_row = np.linalg.inv(self.matrix)[0]

    def count(self, conjunction: dict[str, bool]) -> float:
        seen = []
        for reversal in self.reversals:
            asked = [self.holds[name, value != reversal[self.group[name]]] for name, value in conjunction.items()]
            seen.append(np.count_nonzero(reduce(np.logical_and, asked)) if asked else self.size)
        return float(self.first_row @ seen)

    def sides(self, parent: np.ndarray, path: dict[str, bool], name: str) -> np.ndarray:
        above = self.classes({**path, name: True})
        return np.array([parent - above, above])


def asked_by(tree: Tree, node: int = 0) -> Tests:
    """The same of a tree of ours."""
    if tree.attribute[node] < 0:
        return [None]
    name, first = tree.attributes[tree.attribute[node]].name, tree.first_child[node]
    return [name, *asked_by(tree, first), *asked_by(tree, first + 1)]


def disguised(groups: int | None) -> tuple[pd.DataFrame, GroupedResponse]:
    """The released records, the class among them, and what disguised them; None: a group for every column."""
    table = load("adult", part="first10000")
    income = (table.y == table.y.cat.categories[-1]).astype(int)
    records = BinaryCuts.of(table.X, table.listed).apply(table.X).assign(income=income)
    channel = GroupedResponse.drawn(THETA, list(records), groups or len(records.columns), rng=1)
    return channel.disguise(records, rng=2), channel


def run() -> Iterator[tuple[str, float, float | None, str]]:
    """The best of several turns."""
    three, three_channel = disguised(3)
    each, each_channel = disguised(None)
    models = [ResponseTreeClassifier(THETA, channel.groups) for channel in (three_channel, each_channel)]
    records = [(seen.drop(columns="income"), seen["income"]) for seen in (three, each)]
    calls = [lambda m=model, r=record: m.fit(*r) for model, record in zip(models, records, strict=True)]
    ours, ours_each = best_times(calls, REPEATS)

    yield beside(Literal, three, three_channel, models[0].tree_, ours, BOUND)
    yield beside(Careful, three, three_channel, models[0].tree_, ours, None)
    nodes, nodes_each = (len(model.tree_.counts) for model in models)
    per_node, per_node_each = ours / nodes, ours_each / nodes_each
    shown = f"{per_node_each * 1e6:.0f} µs and {per_node * 1e6:.0f} µs; {nodes_each} nodes in {ours_each * 1000:.1f} ms"
    yield f"a node, {len(each.columns)} groups to 3", float(per_node_each / per_node), NODE_BOUND, shown

    attributes = tuple(Attribute.numeric(name, [0.5]) for name in list(each)[:-1])
    parts = each_channel.parts
    table = [attributes, np.array([0, 1]), each.to_numpy().T, parts]
    alone = best_times([lambda: grouped_table(*table)], REPEATS)[0]
    shown = f"{alone * 1000:.1f} ms of {ours_each * 1000:.1f} ms"
    yield f"the table alone, {len(parts)} groups, to its fit", float(alone / ours_each), None, shown


def beside(
    literal: type[Literal],
    seen: pd.DataFrame,
    channel: GroupedResponse,
    tree: Tree,
    ours: float,
    bound: float | None,
) -> tuple[str, float, float | None, str]:
    """Our time over that of a tree grown by the paper's letter, which has to be the same one."""
    found: list[Tests] = []
    theirs = best_times([lambda: found.append(literal(seen, "income", channel).grow({}, list(seen)[:-1]))], 2)[0]
    if found[0] != asked_by(tree):
        raise AssertionError(f"{literal.__name__} grows another tree")
    times = f"{ours * 1000:.1f} ms and {theirs:.2f} s: {theirs / ours:,.0f} × as fast"
    shown = f"{len(tree.counts)} nodes, the same; {times}"
    return f"fit, 3 groups, class disguised, beside {literal.__name__}", float(ours / theirs), bound, shown
