"""How accurate a tree is on true records, estimated from disguised ones: its score on these is another number."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype

from ppdm import checks
from ppdm.disguise import CategoryChannel, Channel, GroupedResponse, NumericChannel, as_disguise
from ppdm.measure.grouped import leaf_weights
from ppdm.reconstruct import ChiSquareStop, Column, reconstruct_counts
from ppdm.reconstruct.em import iterate
from ppdm.reconstruct.inverse import check_invertible
from ppdm.trees import Tree

INTERVALS = 50  # of a disguised number's domain, besides the tree's thresholds
FINEST = 1_000_000  # parts of a domain: edges nearer to each other than one are one
MOST_CELLS = 10_000_000  # records times leaves: a few arrays of twice as many numbers are held
CONVERGED = ChiSquareStop(fraction=1e-5)  # stopped at the paper's 1 %, leaves keep too much of what they start with

Found = tuple[float, float, np.ndarray]  # the accuracy, its standard error, the recall of each class


@dataclass(frozen=True, repr=False)
class AccuracyEstimate:
    """What a tree is worth on true records, as far as disguised ones tell.

    Attributes
    ----------
    accuracy : the share of the records that the tree classifies rightly
    standard_error : of the accuracy on all records like these
    recall : that share of each class; of disguised classes, those whose estimated size is above 0
    records : how many there were
    """

    accuracy: float
    standard_error: float
    recall: dict[Any, float]
    records: int

    def __repr__(self) -> str:
        recall = ", ".join(f"{label} {share:.3f}" for label, share in self.recall.items())
        return f"accuracy {self.accuracy:.3f} ± {self.standard_error:.3f} (recall {recall}; {self.records:,} records)"


def accuracy_from_disguised(model: Any, X: pd.DataFrame, y: Any, disguise: Any) -> AccuracyEstimate:
    """The accuracy that a tree has on true records, estimated from disguised ones.

    If no test reads a noisy number, each record counts in each leaf with a weight whose mean is 1 in its true leaf and
    0 in the others: the estimate has no bias, may lie outside [0, 1], and its standard error tells all.

    Else the records of a class are a mixture of what the leaves look like when they are disguised, and Equation 3 of
    AS00 tells how much there is of each. What a leaf looks like follows from its region if the attributes spread
    within it independently, in part as they do among all records and in part as among those of the class, as far as
    both can be reconstructed. The standard error is that of the amounts (by the Fisher information), and the distance
    between what either spread alone would come to.

    What is assumed there biases the estimate however many records there are, for the noise hides who stands on which
    side of a threshold. On AS00's five functions, all nine attributes disguised, good trees and bad ones, 5,000 records
    (``notebooks/results/as00-estimated.csv``), the root mean square error at 25, 50 and 100 % privacy is 0.014, 0.021
    and 0.046, where the score on disguised records is off by 0.09, 0.17 and 0.27; on the average the standard errors
    say 0.012, 0.024 and 0.044, and two of them hold the truth in 81, 89 and 88 % of the runs (in the worst setting in a
    fifth). Where they are large, the noise hides too much: test a tree with fewer leaves, or on fewer disguised
    attributes.

    Parameters
    ----------
    model : a ``Tree``, or a fitted classifier with one
    X : the test records, disguised; their columns that the tree tests are read
    y : the true class of each; or, where a ``GroupedResponse`` has disguised the class, what is seen of it: a Series of
        the name that is in a group
    disguise : the channels by column as a dict, a ``GroupedResponse``, or a Disguise of either; other columns are taken
        as true. Grouped answers have the estimate without bias (DZ03 §4.6); X has all columns in groups.

    >>> from ppdm.data import quest
    >>> from ppdm.disguise import UniformNoise
    >>> from ppdm.trees import GiniTreeClassifier
    >>> X, y = quest(4_000, function=1, rng=1)
    >>> noise = UniformNoise.at_privacy(0.5, low=20, high=80)
    >>> seen = X[["age"]].assign(age=noise.disguise(X["age"], rng=2))
    >>> model = GiniTreeClassifier(max_depth=3).fit(seen[:2_000], y[:2_000])
    >>> [round(model.score(records[2_000:], y[2_000:]), 3) for records in (seen, X[["age"]])]
    [0.726, 0.838]
    >>> accuracy_from_disguised(model, seen[2_000:], y[2_000:], {"age": noise})
    accuracy 0.850 ± 0.030 (recall A 0.696, B 1.000; 2,000 records)
    """
    given = getattr(disguise, "channels", disguise)
    if isinstance(given, GroupedResponse):
        return _from_grouped(model, X, y, given)
    tree, codes = _checked(model, X, y)
    channels = as_disguise(disguise, X.columns, "disguise").channels_
    views = [_view(tree, index, X, channels) for index in np.unique(tree.attribute[tree.attribute >= 0])]
    right = tree.shares[tree.leaves()].argmax(axis=1)[:, None] == codes
    leaves, records = right.shape
    if right.size > MOST_CELLS:
        raise ValueError(
            f"X and model come to {records} records × {leaves} leaves; expected at most {MOST_CELLS:,} in all; "
            "take a sample of the records, or a tree that is pruned"
        )
    estimate = _by_inversion if all(view.edges is None for view in views) else _by_mixture
    accuracy, error, recall = estimate(views, right, codes)
    labels = tree.classes[np.unique(codes)].tolist()
    return AccuracyEstimate(accuracy, error, dict(zip(labels, recall.tolist(), strict=True)), len(codes))


class _View(NamedTuple):
    """A tested attribute: what is seen of each record, P(seen | true), and which true values each leaf can hold."""

    name: Any
    seen: np.ndarray
    matrix: np.ndarray
    inside: np.ndarray
    edges: np.ndarray | None  # of the true intervals of a noisy number


def _checked(model: Any, X: Any, y: Any) -> tuple[Tree, np.ndarray]:
    """The tree, and the place of each record's class among the tree's."""
    tree = getattr(model, "tree_", model)
    if not isinstance(tree, Tree):
        raise TypeError(f"model is {model!r}; expected a Tree, or a fitted classifier that has one")
    labels = checks.labels("y", y)
    checks.same_length("y", labels, "X", checks.frame("X", X))
    codes = pd.Index(tree.classes).get_indexer(labels)
    unknown = labels[codes < 0][:1].tolist()
    if unknown:
        raise ValueError(f"y has {unknown[0]!r}; expected classes of the model, {tree.classes.tolist()}")
    return tree, codes


def _view(tree: Tree, index: int, X: pd.DataFrame, channels: Mapping[Any, Channel]) -> _View:
    attribute, edges = tree.attributes[index], None
    checks.columns("model", [attribute.name], X.columns)
    column, name = attribute.complete(X[attribute.name]), f"column {attribute.name!r}"
    channel, thresholds = channels.get(attribute.name), np.unique(tree.threshold[tree.attribute == index])
    numeric = attribute.kind == "numeric"
    if isinstance(channel, CategoryChannel):
        true: Any = list(channel.categories)
        true = attribute.complete(true) if numeric else attribute.encode(true)
        seen, matrix = channel.codes(column, name), channel.matrix()
    elif isinstance(channel, NumericChannel) and numeric:
        edges = _edges(channel, thresholds)
        true = (edges[1:] + edges[:-1]) / 2
        read = Column.over(attribute.name, channel.released_values(column, name), channel, edges)
        assert read.matrix is not None
        seen, matrix = read.seen, read.matrix
    elif channel is not None:
        raise TypeError(
            f"{name} is {attribute.kind} in the model; expected a channel of categories for it, not {channel!r}"
        )
    else:
        true = np.append(-np.inf, thresholds) if numeric else np.arange(-1, attribute.n_values)
        seen = np.searchsorted(thresholds, column, side="right") if numeric else attribute.encode(column) + 1
        matrix = np.eye(len(true))
    return _View(attribute.name, seen, matrix, _inside(tree, index, true), edges)


def _edges(channel: NumericChannel, thresholds: np.ndarray) -> np.ndarray:
    """Edges over the channel's domain, those of the tree's thresholds that lie in it among them."""
    even = channel.true_bins(min(INTERVALS, channel.most_bins))
    width, cells = even[-1] - even[0], FINEST if channel.step is None else channel.most_bins
    inside = np.clip(np.union1d(even, thresholds), even[0], even[-1])
    places = np.unique(np.ceil((inside - even[0]) / width * cells - 0.5 - 1e-6))  # with a step: midway between values
    return even[0] + width * (places / cells)


def _inside(tree: Tree, index: int, true: np.ndarray) -> np.ndarray:
    """Which of an attribute's true values, as the tests read them, can be found in each leaf (a row)."""
    held = np.ones((len(tree.attribute), len(true)), dtype=bool)
    for node in map(int, np.flatnonzero(tree.attribute >= 0)):
        children = np.array(tree.children(node))
        held[children] = held[node]
        if tree.attribute[node] == index:
            held[children] &= tree.next_nodes(node, true) == children[:, None]
    return held[tree.leaves()]


def _from_grouped(model: Any, X: pd.DataFrame, y: Any, channel: GroupedResponse) -> AccuracyEstimate:
    """Each record counts in the leaves by the inverse of its groups; hits are leaves and classes that go together."""
    tree, codes = _checked(model, X, y)
    target = getattr(y, "name", None)
    checks.columns_or_class("disguise", channel.columns, X.columns, target)
    X = X.astype({column: "Int64" for column in channel.columns if column in X and is_bool_dtype(X[column])})
    views = [_view(tree, index, X, channel.answers) for index in np.unique(tree.attribute[tree.attribute >= 0])]
    predicted = tree.shares[tree.leaves()].argmax(axis=1)
    values, places = len(tree.classes), np.arange(len(tree.classes))
    if target in channel.answers:
        answer = channel.answers[target]
        codes, places = (channel.codes(pd.DataFrame({target: each}))[target] for each in (y, tree.classes))
        values = answer.k
    of_class = np.eye(values, dtype=bool)[places]
    hits = np.zeros((len(places), len(codes)))
    own = _View(target, codes, np.eye(values), of_class[predicted], None)
    for label, weights in zip(predicted, leaf_weights([*views, own], channel), strict=True):
        hits[label] += weights
    alone = _View(target, codes, np.eye(values), of_class, None)
    sizes = np.array([weights.mean() for weights in leaf_weights([alone], channel)])
    recall = {
        label: float(found / size)
        for label, found, size in zip(tree.classes.tolist(), hits.mean(axis=1), sizes, strict=True)
        if size > 0
    }
    right = hits.sum(axis=0)
    return AccuracyEstimate(float(right.mean()), float(right.std() / len(right) ** 0.5), recall, len(right))


def _by_inversion(views: list[_View], right: np.ndarray, codes: np.ndarray) -> Found:
    """Each record's weights, leaf by leaf, are products over the attributes, since the channels are independent."""
    weights = np.ones(right.shape)
    for view in views:
        try:
            check_invertible(view.matrix)
        except ValueError as error:
            raise ValueError(f"column {view.name!r}: {error}") from None
        weights *= np.linalg.solve(view.matrix, view.inside.T.astype(float)).T[:, view.seen]
    hits = (weights * right).sum(axis=0)
    _, place, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    return float(hits.mean()), float(hits.std() / len(hits) ** 0.5), np.bincount(place, hits) / sizes


def _by_mixture(views: list[_View], right: np.ndarray, codes: np.ndarray) -> Found:
    """Class by class, with each leaf twice: as its values spread among all records, and among those of the class."""
    classes, sizes = np.unique(codes, return_counts=True)
    everybody, leaves = _leaves(views, np.arange(len(codes))), len(right)
    recall, variance, gap = np.empty((3, len(classes)))
    for place, code in enumerate(classes):
        rows = np.flatnonzero(codes == code)
        (common, usual), (own, special) = everybody, _leaves(views, rows)
        likelihood = _likelihood([np.vstack(pair) for pair in zip(common, own, strict=True)], views, rows)
        start, hits = np.append(usual, special), np.tile(right[:, rows[0]], 2)
        recall[place], variance[place] = _share(likelihood, start, hits)
        alone = [_share(likelihood[half], start[half], hits[half])[0] for half in np.split(np.arange(2 * leaves), 2)]
        gap[place] = alone[1] - alone[0]
    shares = sizes / len(codes)
    accuracy = shares @ recall
    chance = shares**2 @ variance + shares @ (recall - accuracy) ** 2 / len(codes)
    return float(accuracy), float(np.hypot(chance**0.5, shares @ gap)), recall


def _leaves(views: list[_View], rows: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """P(seen | leaf) for each attribute, and the leaves' shares, if all spread independently as among the rows."""
    laws, shares = [], np.ones(len(views[0].inside))
    for view in views:
        counts = np.bincount(view.seen[rows], minlength=view.matrix.shape[1])
        spread = view.inside * reconstruct_counts(counts, view.matrix, edges=view.edges).distribution.probabilities
        mass = spread.sum(axis=1)
        laws.append(spread @ view.matrix / np.where(mass > 0, mass, 1)[:, None])
        shares *= mass
    return laws, shares


def _likelihood(laws: list[np.ndarray], views: list[_View], rows: np.ndarray) -> np.ndarray:
    """P(what is seen of each of the rows | leaf), up to a factor for each row."""
    likelihood = np.ones((len(laws[0]), len(rows)))
    for law, view in zip(laws, views, strict=True):
        likelihood *= law[:, view.seen[rows]]
        likelihood /= likelihood.max(axis=0)
    return likelihood


def _share(likelihood: np.ndarray, start: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """How much of the records comes from the right leaves, and the variance of that."""
    n = likelihood.shape[1]
    shares, _, _ = iterate(likelihood.T.dot, likelihood.dot, np.ones(n), start / start.sum(), CONVERGED)
    share, root = shares[right].sum(), np.sqrt(shares)
    # Information in the coordinates where known leaves would give 1 a record; no direction has less than one record's.
    scores = root[:, None] * likelihood / (shares @ likelihood)
    known, axes = np.linalg.eigh(scores @ scores.T / n)
    return share, ((root * (right - share)) @ axes) ** 2 @ (1 / np.maximum(known, 1 / n)) / n
