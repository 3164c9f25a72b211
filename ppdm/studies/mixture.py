"""An experiment beside AS00: the accuracy on true records, estimated from test records with noisy numbers.

The records of a class are a mixture of what the leaves look like when they are disguised, and Equation 3 of AS00 tells
how much there is of each. What a leaf looks like follows from its region if the attributes spread within it
independently, in part as they do among all records and in part as among those of the class, as far as both can be
reconstructed. That is not so, and it biases the estimate however many records there are: the noise hides who stands on
which side of a threshold. So it is no part of the library.

On AS00's five functions, all nine attributes disguised, good trees and bad ones, 5,000 records
(``notebooks/results/as00-estimated.csv``), the root mean square error at 25, 50 and 100 % privacy is 0.014, 0.021 and
0.045, where the score on disguised records is off by 0.09, 0.17 and 0.26; on average the standard errors say 0.012,
0.024 and 0.044, and two of them hold the truth in 81, 89 and 89 % of the runs (in the worst setting in a fifth).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ppdm.disguise import NumericChannel
from ppdm.estimate import Estimate
from ppdm.reconstruct import ChiSquareStop, Column, reconstruct_counts
from ppdm.trees import Tree

INTERVALS = 50  # of a disguised number's domain, besides the tree's thresholds
FINEST = 1_000_000  # parts of a domain: edges nearer to each other than one are one
# Stopped at the paper's 1 %, leaves keep too much of what they start with.
CONVERGED = ChiSquareStop(fraction=1e-5)


class _View(NamedTuple):
    """A tested attribute: what is seen of each record, P(seen | true), and which true intervals each leaf can hold."""

    seen: np.ndarray
    matrix: np.ndarray
    inside: np.ndarray
    edges: np.ndarray | None


def accuracy_by_mixture(model, X: pd.DataFrame, y, channels: Mapping[Any, NumericChannel]) -> Estimate:
    """The accuracy of a fitted classifier on true records, estimated from disguised ones.

    The standard error is that of the amounts of the leaves (by the Fisher information), and the distance between what
    either spread alone would come to.

    Parameters
    ----------
    model : a fitted classifier
    X, y : test records, disguised, and their true classes
    channels : of the disguised columns; others are taken as true
    """
    tree: Tree = model.tree_
    codes = pd.Index(tree.classes).get_indexer(np.asarray(y))
    views = [_view(tree, index, X, channels) for index in np.unique(tree.attribute[tree.attribute >= 0])]
    right = tree.predicted[tree.leaves()][:, None] == codes
    classes, sizes = np.unique(codes, return_counts=True)
    everybody, leaves = _leaves(views, np.arange(len(codes))), len(right)
    recall, variance, gap = np.empty((3, len(classes)))
    for place, code in enumerate(classes):
        # Class by class, with each leaf twice: as its values spread among all records, and among those of the class.
        rows = np.flatnonzero(codes == code)
        (common, usual), (own, special) = everybody, _leaves(views, rows)
        likelihood = _likelihood([np.vstack(pair) for pair in zip(common, own)], views, rows)
        start, hits = np.append(usual, special), np.tile(right[:, rows[0]], 2)
        recall[place], variance[place] = _share(likelihood, start, hits)
        alone = [
            _share(likelihood[half], start[half], hits[half])[0] for half in np.split(np.arange(2 * leaves), 2)
        ]
        gap[place] = alone[1] - alone[0]
    shares = sizes / len(codes)
    accuracy = shares @ recall
    chance = shares**2 @ variance + shares @ (recall - accuracy) ** 2 / len(codes)
    return Estimate(float(accuracy), float(np.hypot(chance**0.5, shares @ gap)))


def _view(tree, index, X, channels):
    attribute, edges = tree.attributes[index], None
    column, thresholds = X[attribute.name], np.unique(tree.cuts[tree.attribute == index])
    if attribute.name in channels:
        channel = channels[attribute.name]
        edges = _edges(channel, thresholds)
        true = (edges[1:] + edges[:-1]) / 2
        read = Column.over(attribute.name, column, channel, edges)
        assert read.matrix is not None
        return _View(read.seen, read.matrix, tree.leaf_holds(index, true), edges)
    numeric = attribute.kind == "numeric"
    true = np.append(-np.inf, thresholds) if numeric else np.arange(-1, attribute.n_values)
    seen = np.searchsorted(thresholds, column, side="right") if numeric else attribute.encode(column) + 1
    return _View(seen, np.eye(len(true)), tree.leaf_holds(index, true), None)


def _edges(channel, thresholds):
    """Edges over the channel's domain, those of the tree's thresholds that lie in it among them."""
    even = channel.true_bins(min(INTERVALS, channel.most_bins))
    width, cells = even[-1] - even[0], FINEST if channel.step is None else channel.most_bins
    inside = np.clip(np.union1d(even, thresholds), even[0], even[-1])
    # With a step the edges lie midway between values.
    places = np.unique(np.ceil((inside - even[0]) / width * cells - 0.5 - 1e-6))
    return even[0] + width * (places / cells)


def _leaves(views, rows):
    """P(seen | leaf) for each attribute, and the leaves' shares, if all spread independently as among the rows."""
    laws, shares = [], np.ones(len(views[0].inside))
    for view in views:
        counts = np.bincount(view.seen[rows], minlength=view.matrix.shape[1])
        spread = (
            view.inside * reconstruct_counts(counts, view.matrix, edges=view.edges).distribution.probabilities
        )
        mass = spread.sum(axis=1)
        laws.append(spread @ view.matrix / np.where(mass > 0, mass, 1)[:, None])
        shares *= mass
    return laws, shares


def _likelihood(laws, views, rows):
    """P(what is seen of each of the rows | leaf), up to a factor for each row."""
    likelihood = np.ones((len(laws[0]), len(rows)))
    for law, view in zip(laws, views):
        likelihood *= law[:, view.seen[rows]]
        likelihood /= likelihood.max(axis=0)
    return likelihood


def _share(likelihood, start, right):
    """How much of the records comes from the right leaves, and the variance of that."""
    n = likelihood.shape[1]
    found = reconstruct_counts(np.ones(n), likelihood, start / start.sum(), CONVERGED)
    shares = found.distribution.probabilities
    share, root = shares[right].sum(), np.sqrt(shares)
    # Information in the coordinates where known leaves would give 1 a record; no direction has less than one record's.
    scores = root[:, None] * likelihood / (shares @ likelihood)
    known, axes = np.linalg.eigh(scores @ scores.T / n)
    return share, ((root * (right - share)) @ axes) ** 2 @ (1 / np.maximum(known, 1 / n)) / n
