"""Which values of each attribute lead to a leaf; and trees of scikit-learn as trees of ours."""

import math
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from ppdm import checks
from ppdm.reconstruct import Attribute


def regions(tree) -> dict[int, dict]:
    """For each leaf, from left to right, the values that each attribute tested on the way may have.

    Numbers are in a ``pandas.Interval``, which says if its ends belong to it; categories are in a list, in their order.
    """
    known: dict = {}
    waiting: list = [(0, {})]
    while waiting:
        node, path = waiting.pop()
        index = int(tree.attribute[node])
        if index < 0:
            known[node] = {}
            for place, region in path.items():
                attribute = tree.attributes[place]
                known[node][attribute.name] = _told(tree, attribute, region)
            continue
        parts = regions_below(tree, node, path.get(index))
        below = zip(tree.children(node), parts)
        children = [(child, {**path, index: region}) for child, region in below]
        waiting += children[::-1]  # the first child comes to the top
    return known


def leaf_holds(tree, index, values) -> np.ndarray:
    """Whether each leaf (a row) can hold a record with each of these values (columns) of one attribute.

    The values are as the tests read them: numbers, or the places of categories.
    """
    held = np.ones((len(tree.attribute), len(values)), dtype=bool)
    for node in map(int, np.flatnonzero(tree.attribute >= 0)):
        children = np.array(tree.children(node))
        held[children] = held[node]
        if tree.attribute[node] == index:
            held[children] &= tree.next_nodes(node, values) == children[:, None]
    return held[tree.leaves()]


def _told(tree, attribute, region):
    """A region as its reader has it."""
    if attribute.kind == "numeric":
        low, high = map(float, region)
        return pd.Interval(low, high, closed="right" if tree.c45 else "left")
    places = range(*map(int, region)) if attribute.kind == "ordered" else region
    return [attribute.categories[place] for place in places]


def regions_below(tree, node, region) -> Any:
    """The parts of an attribute's region that a node sends to its children.

    The region of a nominal attribute has the places of its categories. That of a number, or of a place in an order, is
    (low, high), low included; in a tree as C4.5's a number's has high instead. None: any value.
    """
    test = tree.attributes[tree.attribute[node]]
    if test.kind == "nominal":
        places = np.arange(test.n_values) if region is None else region
        goes = tree.routes_of(node)[places]
        # Sorted once for all children, because there may be one for each category.
        order = np.argsort(goes, kind="stable")
        ends = np.cumsum(np.bincount(goes, minlength=tree.n_children[node]))
        return np.split(places[order], ends[:-1])
    cut = tree.threshold[node]
    low, high = region or any_value(test)
    return (low, min(high, cut)), (max(low, cut), high)


def any_value(attribute) -> tuple[float, float]:
    """The region of any value: the line, or all places of an order."""
    if attribute.kind == "numeric":
        return -math.inf, math.inf
    return 0, attribute.n_values


def as_tree(make, model, columns=None, name="model") -> Any:
    """A fitted tree as a ``Tree``: one of scikit-learn's classifiers, a classifier that has a Tree, or a Tree itself.

    scikit-learn rounds values to 32 bits before it compares them. The tests of the Tree are moved to where the answer
    changes after this rounding, so that both send all numbers to the same leaf. Missing values are refused.

    Parameters
    ----------
    model : fitted
    columns : the names of the attributes, where scikit-learn's tree knows none; None: their places
    name : how errors call the model

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from ppdm.trees import Tree
    >>> Tree.of(DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "b", "b"]), columns=["x"]).rules().splitlines()
    ['x < 1.5   a  1 record, 100.0 %', 'x ≥ 1.5   b  2 records, 100.0 %']
    """
    own = getattr(model, "tree_", model)
    if isinstance(own, make):
        return own
    expected = "a Tree, a fitted classifier that has one, or scikit-learn's DecisionTreeClassifier"
    checks.of_type(name, model, DecisionTreeClassifier, expected)
    check_is_fitted(model)
    if model.n_outputs_ > 1:
        raise ValueError(f"{name} predicts {model.n_outputs_} classes at once; expected one")
    places = range(model.n_features_in_)
    given = places if columns is None else checks.distinct("columns", columns)
    checks.none_missing("columns", given)
    names = getattr(model, "feature_names_in_", given)
    checks.same_length("columns", names, "the tree", places)
    children = np.column_stack([own.children_left, own.children_right])
    order = level = np.zeros(1, dtype=int)
    # Ours are numbered level by level.
    while len(level):
        below = children[level]
        level = below[below >= 0]  # a leaf has −1 for both
        order = np.append(order, level)
    inner = own.feature[order] >= 0
    threshold = _before_rounding(own.threshold[order])
    counts = own.value[:, 0] * own.weighted_n_node_samples[:, None]
    return make(
        attributes=tuple(Attribute(checks.scalar(name), "numeric", 1) for name in names),
        classes=model.classes_,
        counts=counts[order],
        attribute=np.where(inner, own.feature[order], -1),
        threshold=np.where(inner, threshold, np.nan),
        n_children=np.where(inner, 2, 0),
        routes=np.empty(0, dtype=int),
    )


def _before_rounding(cut):
    """The least number that is above each cut once it is rounded to 32 bits."""
    # The neighbours of 32 bits between which the cut lies.
    infinity = np.float32(np.inf)
    low = cut.astype(np.float32)
    low = np.where(low > cut, np.nextafter(low, -infinity), low)
    high = np.nextafter(low, infinity)
    middle = np.mean([low, high], axis=0, dtype=float)
    # The middle itself is rounded to the even one of both.
    rounded = middle.astype(np.float32)
    return np.where(rounded > cut, middle, np.nextafter(middle, np.inf))
