"""What the estimators share: scikit-learn's conventions around the growing and pruning of trees."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from ppdm import checks
from ppdm.reconstruct.attribute import is_number
from ppdm.trees.grow import Stop, Table, grow
from ppdm.trees.model import Tree
from ppdm.trees.prune import (
    LEAF_BITS,
    TEST_BITS,
    LeafBits,
    TestBits,
    errors_not_worth_a_test,
    prune_mdl,
    prune_pessimistic,
)

Pruning = Literal["mdl", "pessimistic"] | None
Nominal = Literal["binary", "multiway"]


class TreeClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that grows one tree from one table; a subclass makes the table from the records.

    Attributes
    ----------
    tree_ : the fitted ``Tree``
    classes_ : the class labels
    """

    def predict(self, X: Any) -> np.ndarray:
        """The class of each record."""
        seen = self._to_classify(X)
        return self.tree_.predict(seen)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The class shares of the leaf that each record ends in, a column for each of ``classes_``."""
        seen = self._to_classify(X)
        return self.tree_.predict_proba(seen)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of ``tree_`` that each record ends in."""
        seen = self._to_classify(X)
        return self.tree_.apply(seen)

    def _keep(self, tree: Tree) -> None:
        """The tree is what was fitted."""
        self.tree_ = tree
        self.classes_ = tree.classes

    def _to_classify(self, X: Any) -> pd.DataFrame:
        """Records to classify, after scikit-learn's checks and ours."""
        check_is_fitted(self, "tree_")
        tests = self.tree_.attributes
        array = validate_data(self, X, reset=False, **_lenient(all(test.kind == "numeric" for test in tests)))
        seen = pd.DataFrame(array, copy=False).infer_objects().set_axis([test.name for test in tests], axis=1)
        for test in tests:
            test.complete(seen[test.name])
        return seen

    def _records(self, X: Any, y: Any) -> tuple[dict[Any, Any], np.ndarray]:
        """Columns by name and a class for each record, after scikit-learn's checks and ours."""
        numbers = True
        if isinstance(X, pd.DataFrame):
            numbers = all(map(is_number, checks.frame("X", X).dtypes))
        checked = validate_data(self, X, reset=True, **_lenient(numbers))
        names = X.columns if isinstance(X, pd.DataFrame) else range(checked.shape[1])
        columns = dict(zip(names, checked.T if numbers else map(checked.get, names), strict=True))
        y = checks.labels("y", column_or_1d(np.asarray(y), warn=True))
        checks.same_length("y", y, "X", checked)
        check_classification_targets(y)
        return columns, y


class GiniTree(TreeClassifier):
    """One that grows by the gini index and prunes."""

    prune: Pruning
    test_bits: TestBits
    leaf_bits: LeafBits
    min_records: float
    min_leaf: float
    max_depth: int | None
    purity: float
    nominal: Nominal

    def _stop(self) -> Stop:
        """When nodes stay leaves, the parameters of growing and pruning checked."""
        checks.choice("prune", self.prune, ("mdl", "pessimistic", None))
        checks.choice("test_bits", self.test_bits, TEST_BITS)
        checks.choice("leaf_bits", self.leaf_bits, LEAF_BITS)
        checks.choice("nominal", self.nominal, ("binary", "multiway"))
        return Stop(self.purity, self.min_records, self.min_leaf, max_depth=self.max_depth)

    def _grow(self, table: Table, stop: Stop) -> None:
        """Fit the tree. With "mdl" a node is not grown that the price of errors would close in any case."""
        if self.prune == "mdl" and self.leaf_bits != "classes":
            stop = replace(stop, least_errors=errors_not_worth_a_test(table.attributes, self.test_bits))
        tree = grow(table, "gini", stop, self.nominal)
        if self.prune == "mdl":
            tree = prune_mdl(tree, self.test_bits, self.leaf_bits)
        elif self.prune == "pessimistic":
            tree = prune_pessimistic(tree)
        self._keep(tree)


def _lenient(numbers: bool) -> dict[str, bool]:
    """What scikit-learn leaves to us: missing values, because our message names the column; all but numbers."""
    return {"ensure_all_finite": False} if numbers else {"skip_check_array": True}
