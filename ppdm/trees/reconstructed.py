"""The trees of AS00 §4.2: grown from disguised records, whose distributions are reconstructed first."""

import numbers
import warnings
from collections.abc import Mapping
from typing import Any, Literal, Self, get_args

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from ppdm import checks
from ppdm.disguise import CategoryChannel, Channel, Disguise, NumericChannel, as_disguise
from ppdm.disguise.release import MAX_BINS
from ppdm.reconstruct import ChiSquareStop, JointDistribution, Reconstruction, StoppingRule
from ppdm.reconstruct.attribute import Attribute
from ppdm.reconstruct.axis import in_column
from ppdm.reconstruct.bayes import solve
from ppdm.reconstruct.coarse import TrueColumn
from ppdm.reconstruct.column import DisguisedColumn
from ppdm.reconstruct.stopping import check_rule
from ppdm.reconstruct.together import Together, Told, check_told, find_together, told_together
from ppdm.tables.local import LocalTable
from ppdm.tables.table import EstimatedTable, pack
from ppdm.trees.coding import column_attribute, order_of
from ppdm.trees.gini import GiniTreeClassifier, coded_classes
from ppdm.trees.grow import Table
from ppdm.trees.prune import Mdl

Strategy = Literal["global", "byclass", "local", "joint"]
FEWEST, MOST, PER_INTERVAL = 10, 100, 100  # intervals, and records in each (AS00 §4.2)


def papers_intervals(records: int) -> int:
    """So many intervals that each holds about 100 records, between 10 and 100 (AS00 §4.2).

    >>> papers_intervals(100), papers_intervals(3_000), papers_intervals(100_000)
    (10, 30, 100)
    """
    return int(np.clip(records // PER_INTERVAL, FEWEST, MOST))


class ReconstructedTreeClassifier(GiniTreeClassifier):
    """A tree for true records, from disguised ones (AS00 §4.2).

    The distribution of each disguised attribute is reconstructed, the records are given intervals as the reconstruction
    says, the lowest to the first and so on, and a tree grows from these. It is meant for true records: ship it to those
    who have them (``tree_.to_json``, §4.3). Beware: ``score``, ``cross_val_score`` and ``GridSearchCV`` on disguised
    records measure how well disguised values are classified, and a pipeline with ``Disguise`` disguises what it
    predicts too. Score on true records, or estimate that by ``measure.accuracy_from_disguised``.

    Parameters
    ----------
    channels : the channel of each disguised column by its name (its position in an array); one channel for all
        columns; the ``Disguise`` that was applied; None: nothing is disguised. Other columns are taken as true.
    strategy : "global" reconstructs each attribute once, for all classes together; "byclass" for each class; "local"
        for each class again at each node that is not small. "joint" is not in the paper: attributes that tell of the
        classes together are reconstructed together, the others by class. It finds them, and a grid for them, by the
        likelihood of held-out disguised records (see ``find_together``). With a few thousand records, or where margins
        tell all that can be told, it can be worse than "byclass"; ``small`` and ``retain`` do not concern it.
    intervals : of each disguised number: "auto", one for 100 records, between 10 and 100, as in the paper; a number; a
        dict from columns to edges that cover the domain ("auto" for the others). An attribute of no more values than
        that has one interval a value. True numbers are cut in 255 intervals, or as the dict says, as in
        ``GiniTreeClassifier``.
    stop, smooth, exact : of the reconstruction: see ``reconstruct``; None stops as the paper does, and "joint" where
        held-out records are likeliest. No smoothing of what is reconstructed jointly.
    small : whole number of at least 1: with "local", a class of fewer records in a node is not reconstructed there
    retain : whether "local" leaves those attributes alone that were tested on the way to a node; False is the other
        reading of §4.2, which fails (notebook 01)
    prune, min_records, min_leaf, min_gain, max_depth, purity, nominal : see ``GiniTreeClassifier``
    together : with "joint": None, the attributes are found; a list of columns: these, on a grid that is found; a dict
        from columns to whole numbers of at least 2: these, in so many intervals, at most as many as ``intervals``
        gives (a column of fewer values has one a value), so that only the number of steps is found, which is quick.
        One column at least has to be disguised.

    Attributes
    ----------
    tree_ : the fitted ``Tree``
    classes_ : the class labels
    reconstructions_ : for each disguised column a list, the ``Reconstruction`` of each class in the order of
        ``classes_`` (with "global" of all records together); what is to travel is ``tree_``, not these
    together_ : with "joint": the attributes that were taken together, their ``intervals``, how finely what is seen was
        cut (``most_seen``), the ``steps`` and the ``gain`` in log-likelihood; None if they were to be found and no
        attribute tells of the classes
    joint_ : with "joint": the ``JointDistribution`` of classes and these attributes; None if there are none
    n_reconstructions_, n_steps_ : how many of single attributes there were, those within a tree by
        "local" included, and their Bayes steps

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
        channels: Channel | Mapping[Any, Channel] | Disguise | None = None,
        strategy: Strategy = "byclass",
        intervals: Any = "auto",
        stop: StoppingRule | None = None,
        smooth: float | None = None,
        exact: bool = True,
        small: int = 1000,
        retain: bool = True,
        prune: Literal["mdl", "pessimistic"] | Mdl | None = "mdl",
        min_records: float = 2,
        min_leaf: float = 1,
        min_gain: float = 1e-9,
        max_depth: int | None = None,
        purity: float = 1.0,
        nominal: Literal["binary", "multiway"] = "binary",
        together: Told | None = None,
    ) -> None:
        self.channels = channels
        self.strategy, self.together = strategy, together
        self.intervals = intervals
        self.stop = stop
        self.smooth = smooth
        self.exact = exact
        self.small, self.retain = small, retain
        self.prune = prune
        self.min_records = min_records
        self.min_leaf = min_leaf
        self.min_gain = min_gain
        self.max_depth = max_depth
        self.purity = purity
        self.nominal = nominal

    def fit(self, X: Any, y: Any) -> Self:
        """Reconstruct, grow and prune; X: disguised records, y: the true class of each."""
        self.stop_rules()
        checks.choice("strategy", self.strategy, get_args(Strategy))
        checks.whole("small", self.small, 1)
        checks.flag("retain", self.retain)
        checks.flag("exact", self.exact)
        if self.smooth is not None:
            checks.number("smooth", self.smooth, 0, 1, open_high=True)
        check_rule(self._rule)
        if self.together is not None and self.strategy != "joint":
            raise ValueError(f"together is {self.together!r}; expected None with strategy={self.strategy!r}")
        self._keep(self.grow_from(self._table(*self._records(X, y))))
        if self._unmet:
            warnings.warn(self._unmet_text(), ConvergenceWarning, stacklevel=2)
        return self

    @property
    def _rule(self) -> StoppingRule:
        return ChiSquareStop() if self.stop is None else self.stop

    def _table(self, columns: dict[Any, Any], y: np.ndarray) -> Table:
        """The estimated table that the tree grows from."""
        class_codes, classes = coded_classes(y)
        edges, channels = self._edges(columns), as_disguise(self.channels, columns).by_column()
        if self.together is not None:
            check_told(self.together, columns, channels)
        self.reconstructions_: dict[Any, list[Reconstruction]] = {}
        self.n_reconstructions_ = self.n_steps_ = 0
        self.together_: Together | None = None
        self.joint_: JointDistribution | None = None
        self._unmet: list[Any] = []
        rng = np.random.default_rng(0)  # for ties, which are broken by lot, and the same way at every fit
        disguised = {
            name: self._disguised(name, columns[name], channel, edges.get(name), rng)
            for name, channel in channels.items()
        }
        group = np.zeros_like(class_codes) if self.strategy == "global" else class_codes
        known: dict[Any, DisguisedColumn | TrueColumn] = {}
        codes: dict[Any, np.ndarray] = {}
        for name, column in columns.items():
            if name in disguised:
                known[name] = disguised[name]
                codes[name], self.reconstructions_[name] = disguised[name].all_codes(group, self._estimate)
            else:
                attribute = column_attribute(name, column, 255, edges.get(name))
                codes[name] = attribute.encode(column)
                known[name] = TrueColumn(attribute, codes[name])
        if self.strategy == "joint":
            values = {name: _values(column, channels.get(name)) for name, column in columns.items()}
            self._take_together(known, codes, class_codes, classes, rng, values)
        attributes = tuple(column.attribute for column in known.values())
        table = EstimatedTable(attributes, classes, pack(list(codes.values()), attributes), class_codes)
        if self.strategy != "local":
            return table
        return LocalTable(table, [disguised.get(name) for name in columns], self._estimate, self.small, self.retain)

    def _take_together(
        self,
        columns: dict[Any, DisguisedColumn | TrueColumn],
        codes: dict[Any, np.ndarray],
        y: np.ndarray,
        classes: np.ndarray,
        rng: np.random.Generator,
        values: dict[Any, int],
    ) -> None:
        """Give the records those codes of some attributes that their joint distribution says."""
        if self.together is not None:
            self.together_ = told_together(columns, y, len(classes), self.together, values)
        elif self.reconstructions_:
            self.together_ = find_together(columns, y, len(classes))
        if self.together_ is None:
            return
        grid = self.together_.grid(columns, y, len(classes))
        counts = grid.counts()
        shares, met = grid.shares(counts, grid.mix(counts), self.together_.stop if self.stop is None else self.stop)
        if not met:
            self._unmet.append(tuple(self.together_.intervals))
        self.joint_ = grid.distribution(shares, classes)
        for axis, drawn in zip(grid.columns, grid.cells(shares, rng), strict=True):
            name = axis.attribute.name
            column = columns[name]
            if isinstance(column, DisguisedColumn):
                margins = np.array([found.distribution.probabilities for found in self.reconstructions_[name]])
                codes[name] = column.within(y, margins, axis.group, drawn)

    def _estimate(self, column: DisguisedColumn, counts: np.ndarray) -> Reconstruction:
        """The distribution of the true values of a group of records, from the counts of what is seen of them."""
        smooth = (self.smooth or 0.0) if column.attribute.kind == "numeric" else 0.0
        found = solve(counts, column.matrix, column.start, self._rule, smooth, column.edges)
        self.n_reconstructions_ += 1
        self.n_steps_ += found.n_iter
        if not found.converged:
            self._unmet.append(column.attribute.name)
        return found

    def _unmet_text(self) -> str:
        names = ", ".join(map(repr, dict.fromkeys(self._unmet)))
        number = self.n_reconstructions_ + (self.strategy == "joint" and self.together_ is not None)
        return (
            f"{self._rule!r} was not met within its cap of {self._rule.cap} iterations in {len(self._unmet)} of "
            f"{number} reconstructions (of {names}); their last iterates were taken"
        )

    def _edges(self, columns: dict[Any, Any]) -> dict[Any, Any]:
        """The edges that are given for some columns."""
        if isinstance(self.intervals, Mapping):
            checks.columns("intervals", self.intervals, columns)
            return dict(self.intervals)
        if not (isinstance(self.intervals, str) and self.intervals == "auto"):
            checks.whole("intervals", self.intervals, 1, MAX_BINS, hint='or "auto", or a dict from columns to edges')
        return {}

    def _disguised(self, name: Any, column: Any, channel: Channel, edges: Any, rng: Any) -> DisguisedColumn:
        """A column as the miner has it; an error of its channel names the column."""
        values = Attribute.numeric(name, []).complete(column) if isinstance(channel, NumericChannel) else column
        with in_column(name):
            if isinstance(channel, NumericChannel):
                bins = self._intervals(channel, len(column)) if edges is None else channel.true_bins(edges, "intervals")
                return DisguisedColumn.numeric(name, values, channel, bins, self.exact, rng)
            if not isinstance(channel, CategoryChannel):
                raise TypeError(f"its channel is {channel!r}; expected a NumericChannel or a channel of categories")
            if edges is not None:
                raise TypeError(f"intervals is {edges!r}; expected none for categories")
            return DisguisedColumn.categorical(name, values, channel, order_of(column, channel.categories), rng)

    def _intervals(self, channel: NumericChannel, records: int) -> int:
        """The paper's number or the given one; one a value, if there are no more values."""
        given: Any = self.intervals
        number = given if isinstance(given, numbers.Integral) else papers_intervals(records)
        return int(min(number, channel.most_bins))


def _values(column: Any, channel: Channel | None) -> int:
    """How many values a column can have, as far as intervals tell them apart."""
    return channel.most_bins if isinstance(channel, NumericChannel) else len(pd.unique(column))
