"""How accurate a tree is on true records, estimated from disguised ones: its score on these is another number."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise import CategoryChannel, as_disguise
from ppdm.trees import Tree


@dataclass(frozen=True, repr=False)
class AccuracyEstimate:
    """How well a tree classifies true records, as far as disguised ones tell.

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

    def __repr__(self):
        recall = ", ".join(f"{label} {share:.3f}" for label, share in self.recall.items())
        return f"accuracy {self.accuracy:.3f} ± {self.standard_error:.3f} (recall {recall}; {self.records:,} records)"


def accuracy_from_disguised(model, X: pd.DataFrame, y, disguise) -> AccuracyEstimate:
    """The accuracy that a tree has on true records, estimated from disguised ones (DZ03 §4.6).

    Each record counts in each leaf with a weight whose mean is 1 in its true leaf and 0 in the others: the estimate
    has no bias, may lie outside [0, 1], and its standard error is that of a mean. The paper runs all 2^g reversals of
    the test records through the tree and solves M_g for the share of hits, which gives the same number.

    Noisy numbers that the tree tests are refused. Noise has no such weights: which side of a threshold a record stands
    on is hidden, and an estimate must assume how the values spread within a leaf, which biases it however many
    records there are (notebook 01 shows by how much). Test such a tree on true records, as AS00 does; or release, for
    the test, categories such as intervals that are kept or replaced.

    Parameters
    ----------
    model : a ``Tree``, or a fitted classifier with one
    X : the test records, disguised; the columns that the tree tests, and all that are in groups, are read
    y : the class of each; where the class was disguised what is seen of it, as a Series of the name of its channel
    disguise : channels by column as a dict, a ``GroupedResponse``, or a Disguise; other columns are taken as true

    >>> from ppdm.disguise import GroupedResponse
    >>> from ppdm.trees import GiniTreeClassifier
    >>> X = pd.DataFrame({"a": [0, 1] * 2_000, "b": [0, 0, 1, 1] * 1_000})
    >>> y = np.where((X["a"] == 1) & (X["b"] == 1), "yes", "no")
    >>> model, channel = GiniTreeClassifier().fit(X, y), GroupedResponse(0.8, [["a"], ["b"]])
    >>> seen = channel.disguise(X, rng=1)
    >>> round(model.score(seen, y), 3), accuracy_from_disguised(model, seen, y, channel)
    (0.826, accuracy 1.005 ± 0.013 (recall no 0.996, yes 1.034; 4,000 records))
    """
    tree, codes = _checked(model, X, y)
    target = getattr(y, "name", None)
    found = as_disguise(disguise, name="disguise")
    checks.columns_or_class("disguise", found.channels_, X.columns, target)
    views = [_view(tree, index, X, found.channels_) for index in np.unique(tree.attribute[tree.attribute >= 0])]
    predicted = tree.predicted[tree.leaves()]
    values, places = len(tree.classes), np.arange(len(tree.classes))
    answer = found.channels_.get(target) if target not in X.columns else None
    if answer is not None:
        codes, places, values = answer.codes(y, "y"), answer.codes(tree.classes, "the model's classes"), answer.k
    of_class = np.eye(values, dtype=bool)[places]
    hits = np.zeros((len(places), len(codes)))
    own = _View(target, codes, of_class[predicted])
    for label, weights in zip(predicted, _leaf_weights([*views, own], found.parts_), strict=True):
        hits[label] += weights
    sizes = [weights.mean() for weights in _leaf_weights([_View(target, codes, of_class)], found.parts_)]
    recall = {
        label: float(hit / size)
        for label, hit, size in zip(tree.classes.tolist(), hits.mean(axis=1), sizes, strict=True)
        if size > 0
    }
    right = hits.sum(axis=0)
    return AccuracyEstimate(float(right.mean()), float(right.std() / len(right) ** 0.5), recall, len(right))


class _View(NamedTuple):
    """An attribute, or the class: its code seen in each record, and which true codes each leaf (a row) can hold."""

    name: Any
    seen: np.ndarray
    inside: np.ndarray


def _checked(model, X, y):
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


def _view(tree, index, X, channels):
    """What a tested attribute shows."""
    attribute = tree.attributes[index]
    checks.columns("model", [attribute.name], X.columns)
    channel, column = channels.get(attribute.name), X[attribute.name]
    numeric = attribute.kind == "numeric"
    true: Any
    if channel is None:
        thresholds, column = np.unique(tree.threshold[tree.attribute == index]), attribute.complete(column)
        true = np.append(-np.inf, thresholds) if numeric else np.arange(-1, attribute.n_values)
        seen = np.searchsorted(thresholds, column, side="right") if numeric else attribute.encode(column) + 1
    elif isinstance(channel, CategoryChannel):
        seen = channel.codes(column, f"column {attribute.name!r}")
        true = list(channel.categories)
        true = attribute.complete(true) if numeric else attribute.encode(true)
    else:
        raise TypeError(
            f"column {attribute.name!r} was disguised by {channel!r}, and the tree tests it: from noisy numbers no "
            "unbiased estimate is known; test the tree on true records, or disguise the test records' attribute as "
            "categories"
        )
    return _View(attribute.name, seen, tree.leaf_holds(index, true))


def _leaf_weights(views, parts):
    """For each leaf, the weight of every record in it: a product over the parts, which are independent."""
    members = [(part, [view for view in views if view.name in part.columns]) for part in parts]
    disguised = {view.name for _, own in members for view in own}
    members += [(None, [view]) for view in views if view.name not in disguised]
    known: dict[Any, np.ndarray] = {}  # a part has the same weights in all leaves that ask the same of it
    for leaf in range(len(views[0].inside)):
        weights = np.ones(len(views[0].seen))
        for place, (part, own) in enumerate(members):
            asked = [view for view in own if not view.inside[leaf].all()]
            if not asked:
                continue
            key = (place, *(view.inside[leaf].tobytes() for view in own))
            if key not in known:
                seen = {view.name: view.seen for view in asked}
                inside = {view.name: view.inside[leaf] for view in asked}
                known[key] = part.weights(seen, inside) if part else asked[0].inside[leaf][asked[0].seen]
            weights = weights * known[key]
        yield weights
