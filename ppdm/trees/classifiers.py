"""Estimators with scikit-learn's conventions around the growing and pruning of trees."""

from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from ppdm import checks
from ppdm.trees.coding import coded_records, is_number
from ppdm.trees.grow import Stop, grow
from ppdm.trees.prune import TEST_BITS, TestBits, errors_not_worth_a_test, prune_mdl, prune_pessimistic

Pruning = Literal["mdl", "pessimistic"] | None


class GiniTreeClassifier(ClassifierMixin, BaseEstimator):
    """The tree of AS00 §4.1 on records as they are: binary splits by the gini index, pruned by description length.

    On true records it is the paper's *Original*, on disguised ones its *Randomized*. Beware: ``score`` on disguised
    records measures how well disguised values are classified, which is not the question.

    Parameters
    ----------
    intervals : a number in [2, 65535]: every numeric attribute is cut into at most so many intervals that hold about as
        many records each, or one a value if there are no more values. A dict from columns to edges cuts these columns
        there, others as if nothing were said.
    prune : "mdl", "pessimistic" or None. With "mdl" a node that pruning would close in any case is not grown.
    test_bits : the price of a test in "mdl": "constant", 1 bit, as in SLIQ; "cuts", log₂ of the attributes and of the
        candidate cuts, which prunes harder: better on noisy values, worse where a slanted boundary takes many steps
    min_records, min_leaf, max_depth, purity : when a node stays a leaf: see ``Stop``
    nominal : "binary" divides the values of a nominal attribute in two, "multiway" has a child for each

    Columns of a DataFrame with a category dtype are nominal, or ordered if the categories are; text and booleans are
    nominal; the others must be numbers. Missing values are refused. A category that ``fit`` never saw goes the way of
    most records.

    Attributes
    ----------
    tree_ : the fitted ``Tree``
    classes_ : the class labels

    >>> from ppdm.data import credit_risk
    >>> X, y = credit_risk()
    >>> print(GiniTreeClassifier(prune=None).fit(X, y).tree_.rules())
    age < 27.5                       High  3 records, 100.0 %
    age ≥ 27.5 and salary < 45,000   High  1 record, 100.0 %
    age ≥ 27.5 and salary ≥ 45,000   Low   2 records, 100.0 %
    """

    def __init__(
        self,
        intervals: int | dict[Any, Any] = 255,
        prune: Pruning = "mdl",
        test_bits: TestBits = "constant",
        min_records: float = 2,
        min_leaf: float = 1,
        max_depth: int | None = None,
        purity: float = 1.0,
        nominal: Literal["binary", "multiway"] = "binary",
    ) -> None:
        self.intervals = intervals
        self.prune = prune
        self.test_bits = test_bits
        self.min_records = min_records
        self.min_leaf = min_leaf
        self.max_depth = max_depth
        self.purity = purity
        self.nominal = nominal

    def fit(self, X: Any, y: Any) -> Self:
        """Grow and prune a tree; X: a DataFrame or an array of numbers, y: a class for each record."""
        checks.choice("prune", self.prune, ("mdl", "pessimistic", None))
        checks.choice("test_bits", self.test_bits, TEST_BITS)
        stop = Stop(self.purity, self.min_records, self.min_leaf, max_depth=self.max_depth)
        table = coded_records(*_records(self, X, y), self.intervals)
        if self.prune == "mdl":
            stop = replace(stop, least_errors=errors_not_worth_a_test(table.attributes, self.test_bits))
        tree = grow(table, "gini", stop, self.nominal)
        if self.prune == "mdl":
            tree = prune_mdl(tree, self.test_bits)
        elif self.prune == "pessimistic":
            tree = prune_pessimistic(tree)
        self.tree_ = tree
        self.classes_ = self.tree_.classes
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of each record."""
        seen = _seen(self, X)
        return self.tree_.predict(seen)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The class shares of the leaf that each record ends in, a column for each of ``classes_``."""
        seen = _seen(self, X)
        return self.tree_.predict_proba(seen)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of ``tree_`` that each record ends in."""
        seen = _seen(self, X)
        return self.tree_.apply(seen)


def _seen(estimator: Any, X: Any) -> pd.DataFrame:
    """Records to classify, after scikit-learn's checks and ours."""
    check_is_fitted(estimator)
    tests = estimator.tree_.attributes
    array = validate_data(estimator, X, reset=False, **_lenient(all(test.kind == "numeric" for test in tests)))
    seen = pd.DataFrame(array, copy=False).infer_objects().set_axis([test.name for test in tests], axis=1)
    for test in tests:
        test.complete(seen[test.name])
    return seen


def _records(estimator: Any, X: Any, y: Any) -> tuple[dict[Any, Any], np.ndarray]:
    """Columns by name and a class for each record, after scikit-learn's checks and ours."""
    numbers = True
    if isinstance(X, pd.DataFrame):
        numbers = all(map(is_number, checks.frame("X", X).dtypes))
    checked = validate_data(estimator, X, reset=True, **_lenient(numbers))
    names = X.columns if isinstance(X, pd.DataFrame) else range(checked.shape[1])
    columns = dict(zip(names, checked.T if numbers else map(checked.get, names), strict=True))
    y = checks.labels("y", column_or_1d(np.asarray(y), warn=True))
    checks.same_length("y", y, "X", checked)
    check_classification_targets(y)
    return columns, y


def _lenient(numbers: bool) -> dict[str, bool]:
    """What scikit-learn leaves to us: missing values, because our message names the column; all but numbers."""
    return {"ensure_all_finite": False} if numbers else {"skip_check_array": True}
