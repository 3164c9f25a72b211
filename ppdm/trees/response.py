"""The trees of DZ03: grown by information gain from records that were disguised in groups."""

import numbers
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype
from sklearn.utils import Tags

from ppdm import checks
from ppdm.disguise.grouped import GroupedResponse, check_informative, checked_groups, checked_thetas
from ppdm.reconstruct.attribute import Attribute, is_number
from ppdm.tables.groups import PathTable, SeenRecords, grouped_table
from ppdm.trees.coding import column_attribute
from ppdm.trees.gini import TreeClassifier, coded_classes
from ppdm.trees.grow import Stop, grow

HALF = (0.5,)  # the edge between 0 and 1
MOST_INTERVALS = 255


class ResponseTreeClassifier(TreeClassifier):
    """ID3 for true records, from records that were disguised in groups (DZ03 §4.5).

    Every count that ID3 asks for is estimated from all disguised records by the inverse of ``GroupedResponse``. With
    theta 1, or 0 where all attributes have two values, this is ID3 itself (D1). The tree is meant for true records;
    ``score`` and ``cross_val_score`` on disguised ones measure the wrong thing: score on true records, or estimate that
    by ``measure.accuracy_from_disguised``.

    Estimates can be negative. A node's size is its raw sum, and a node or a side below ``min_records`` or ``min_leaf``
    is not split off; class weights are floored at 0 inside the gain and for predicted shares only; a leaf in which
    nothing is positive predicts as its parent.

    Parameters
    ----------
    theta : the probability of the truth with which the records were disguised, or one for each group
    groups : by which they were disguised: lists of columns (positions, for an array), as in ``channel.groups``; a
        number: so many groups of neighbouring columns, as ``GroupedResponse.divided`` makes; None: one group of all
        columns. Columns in no group are taken as true. The class is disguised if y is a Series and its name is in a
        group.
    cut : numbers are cut at the middle of their range (§5.2), and taken as two-valued: if they were disguised with more
        values, give them a category dtype. False takes them as they are: 0 or 1 in a group, 255 intervals outside.
    confidence : in (0, 1): a split must beat its own uncertainty, gaining more than chance and disguise together give
        in this share of the nodes where nothing is to gain (see ``Stop``); None, the paper's rule: a node is split as
        long as an attribute is left and it is not pure
    min_records, min_leaf, max_depth, purity : when a node stays a leaf: see ``Stop``

    In a group, a column is of numbers, of booleans, or of a category dtype, whose categories are its domain: it cannot
    be read off disguised values. So it is with a class of a category dtype that is in a group. Every category gets a
    child of its own.

    Attributes
    ----------
    tree_ : the fitted ``Tree``
    classes_ : the class labels
    groups_ : the groups that were used

    >>> from ppdm.data import load
    >>> table = load("votes")
    >>> X = (table.X == "y").astype(int)
    >>> channel = GroupedResponse(0.9, [list(X)])
    >>> model = ResponseTreeClassifier(channel.theta, channel.groups, max_depth=1)
    >>> print(model.fit(channel.disguise(X, rng=1), table.y).tree_.rules())
    v4 < 0.5   democrat    260.62 records, 97.5 %
    v4 ≥ 0.5   republican  174.38 records, 92.6 %
    """

    def __init__(
        self,
        theta: float | Sequence[float] = 0.9,
        groups: int | Sequence[Sequence[Any]] | None = None,
        cut: bool = True,
        confidence: float | None = None,
        min_records: float = 2,
        min_leaf: float = 1,
        max_depth: int | None = None,
        purity: float = 1.0,
    ) -> None:
        self.theta = theta
        self.groups = groups
        self.cut = cut
        self.confidence = confidence
        self.min_records = min_records
        self.min_leaf = min_leaf
        self.max_depth = max_depth
        self.purity = purity

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # of numbers only two halves are left
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Estimate and grow; X: disguised records, y: the class of each, disguised if its name is in a group."""
        stop = Stop(self.purity, self.min_records, self.min_leaf, 0, self.max_depth, confidence=self.confidence)
        checks.flag("cut", self.cut)
        target = getattr(y, "name", None)
        columns, labels = self._records(X, y)
        groups = self._groups(list(columns), target)
        thetas = checked_thetas(self.theta, len(groups))
        grouped = {column for group in groups for column in group}
        attributes = [self._attribute(name, column, name in grouped) for name, column in columns.items()]
        known = target in grouped and isinstance(y.dtype, pd.CategoricalDtype)
        class_codes, classes = coded_classes(labels, y.dtype.categories if known else ())
        names, sizes = [*columns, target], [*(attribute.n_values for attribute in attributes), len(classes)]
        places = [tuple(names.index(column) for column in group) for group in groups]
        for theta, group, place in zip(thetas, groups, places, strict=True):
            check_informative(theta, group, [sizes[one] for one in place])
        codes = [attribute.encode(column) for attribute, column in zip(attributes, columns.values(), strict=True)]
        records = SeenRecords(
            tuple(attributes), classes, np.vstack([*codes, class_codes]), tuple(zip(thetas, places, strict=True))
        )
        table = grouped_table(records) if self.confidence is None else PathTable(records)
        self._keep(grow(table, "gain", stop, nominal="multiway"))
        self.groups_ = groups
        return self

    def _groups(self, columns: list[Any], target: Any) -> tuple[tuple[Any, ...], ...]:
        """The groups, if all their columns are there."""
        if self.groups is None or isinstance(self.groups, numbers.Number):
            number = 1 if self.groups is None else checks.whole("groups", self.groups, 1, len(columns))
            return checked_groups(GroupedResponse.divided(1.0, columns, number).groups)
        if isinstance(self.groups, GroupedResponse):
            raise TypeError("groups is a GroupedResponse; expected theta=channel.theta and groups=channel.groups")
        groups = checked_groups(self.groups)
        grouped = [column for group in groups for column in group]
        if target in grouped and target in columns:
            raise ValueError(f"groups names {target!r}, a column of X and the name of y too; rename or leave out one")
        checks.columns_or_class("groups", grouped, columns, target)
        return groups

    def _attribute(self, name: Any, column: Any, grouped: bool) -> Attribute:
        """What a column is, and where it is cut."""
        if is_number(column.dtype):
            values = Attribute.numeric(name, []).complete(column)
            binary = bool(((values == 0) | (values == 1)).all())
            if self.cut and not binary:
                middle = values.min() / 2 + values.max() / 2
                return Attribute.numeric(name, [np.nextafter(middle, np.inf)])  # the middle itself is below
            if binary:
                return Attribute.numeric(name, HALF)
            if grouped:
                raise ValueError(
                    f"column {name!r} is in a group and holds numbers other than 0 and 1; expected 0 and 1, or a "
                    "category dtype with its domain, or cut=True"
                )
            return column_attribute(name, column, MOST_INTERVALS)
        attribute = column_attribute(name, column, MOST_INTERVALS)
        if not grouped:
            return attribute
        if isinstance(column.dtype, pd.CategoricalDtype):
            if attribute.n_values < 2:
                raise ValueError(
                    f"column {name!r} is in a group and has the categories {column.dtype.categories.tolist()}; "
                    "expected two at least: its dtype must hold the whole domain"
                )
            return Attribute.categorical(name, attribute.categories or ())
        if is_bool_dtype(column.dtype):
            return Attribute.categorical(name, (False, True))
        raise TypeError(
            f"column {name!r} is in a group and holds {column.dtype} values; expected numbers, booleans or a category "
            "dtype: the domain of what was disguised cannot be read off"
        )
