"""Growing a tree, a level at a time, from any table that answers ``histograms`` and ``descend`` (AS00 Figure 4)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal, Protocol

import numpy as np
from scipy.stats import chi2

from ppdm import checks
from ppdm.reconstruct import Attribute
from ppdm.tables import Level, Splits
from ppdm.trees.criteria import (
    IMPURITIES,
    TIE,
    Candidates,
    Criterion,
    Scale,
    best_cut,
    best_subset,
    choose,
    every_value,
)
from ppdm.trees.model import Layer, Tree

# Cells of one attribute's histogram at a time: they stay in the processor's cache, and memory stays bounded.
BLOCK = 1 << 16

# Sums of fractional weights are rounded: ten times a tenth is a record, and what cancels leaves a trace.
ENOUGH = 1 - 1e-9


class Table(Protocol):
    """What a tree grows from: an ``EstimatedTable``, or what answers as one, with levels of its own kind."""

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """What the codes of each attribute mean."""

    @property
    def classes(self) -> np.ndarray:
        """The class labels."""

    @property
    def has_negative(self) -> bool:
        """Whether any weight is below 0."""

    def root(self) -> Any:
        """The level that holds all rows in one node."""

    def class_weights(self, level: Any) -> np.ndarray:
        """The weight of each class (rows) in each node (columns)."""

    def histograms(self, level: Any) -> Iterator[np.ndarray]:
        """For each attribute, the weight by class, node and value, in this order of the axes."""

    def descend(self, level: Any, splits: Splits) -> Any:
        """The level below: the children of all splits, in order."""


@dataclass(frozen=True)
class Stop:
    """When a node stays a leaf.

    Parameters
    ----------
    purity : in (0, 1]: a node in which one class has this share or more is a leaf ("most points are of the same class")
    min_records : at least 0: a node of smaller size (its raw sum of weights) is a leaf
    min_leaf : above 0: no side of a split is smaller
    min_gain : at least 0: the least gain of a split, for each record of the node. 0 admits splits that gain nothing, as
        scikit-learn does; the default asks for some gain, as AS00 §5.2 does ("it stops because it does not find any
        split point that increases gini").
    max_depth : at least 0, or None: no bound
    least_errors : at least 0: a node with no more weight than this outside its largest class is a leaf
    confidence : in (0, 1), or None: a split must gain more than chance gives, where nothing is to gain, in so large a
        share of the nodes: the χ² test of Quinlan (1986), for all tests that a node has to choose from together
        (Bonferroni; every cut is a test, and an attribute of names is one), with the variance that a disguise gives to
        the counts. For "gain" and "gain_ratio".
    """

    purity: float = 1.0
    min_records: float = 2.0
    min_leaf: float = 1.0
    min_gain: float = 1e-9
    max_depth: int | None = None
    least_errors: float = 0.0
    confidence: float | None = None

    def __post_init__(self) -> None:
        checks.number("purity", self.purity, 0, 1, open_low=True)
        checks.number("min_records", self.min_records, 0)
        checks.number("min_leaf", self.min_leaf, 0, open_low=True)
        checks.number("min_gain", self.min_gain, 0)
        checks.number("least_errors", self.least_errors, 0)
        if self.max_depth is not None:
            checks.whole("max_depth", self.max_depth, 0)
        if self.confidence is not None:
            checks.number("confidence", self.confidence, 0, 1, open_low=True, open_high=True)

    def open_nodes(self, weights: np.ndarray, depth: int) -> np.ndarray:
        """Which nodes of a level, given their weights (class, node), may be split."""
        if self.max_depth is not None and depth >= self.max_depth:
            return np.zeros(weights.shape[1], dtype=bool)
        size, positive = weights.sum(axis=0), np.maximum(weights, 0)
        total, largest = positive.sum(axis=0), positive.max(axis=0)
        rest, rounding = total - largest, (1 - ENOUGH) * total
        mixed = (largest < total * self.purity) & (rest > np.maximum(self.least_errors, rounding))
        return mixed & (size >= ENOUGH * self.min_records)


def grow(
    table: Table,
    criterion: Criterion = "gini",
    stop: Stop | None = None,
    nominal: Literal["binary", "multiway"] = "binary",
) -> Tree:
    """Grow a tree from an estimated table.

    Parameters
    ----------
    table : coded, weighted rows: counted, reconstructed or released
    criterion : "gini" (AS00), "gain" (ID3) or "gain_ratio" (C4.5)
    stop : when a node stays a leaf; None: ``Stop()``
    nominal : whether a test of a nominal attribute divides its values in two or has a child for each. Numeric and
        ordered attributes are always cut in two.

    Ties go to the lowest attribute and the lowest cut. Weights below 0: a node's size is its raw sum; class weights
    are floored at 0 inside the criterion and for predicted shares.

    >>> from ppdm.reconstruct import Attribute
    >>> from ppdm.tables import EstimatedTable
    >>> age = Attribute.numeric("age", [40, 60])
    >>> print(grow(EstimatedTable.from_counts([age], ["A", "B"], [[9, 0], [0, 8], [9, 0]])).rules())
    age < 40        A  9 records, 100.0 %
    40 ≤ age < 60   B  8 records, 100.0 %
    age ≥ 60        A  9 records, 100.0 %
    """
    if not hasattr(table, "histograms"):
        raise TypeError(f"table is of type {type(table).__name__}; expected an EstimatedTable or what answers as one")
    checks.choice("criterion", criterion, IMPURITIES)
    checks.choice("nominal", nominal, ("binary", "multiway"))
    stop = stop or Stop()
    if stop.confidence is not None and (criterion == "gini" or not hasattr(table, "chance")):
        raise ValueError(
            f"stop has confidence={stop.confidence:g} for {type(table).__name__} and criterion {criterion!r}; expected "
            'a criterion in bits, "gain" or "gain_ratio", and a table that knows what chance gains'
        )
    scale = Scale(IMPURITIES[criterion], table.has_negative, ENOUGH * stop.min_leaf)
    layers: list[Layer] = []
    level = table.root()
    while level.n_nodes:
        weights = table.class_weights(level)
        opened = stop.open_nodes(weights, depth=len(layers))
        inner = level.keep(opened)
        splits, gain = _best_splits(table, inner, scale, criterion, nominal, stop.confidence)
        worth = gain >= stop.min_gain - TIE
        opened[opened] = worth
        splits = splits.keep(worth)
        layers.append(Layer.of(table.attributes, weights, opened, splits))
        level = table.descend(inner.keep(worth), splits)
    return Tree.from_layers(table.attributes, table.classes, layers)


def _best_splits(
    table: Any, level: Level, scale: Scale, criterion: Criterion, nominal: str, confidence: float | None
) -> tuple[Splits, np.ndarray]:
    """The best split of each node of a level, and its gain."""
    widest = max(attribute.n_values for attribute in table.attributes)
    chosen, gain = np.zeros(level.n_nodes, dtype=int), np.zeros(level.n_nodes)
    routes = np.zeros((level.n_nodes, widest), np.min_scalar_type(widest))
    most = max(1, BLOCK // (widest * len(table.classes)))
    for first, block in zip(range(0, level.n_nodes, most), level.blocks(most), strict=True):
        part = slice(first, first + most)
        candidates = _candidates(table, block, scale, nominal)
        if confidence is not None:
            candidates = _beyond_chance(table, block, candidates, confidence)
        chosen[part], gain[part] = choose(candidates, criterion)
        for index in np.unique(chosen[part]):
            nodes, width = np.flatnonzero(chosen[part] == index), table.attributes[index].n_values
            routes[first + nodes, :width] = candidates[index].routes(nodes, width)
    fan = np.array(
        [attribute.n_values if _search(attribute, nominal) is every_value else 2 for attribute in table.attributes]
    )
    return Splits(chosen, routes, fan[chosen]), gain


def _candidates(table: Any, level: Level, scale: Scale, nominal: str) -> list[Candidates]:
    """The best test of each attribute; neighbours that are alike, and small, are searched at once: calls cost more."""
    found: list[Candidates] = []
    pairs = zip(table.attributes, table.histograms(level), strict=True)
    for (search, _), run in groupby(pairs, lambda pair: (_search(pair[0], nominal), pair[0].n_values)):
        for part in _batches(histogram for _, histogram in run):
            whole = part[0] if len(part) == 1 else np.concatenate(part, axis=1)
            found += search(whole, scale).parts(len(part))
    return found


def _batches(histograms: Iterable[np.ndarray]) -> Iterator[list[np.ndarray]]:
    """As many neighbours together as stay within a block."""
    batch: list[np.ndarray] = []
    for histogram in histograms:
        if batch and (len(batch) + 1) * histogram.size > BLOCK:
            yield batch
            batch = []
        batch.append(histogram)
    if batch:
        yield batch


def _beyond_chance(table: Any, level: Level, candidates: list[Candidates], confidence: float) -> list[Candidates]:
    """The candidates without those gains that chance gives too often."""
    worth = np.array([candidate.gain for candidate in candidates]) > TIE
    values = np.array([attribute.n_values - 1 for attribute in table.attributes])
    # No division of names in two gains more than a child for each: their best one is held to the limit of that.
    free = np.array([n if test.kind == "nominal" else 1 for test, n in zip(table.attributes, values, strict=True)])
    tests = np.maximum((values // np.maximum(free, 1)) @ worth, 1)
    kept = []
    for place, candidate in enumerate(candidates):
        asked, gain = worth[place], np.full(level.n_nodes, -np.inf)
        if asked.any():
            quantile = chi2.isf((1 - confidence) / tests[asked], free[place] * (len(table.classes) - 1))
            limit = table.chance(level.keep(asked), place) * quantile
            gain[asked] = np.where(candidate.gain[asked] > limit, candidate.gain[asked], -np.inf)
        kept.append(replace(candidate, gain=gain))
    return kept


def _search(attribute: Attribute, nominal: str) -> Callable[[np.ndarray, Scale], Candidates]:
    """How the best test of an attribute is found."""
    if attribute.kind != "nominal":
        return best_cut
    return best_subset if nominal == "binary" else every_value
