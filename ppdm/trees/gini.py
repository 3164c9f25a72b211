"""The ordinary tree of AS00 §4.1, and what all tree classifiers share of scikit-learn's conventions."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from ppdm import checks
from ppdm.reconstruct import Attribute
from ppdm.tables import EstimatedTable, Table
from ppdm.trees.grow import Stop, grow
from ppdm.trees.model import Tree
from ppdm.trees.prune import Mdl, prune_mdl, prune_pessimistic

MAX_INTERVALS = 2**16 - 1


class TreeClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that grows one tree from one table.

    The ``fit`` of a subclass reads the records (``_records``), makes a table of them, grows a tree from it and keeps
    the tree (``_keep``).

    Attributes
    ----------
    tree_ : the fitted ``Tree``
    classes_ : the class labels
    """

    def predict(self, X) -> np.ndarray:
        """The class of each record."""
        return self._ask(Tree.predict, X)

    def predict_proba(self, X) -> np.ndarray:
        """The class shares of the leaf that each record ends in, a column for each of ``classes_``."""
        return self._ask(Tree.predict_proba, X)

    def apply(self, X) -> np.ndarray:
        """The leaf of ``tree_`` that each record ends in."""
        return self._ask(Tree.apply, X)

    def _keep(self, tree):
        """Set the fitted attributes."""
        self.tree_ = tree
        self.classes_ = tree.classes

    def _records(self, X, y):
        """Columns by name and a class for each record, after scikit-learn's checks and ours."""
        frame = self._frame(X, reset=True)
        # A table of one column is taken, as scikit-learn takes it, with its warning.
        if checks.plain("y", y).shape[1:] == (1,):
            y = column_or_1d(y if hasattr(y, "dtype") else np.array(y, dtype=object), warn=True)
        labels = checks.labels("y", y)
        checks.same_length("y", labels, "X", frame)
        return dict(frame.items()), labels

    def _ask(self, question, X):
        """Ask the tree a question about records, their columns named as the tree names them."""
        check_is_fitted(self, "tree_")
        # An array has numbers for names, the tree those of the table that it was fitted to.
        tests = self.tree_.attributes
        names = [test.name for test in tests]
        frame = self._frame(X, reset=False)
        given = list(frame)
        # Of columns with names that are text scikit-learn has compared the names.
        if isinstance(X, pd.DataFrame) and given != names and not isinstance(given[0], str):
            raise ValueError(f"X has the columns {given}; expected those of fit, {names}")
        frame = frame.set_axis(names, axis=1)
        for test in tests:
            (test.read if self.tree_.c45 else test.complete)(frame[test.name])
        return question(self.tree_, frame)

    def _frame(self, X, reset):
        """The records as a table; missing values are left to us, because our message names the column."""
        if isinstance(X, pd.DataFrame):
            # Our checks of columns come later, so that scikit-learn need not make one array of all.
            validate_data(self, checks.frame("X", X), reset=reset, skip_check_array=True)
            return X
        checks.rows("X", X, numeric=reset)
        # Text is left to us in prediction, because trees from tables can read it, and our message names the column.
        array = validate_data(self, X, reset=reset, dtype="numeric" if reset else None, ensure_all_finite=False)
        return pd.DataFrame(array, copy=False).infer_objects()


class GiniTreeClassifier(TreeClassifier):
    """The tree of AS00 §4.1 on records as they are: binary splits by the gini index, pruned by description length.

    On true records it is the paper's *Original*, on disguised ones its *Randomized*. Beware: ``score`` on disguised
    records measures how well disguised values are classified, which is not the question.

    Parameters
    ----------
    intervals : a number in [2, 65535]: every numeric attribute is cut into at most this number of intervals, which hold
        about the same number of records each; or one interval for each value, if it has fewer. A dict gives,
        for some columns, the numbers at which the attribute is cut; the other columns are cut into at most 255.
    prune : "mdl", "pessimistic" or None; or the prices of MDL pruning, ``Mdl(test_bits=..., leaf_bits=...)``: "mdl" is
        ``Mdl()``. With "mdl" a node that pruning would close in any case is not grown.
    min_records, min_leaf, min_gain, max_depth, purity : when a node stays a leaf: see ``Stop``
    nominal : "binary" divides the values of a nominal attribute in two, "multiway" has a child for each

    Columns of a DataFrame with a category dtype are nominal, or ordered if the categories are; text and booleans are
    nominal; the others must be numbers. Missing values are refused. A category that ``fit`` never saw goes the way of
    most records.

    Attributes
    ----------
    tree_ : the fitted ``Tree``
    classes_ : the class labels

    >>> X = pd.DataFrame({"age": [23, 17, 43, 68, 32, 20], "salary": [50e3, 30e3, 40e3, 50e3, 70e3, 20e3]})
    >>> y = ["High", "High", "High", "Low", "Low", "High"]  # credit risk
    >>> print(GiniTreeClassifier(prune=None).fit(X, y).tree_.rules())
    age < 27.5                       High  3 records, 100.0 %
    age ≥ 27.5 and salary < 45,000   High  1 record, 100.0 %
    age ≥ 27.5 and salary ≥ 45,000   Low   2 records, 100.0 %
    """

    def __init__(
        self,
        intervals: int | dict = 255,
        prune: Literal["mdl", "pessimistic"] | Mdl | None = "mdl",
        min_records: float = 2,
        min_leaf: float = 1,
        min_gain: float = 1e-9,
        max_depth: int | None = None,
        purity: float = 1.0,
        nominal: Literal["binary", "multiway"] = "binary",
    ) -> None:
        self.intervals = intervals
        self.prune = prune
        self.min_records = min_records
        self.min_leaf = min_leaf
        self.min_gain = min_gain
        self.max_depth = max_depth
        self.purity = purity
        self.nominal = nominal

    def fit(self, X, y) -> Self:
        """Grow and prune a tree; X: a DataFrame or an array of numbers, y: a class for each record."""
        self.stop_rules()
        columns, labels = self._records(X, y)
        self._keep(self.grow_from(counted_table(columns, labels, self.intervals)))
        return self

    def stop_rules(self) -> Stop:
        """When nodes stay leaves; all parameters of growing and pruning are checked."""
        if not isinstance(self.prune, Mdl):
            hint = "or Mdl(test_bits=..., leaf_bits=...)"
            checks.choice("prune", self.prune, ("mdl", "pessimistic", None), hint=hint)
        checks.choice("nominal", self.nominal, ("binary", "multiway"))
        return Stop(self.purity, self.min_records, self.min_leaf, self.min_gain, self.max_depth)

    def grow_from(self, table: Table) -> Tree:
        """Grow and prune a tree from any table by these parameters; the classifier itself does not change."""
        stop = self.stop_rules()
        prices = Mdl() if self.prune == "mdl" else self.prune
        if isinstance(prices, Mdl) and hasattr(table, "attributes"):  # what is no table is refused by grow
            # What pruning would close in any case is not grown, to save time. By both prices the tree can differ, but
            # rarely: what lies below such a node may have paid for a test above it.
            stop = replace(stop, least_errors=prices.errors_not_worth_a_test(table.attributes))
        tree = grow(table, "gini", stop, self.nominal)
        if isinstance(prices, Mdl):
            return prune_mdl(tree, prices)
        return tree if prices is None else prune_pessimistic(tree)


def counted_table(columns, labels, intervals) -> EstimatedTable:
    """A table of true records, each with a weight of 1.

    Parameters
    ----------
    columns : a dict of Series by name, of equal length
    labels : the class of each record; two classes at least
    intervals : as in ``GiniTreeClassifier``
    """
    class_codes, classes = coded_classes(labels)
    cuts, most = given_cuts(intervals, columns, 2, MAX_INTERVALS, 255)
    attributes = [Attribute.of(name, column, cuts.get(name, most)) for name, column in columns.items()]
    codes = [attribute.encode(columns[attribute.name]) for attribute in attributes]
    return EstimatedTable(attributes, classes, codes, class_codes)


def given_cuts(intervals, columns, least, most, default, hint="") -> tuple[Mapping, int]:
    """The numbers at which some columns are cut, and the largest number of intervals of the others.

    Parameters
    ----------
    intervals : a dict from columns to lists of numbers, or the number of intervals
    columns : whose names the dict may have
    least, most : of the number that is given
    default : the number if a dict is given
    hint : what else may be given
    """
    if not isinstance(intervals, Mapping):
        return {}, checks.whole("intervals", intervals, least, most, hint=f"{hint}or a dict from columns to cuts")
    checks.columns("intervals", intervals, columns)
    for name, cuts in intervals.items():
        if np.ndim(cuts) != 1:
            raise TypeError(
                f"intervals[{name!r}] is {cuts!r}; expected a list of the numbers at which {name!r} is cut"
            )
    return intervals, default


def coded_classes(labels: np.ndarray, domain=()) -> tuple[np.ndarray, np.ndarray]:
    """The code of each record's class, and the classes in order; two at least.

    Classes of the domain that no record shows are listed too, because their estimated counts can differ from 0.
    """
    try:
        appearance, found = pd.factorize(labels)
    except TypeError:
        raise TypeError("y holds lists or the like; expected text, numbers or booleans") from None
    # Twice each class, not all records: quick, and no warning of classes with a single record.
    check_classification_targets(np.tile(found, 2))
    classes = np.unique(np.append(found, np.asarray(domain, dtype=found.dtype)))
    if len(classes) < 2:
        raise ValueError("y has one class only; expected at least two classes")
    return np.searchsorted(classes, found)[appearance], classes
