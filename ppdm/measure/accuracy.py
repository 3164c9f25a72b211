"""How accurate a tree is on true records, estimated from disguised ones: its score on these is another number."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise import CategoryChannel, as_disguise
from ppdm.measure.risk import distinct_rows
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
    (0.825, accuracy 1.011 ± 0.013 (recall no 1.019, yes 0.987; 4,000 records))
    """
    expected = "a Tree, or a fitted classifier that has one"
    tree = checks.of_type("model", getattr(model, "tree_", model), Tree, expected)
    target = getattr(y, "name", None)
    labels = checks.labels("y", y)
    classes = tree.classes.tolist()
    checks.same_length("y", labels, "X", checks.frame("X", X))
    if len(labels) < 2:
        raise ValueError(
            "X has one record; expected two or more, because one does not tell how sure an accuracy is"
        )
    codes = checks.places("y", labels, tree.classes)
    checks.none_wrong("y", labels, codes < 0, "unknown classes", "those of the model, its classes_")
    # None is refused, and so is a single channel: which column it disguised is not said.
    found = as_disguise(disguise, name="disguise", optional=disguise is not None)
    checks.columns_or_class("disguise", found.channels_, X.columns, target)
    tested = np.unique(tree.attribute[tree.attribute >= 0])
    views = [_view(tree, index, X, found.channels_) for index in tested]
    is_class = np.eye(len(classes), dtype=bool)
    if target in found.channels_ and target not in X.columns:
        answer = found.channels_[target]
        codes = answer.codes(y, "y")
        places = answer.codes(classes, "the model's classes")
        is_class = np.eye(answer.k, dtype=bool)[places]
    predicted = tree.predicted[tree.leaves()]
    weights = _weights([*views, (target, codes, is_class[predicted])], found.parts_)
    hits = (predicted == np.arange(len(classes))[:, None]) @ weights  # a row for each class
    sizes = _weights([(target, codes, is_class)], found.parts_).mean(axis=1)
    shares = zip(classes, hits.mean(axis=1), sizes)
    recall = {label: float(hit / size) for label, hit, size in shares if size > 0}
    right = hits.sum(axis=0)
    error = right.std() / len(right) ** 0.5
    return AccuracyEstimate(float(right.mean()), float(error), recall, len(right))


def _view(tree, index, X, channels):
    """Of a tested attribute: name, the code seen in each record, and which true codes each leaf (a row) can hold."""
    attribute = tree.attributes[index]
    name = attribute.name
    checks.columns("model", [name], X.columns)
    numeric = attribute.kind == "numeric"
    read = attribute.complete if numeric else attribute.encode
    if name not in channels:
        # What lies between two thresholds passes the same tests.
        thresholds = np.unique(tree.cuts[tree.attribute == index])
        true = np.append(-np.inf, thresholds) if numeric else np.arange(-1, attribute.n_values)
        seen = np.searchsorted(true, read(attribute.complete(X[name])), side="right") - 1
    elif isinstance(channels[name], CategoryChannel):
        true = read(list(channels[name].categories))
        seen = channels[name].codes(X[name], f"column {name!r}")
    else:
        raise TypeError(
            f"column {name!r} was disguised by {channels[name]!r}, and the tree tests it: from noisy numbers no "
            "unbiased estimate is known; test the tree on true records, or disguise the test records' attribute as "
            "categories"
        )
    return name, seen, tree.leaf_holds(index, true)


def _weights(views, parts):
    """The weight of every record (a column) in each leaf (a row): a product over the parts, which are independent."""
    _, seen, inside = views[0]
    weights = np.ones((len(inside), len(seen)))
    part_of = {column: part for part in parts for column in part.columns}
    for part in [None, *parts]:  # None: what passes as it is
        own = [view for view in views if part_of.get(view[0]) is part]
        # Many leaves ask the same of a part.
        leaves, place = distinct_rows(np.hstack([inside[:, :0], *(inside for *_, inside in own)]))
        for number, leaf in enumerate(leaves):
            asked = [(name, seen, inside[leaf]) for name, seen, inside in own if not inside[leaf].all()]
            if asked and part is None:
                weights[place == number] *= np.all([inside.take(seen) for _, seen, inside in asked], axis=0)
            elif asked:
                weights[place == number] *= part.weights(
                    {name: seen for name, seen, _ in asked}, {name: inside for name, _, inside in asked}
                )
    return weights
