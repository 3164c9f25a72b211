"""The trees of AS00 §4.2: grown from disguised records, whose distributions are reconstructed first."""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np

from ppdm import checks
from ppdm.disguise.channel import Channel, NumericChannel, channels_by_column
from ppdm.reconstruct import ChiSquareStop, StoppingRule, reconstruct_counts
from ppdm.reconstruct.attribute import Attribute
from ppdm.reconstruct.column import DisguisedColumn
from ppdm.reconstruct.local import LocalTable
from ppdm.reconstruct.table import EstimatedTable, pack
from ppdm.trees.coding import coded_classes, column_attribute, is_ordered
from ppdm.trees.estimator import Nominal, Pruning, TreeClassifier
from ppdm.trees.grow import Table
from ppdm.trees.prune import LeafBits, TestBits

Strategy = Literal["global", "byclass", "local"]
FEWEST, MOST, PER_INTERVAL = 10, 100, 100  # intervals, and records in each (AS00 §4.2)


class ReconstructedTreeClassifier(TreeClassifier):
    """A tree for true records, from disguised ones (AS00 §4.2).

    The distribution of each disguised attribute is reconstructed, the records are given intervals as the reconstruction
    says, the lowest to the first and so on, and a tree grows from these. It is meant for true records: ship it to those
    who have them (``tree_.to_json``, §4.3). Beware: ``score`` and ``cross_val_score`` on disguised records measure how
    well disguised values are classified; ``measure.accuracy_from_disguised`` estimates what you want to know.

    Parameters
    ----------
    channels : the channel of each disguised column by its name (its position in an array); one channel for all
        columns; None: nothing is disguised. Other columns are taken as true.
    strategy : "global" reconstructs each attribute once, for all classes together; "byclass" for each class; "local"
        for each class again at each node that is not small
    intervals : of each disguised number: "auto", one for 100 records, between 10 and 100, as in the paper; a number; a
        dict from columns to edges that cover the domain ("auto" for the others). An attribute of no more values than
        that has one interval a value. True numbers are cut as in ``GiniTreeClassifier``.
    stop, smooth, exact : of the reconstruction: see ``reconstruct``; None stops as the paper does
    small : whole number of at least 1: with "local", a class of fewer records in a node is not reconstructed there
    retain : whether "local" leaves those attributes alone that were tested on the way to a node; False is the other
        reading of §4.2, which fails (notebook 01)
    prune, test_bits, leaf_bits, min_records, min_leaf, max_depth, purity, nominal : see ``GiniTreeClassifier``. Here
        a test costs more and has to pay by both prices, because noise makes chance splits: what hides all, must teach
        nothing.

    Attributes
    ----------
    tree_ : the fitted ``Tree``
    classes_ : the class labels
    n_reconstructions_, n_steps_ : how many distributions were reconstructed by iteration, and in how many Bayes steps

    >>> from ppdm.data import quest
    >>> from ppdm.disguise import UniformNoise
    >>> X, y = quest(20_000, function=1, rng=1)
    >>> noise = UniformNoise.at_privacy(1.0, low=20, high=80)
    >>> seen = X[["age"]].assign(age=noise.disguise(X["age"], rng=2))
    >>> print(ReconstructedTreeClassifier({"age": noise}, intervals=25).fit(seen, y).tree_.rules())
    age < 39.2          A  4,397 records, 97.7 %
    39.2 ≤ age < 60.8   B  11,270 records, 86.9 %
    age ≥ 60.8          A  4,333 records, 97.6 %
    """

    def __init__(
        self,
        channels: Channel | Mapping[Any, Channel] | None = None,
        strategy: Strategy = "byclass",
        intervals: Any = "auto",
        stop: StoppingRule | None = None,
        smooth: float | None = None,
        exact: bool = True,
        small: int = 1000,
        retain: bool = True,
        prune: Pruning = "mdl",
        test_bits: TestBits = "cuts",
        leaf_bits: LeafBits = "both",
        min_records: float = 2,
        min_leaf: float = 1,
        max_depth: int | None = None,
        purity: float = 1.0,
        nominal: Nominal = "binary",
    ) -> None:
        self.channels = channels
        self.strategy = strategy
        self.intervals = intervals
        self.stop = stop
        self.smooth = smooth
        self.exact = exact
        self.small = small
        self.retain = retain
        self.prune = prune
        self.test_bits = test_bits
        self.leaf_bits = leaf_bits
        self.min_records = min_records
        self.min_leaf = min_leaf
        self.max_depth = max_depth
        self.purity = purity
        self.nominal = nominal

    def fit(self, X: Any, y: Any) -> Self:
        """Reconstruct, grow and prune; X: disguised records, y: the true class of each."""
        stop = self._stop()
        checks.choice("strategy", self.strategy, ("global", "byclass", "local"))
        checks.whole("small", self.small, 1)
        checks.flag("retain", self.retain)
        self._grow(self._table(*self._records(X, y)), stop)
        return self

    def _table(self, columns: dict[Any, Any], y: np.ndarray) -> Table:
        """The estimated table that the tree grows from."""
        class_codes, classes = coded_classes(y)
        channels = {} if self.channels is None else channels_by_column(self.channels, columns)
        edges = self._edges(columns)
        self.n_reconstructions_ = self.n_steps_ = 0
        rng = np.random.default_rng(0)  # for ties, which are broken by lot, and the same way at every fit
        disguised = {
            name: self._disguised(name, columns[name], channel, edges.get(name), rng)
            for name, channel in channels.items()
        }
        group = np.zeros_like(class_codes) if self.strategy == "global" else class_codes
        attributes, codes = [], []
        for name, column in columns.items():
            if name in disguised:
                attributes.append(disguised[name].attribute)
                codes.append(disguised[name].all_codes(group, self._estimate))
            else:
                attributes.append(column_attribute(name, column, 255, edges.get(name)))
                codes.append(attributes[-1].encode(column))
        table = EstimatedTable(tuple(attributes), classes, pack(codes, attributes), class_codes)
        if self.strategy != "local":
            return table
        return LocalTable(table, [disguised.get(name) for name in columns], self._estimate, self.small, self.retain)

    def _estimate(self, counts: np.ndarray, matrix: np.ndarray) -> np.ndarray:
        """The shares of the true intervals in a group of records."""
        found = reconstruct_counts(counts, matrix, stop=self.stop or ChiSquareStop(), smooth=self.smooth)
        self.n_reconstructions_ += 1
        self.n_steps_ += found.n_iter
        return found.distribution.probabilities

    def _edges(self, columns: dict[Any, Any]) -> dict[Any, Any]:
        """The edges that are given for some columns."""
        if not isinstance(self.intervals, Mapping):
            if self.intervals != "auto":
                checks.whole("intervals", self.intervals, 1, hint='or "auto", or a dict from columns to edges')
            return {}
        checks.columns("intervals", self.intervals, columns)
        return dict(self.intervals)

    def _disguised(self, name: Any, column: Any, channel: Channel, edges: Any, rng: Any) -> DisguisedColumn:
        """A column as the miner has it; an error of its channel names the column."""
        try:
            if isinstance(channel, NumericChannel):
                values = Attribute.numeric(name, []).complete(column)
                bins = self._intervals(channel, len(column)) if edges is None else edges
                return DisguisedColumn.numeric(name, values, channel, bins, self.exact, rng)
            return DisguisedColumn.categorical(name, column, channel, is_ordered(column), rng)
        except ValueError as error:
            raise ValueError(f"column {name!r}: {error}") from None

    def _intervals(self, channel: NumericChannel, records: int) -> int:
        """So many that each holds about 100 records, between 10 and 100; one a value, if there are no more values."""
        automatic = int(np.clip(records // PER_INTERVAL, FEWEST, MOST))
        number = automatic if self.intervals == "auto" or isinstance(self.intervals, Mapping) else self.intervals
        return min(number, channel.most_bins)
