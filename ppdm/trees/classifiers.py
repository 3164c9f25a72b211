"""The ordinary tree, on records as they are."""

from typing import Any, Self

from ppdm.trees.coding import coded_records
from ppdm.trees.estimator import GiniTree, Nominal, Pruning
from ppdm.trees.prune import LeafBits, TestBits


class GiniTreeClassifier(GiniTree):
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
    leaf_bits : the price of a leaf's records in "mdl": "errors", 1 bit for each outside the leaf's class, as in SLIQ;
        "classes", all classes written down; "both": a test has to pay by either (see ``prune_mdl``)
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
        leaf_bits: LeafBits = "errors",
        min_records: float = 2,
        min_leaf: float = 1,
        max_depth: int | None = None,
        purity: float = 1.0,
        nominal: Nominal = "binary",
    ) -> None:
        self.intervals = intervals
        self.prune = prune
        self.test_bits = test_bits
        self.leaf_bits = leaf_bits
        self.min_records = min_records
        self.min_leaf = min_leaf
        self.max_depth = max_depth
        self.purity = purity
        self.nominal = nominal

    def fit(self, X: Any, y: Any) -> Self:
        """Grow and prune a tree; X: a DataFrame or an array of numbers, y: a class for each record."""
        stop = self._stop()
        self._grow(coded_records(*self._records(X, y), self.intervals), stop)
        return self
