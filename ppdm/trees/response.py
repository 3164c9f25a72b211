"""The trees of DZ03: grown by information gain from records that were disguised in groups."""

import numbers
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype

from ppdm import checks
from ppdm.disguise import GroupedResponse
from ppdm.reconstruct import Attribute
from ppdm.tables import grouped_table
from ppdm.trees.gini import TreeClassifier, coded_classes
from ppdm.trees.grow import Stop, grow

THETA = 0.9


class ResponseTreeClassifier(TreeClassifier):
    """ID3 for true records, from records that were disguised in groups (DZ03 §4.5).

    Every count that ID3 asks for is estimated from all disguised records by the inverse of ``GroupedResponse``. With
    theta 1, or 0 where all attributes have two values, this is ID3 itself. The tree is meant for true records. Beware:
    ``score`` and ``cross_val_score`` on disguised records measure how well disguised values are classified. Score on
    true records, or estimate that by ``measure.accuracy_from_disguised``.

    Estimates can be negative. The size of a node is its raw sum, which ``min_records`` and ``min_leaf`` bound. Class
    weights are floored at 0 for the gain and for predicted shares. A leaf without a positive weight predicts as its
    parent does.

    Parameters
    ----------
    theta : the probability of the truth with which the records were disguised, or one for each group
    groups : how the records were disguised: lists of columns (positions, for an array); a number of groups of
        neighbouring columns, as ``GroupedResponse.divided`` makes; None: one group of all columns; or the channel, a
        ``GroupedResponse``, which has its own theta. Columns in no group are taken as true. The class is disguised if
        y is a Series and its name is in a group.
    cut : whether numbers are cut in two at the middle of their range (§5.2). If they were disguised with more values,
        give them a category dtype. False takes them as they are: 0 or 1 in a group, in 255 intervals outside.
    confidence : in (0, 1): a split must pass a test at this confidence, because chance and disguise alone give gains
        too (see ``Stop``). None is the paper's rule: a node is split until it is pure or no attribute is left.
    min_records, min_leaf, min_gain, max_depth, purity : when a node stays a leaf: see ``Stop``. ``min_gain`` is 0
        here, as in ID3.

    In a group, a column holds numbers, booleans, or values of a category dtype, whose categories state the domain: it
    cannot be read off disguised values. The same holds for a class in a group. A ``GroupedResponse`` knows all domains.
    Every category gets a child of its own.

    Attributes
    ----------
    tree_ : the fitted ``Tree``
    classes_ : the class labels
    groups_ : the groups that were used

    >>> from ppdm.data import load
    >>> table = load("votes")
    >>> X = (table.X == "y").astype(int)
    >>> channel = GroupedResponse(0.9, [list(X)])
    >>> model = ResponseTreeClassifier(groups=channel, max_depth=1)
    >>> print(model.fit(channel.disguise(X, rng=1), table.y).tree_.rules())
    v4 < 0.5   democrat    271.88 records, 99.9 %
    v4 ≥ 0.5   republican  163.12 records, 100.0 %
    """

    def __init__(
        self,
        theta: float | Sequence[float] = THETA,
        groups: int | Sequence[Sequence] | GroupedResponse | None = None,
        cut: bool = True,
        confidence: float | None = None,
        min_records: float = 2,
        min_leaf: float = 1,
        min_gain: float = 0,
        max_depth: int | None = None,
        purity: float = 1.0,
    ):
        self.theta = theta
        self.groups = groups
        self.cut = cut
        self.confidence = confidence
        self.min_records = min_records
        self.min_leaf = min_leaf
        self.min_gain = min_gain
        self.max_depth = max_depth
        self.purity = purity

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # of numbers only two halves are left
        return tags

    def fit(self, X, y) -> Self:
        """Estimate and grow; X: disguised records, y: the class of each, disguised if its name is in a group."""
        bounds = self.purity, self.min_records, self.min_leaf, self.min_gain, self.max_depth
        stop = Stop(*bounds, confidence=self.confidence)
        checks.flag("cut", self.cut)
        columns, labels = self._records(X, y)
        target = getattr(y, "name", None)
        asked = self._asked(columns, target)
        grouped = asked.columns
        # A class in a group has a domain as any column has.
        seen = {**columns, target: y} if target in grouped else columns
        theta = self.theta
        if isinstance(self.groups, GroupedResponse):
            theta = asked.theta
            # What the channel knows of the values is written down as dtypes; values that it does not know are refused.
            for name, answer in asked.answers.items():
                own = answer.codes(np.asarray(seen[name]), f"column {name!r}")
                if answer.categories != (0, 1):
                    domain = pd.CategoricalDtype(list(answer.categories))
                    seen[name] = pd.Series(pd.Categorical.from_codes(own, dtype=domain))
        attributes = tuple(self._attribute(name, seen[name], name in grouped) for name in columns)
        possible = getattr(seen[target].dtype, "categories", ()) if target in grouped else ()
        class_codes, classes = coded_classes(labels, possible)
        # Only now all domains are known, and with them whether theta lets anything be seen of a group. A class in no
        # group may be named as a column is.
        sizes = {target: len(classes)} | {attribute.name: attribute.n_values for attribute in attributes}
        channel = replace(asked, theta=theta, values={name: range(sizes[name]) for name in grouped})
        codes = np.vstack([*(attribute.encode(seen[attribute.name]) for attribute in attributes), class_codes])
        table = grouped_table(attributes, classes, codes, channel.parts, self.confidence is not None)
        self._keep(grow(table, "gain", stop, "multiway"))
        self.groups_ = channel.groups
        return self

    def _asked(self, columns, target):
        """The groups as a channel, if all their columns are there; the values are known if it was given as one."""
        given: Any = 1 if self.groups is None else self.groups
        # Any theta does that lets all be seen, until the domains are known.
        if isinstance(given, numbers.Number):
            given = GroupedResponse.divided(1.0, list(columns), checks.whole("groups", given, 1, len(columns)))
        elif not isinstance(given, GroupedResponse):
            given = GroupedResponse(1.0, given)
        elif not any(np.array_equal(self.theta, theta) for theta in (THETA, given.theta)):
            raise ValueError(
                f"theta is {self.theta!r} and groups is {given!r}, which has its own; leave theta out"
            )
        if target in given.columns and target in columns:
            raise ValueError(
                f"groups names {target!r}, a column of X and the name of y too; rename or leave out one"
            )
        checks.columns_or_class("groups", given.columns, list(columns), target)
        return given

    def _attribute(self, name, column, grouped):
        """What a column is, and where it is cut."""
        dtype = column.dtype
        numeric = checks.is_number(dtype)
        if numeric:
            values = Attribute.numeric(name, []).complete(column)
            if np.isin(values, (0, 1)).all():
                return Attribute.numeric(name, [0.5])
            if self.cut:
                # Halves are added, because the sum of two very large numbers overflows.
                middle = values.min() / 2 + values.max() / 2
                return Attribute.numeric(name, [np.nextafter(middle, np.inf)])  # the middle itself is below
        # A boolean column has both values, even if it shows one.
        known = [False, True] if is_bool_dtype(dtype) else getattr(dtype, "categories", ())
        if not grouped:
            return Attribute.of(name, column)
        if len(known) > 1:
            return Attribute.categorical(name, list(known))
        found = "numbers other than 0 and 1" if numeric else f"values of {dtype}"
        raise ValueError(
            f"column {name!r} is in a group and holds {found}; expected 0 and 1, booleans, a category dtype with the "
            "whole domain of two values or more, which cannot be read off disguised values, or numbers and cut=True"
        )
