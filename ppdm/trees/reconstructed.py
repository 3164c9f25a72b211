"""The trees of AS00 §4.2: grown from disguised records, whose distributions are reconstructed first."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ppdm import checks
from ppdm.disguise import Channel, Disguise, GroupedResponse, as_disguise
from ppdm.randomness import lots
from ppdm.reconstruct import Attribute, ChiSquareStop, Column, FixedStop, Search
from ppdm.tables import EstimatedTable, LocalTable
from ppdm.trees.gini import GiniTreeClassifier, TreeClassifier, coded_classes, given_cuts


@dataclass(frozen=True)
class Local:
    """The strategy that reconstructs for each class again at each node that is not small (AS00 §4.2).

    Parameters
    ----------
    small : whole number of at least 1: where a node has fewer records of a class, these keep their codes
    retain : whether attributes that were tested on the way to a node keep their codes; False is the other reading of
        §4.2, which fails (notebook 01)
    """

    small: int = 1000
    retain: bool = True

    def __post_init__(self):
        checks.whole("small", self.small, 1)
        checks.flag("retain", self.retain)


@dataclass(frozen=True)
class Joint:
    """The strategy that reconstructs together the attributes that predict the classes together; not in the paper.

    With a few thousand records, or if single attributes already predict the classes, it can be worse than "byclass".

    Parameters
    ----------
    together : None finds the attributes and their grid, by the likelihood of held-out disguised records. A list of
        columns: only their grid is found. A dict from columns to numbers of intervals (2 or more, of which a column
        takes at most those that it has): only the number of steps is found, which is quick. At least one of the columns
        must be disguised.
    search : how they are found
    """

    together: Any = None
    search: Search = Search()  # noqa: RUF009  (frozen)

    def __post_init__(self):
        if self.together is not None:
            checks.distinct("together", self.together)
        checks.of_type("search", self.search, Search, "a reconstruct.Search, say Search(max_together=2)")


STRATEGIES: dict = {"global": "global", "byclass": "byclass", "local": Local(), "joint": Joint()}


class ReconstructedTreeClassifier(TreeClassifier):
    """A tree for true records, from disguised ones (AS00 §4.2).

    The distribution of each disguised attribute is reconstructed. The records get intervals as the reconstruction says:
    the lowest get the first, and so on. A tree grows from these. It is meant for true records: ship it to those who
    have them (``tree_.to_json``, §4.3).

    Beware: ``score``, ``cross_val_score`` and ``GridSearchCV`` on disguised records measure how well disguised values
    are classified. A pipeline with ``Disguise`` disguises what it predicts, too. Score on true records. (No
    estimate from noisy test records is without bias: notebook 01 shows why.)

    Parameters
    ----------
    channels : the channel of each disguised column by its name (its position in an array); one channel for all
        columns; the ``Disguise`` that was applied; None: nothing is disguised. Other columns are taken as true.
    strategy : "global" reconstructs each attribute once, for all classes together; "byclass" for each class; "local",
        or ``Local(...)``, for each class again at each node that is not small; "joint", or ``Joint(...)``, takes some
        attributes together, the others by class
    intervals : of each disguised number. "auto", as in the paper: one for every 100 records, from 10 to 100. Or a
        number; fewer values get one each. Or a dict from columns, true ones too, to their cuts; others get "auto".
        Cuts at or beyond the ends of a domain change nothing. True numbers without cuts get at most 255 intervals.
    stop, smooth, exact : of the reconstruction: see ``reconstruct``. Without a stop the paper's rule holds, but what
        "joint" takes together stops where held-out records are likeliest. That is never smoothed.
    tree : an unfitted ``GiniTreeClassifier``, which says how the tree is grown and pruned; None: by its defaults

    Attributes
    ----------
    tree_ : the fitted ``Tree``
    classes_ : the class labels
    reconstructions_ : for each disguised column a list, the reconstruction of each class in the order of ``classes_``
        (with "global" of all records together). Ship ``tree_``, not these.
    together_ : with "joint": the attributes that were taken together, their ``intervals``, the ``steps`` and the
        ``gain`` in log-likelihood; None if none were found: no column is disguised, or no disguised one helps
    joint_ : with "joint": the ``Distribution`` of the classes and these attributes; None if ``together_`` is None
    n_reconstructions_, n_steps_ : the number of reconstructions of single attributes, those within a tree by "local"
        included, and of their Bayes steps

    >>> from ppdm.data import quest
    >>> from ppdm.disguise import UniformNoise
    >>> X, y = quest(20_000, function=1, rng=1)
    >>> noise = UniformNoise.at_privacy(1.0, low=20, high=80)
    >>> seen = X[["age"]].assign(age=noise.disguise(X["age"], rng=2))
    >>> print(ReconstructedTreeClassifier({"age": noise}, intervals=25).fit(seen, y).tree_.rules())
    age < 39.2          A  4,528 records, 97.9 %
    39.2 ≤ age < 60.8   B  11,012 records, 88.8 %
    age ≥ 60.8          A  4,460 records, 97.2 %
    """

    def __init__(
        self,
        channels: Channel | Mapping[Any, Channel] | Disguise | None = None,
        strategy: Literal["global", "byclass", "local", "joint"] | Local | Joint = "byclass",
        intervals="auto",
        stop=None,
        smooth: float | None = None,
        exact: bool = True,
        tree: GiniTreeClassifier | None = None,
    ):
        self.channels = channels
        self.strategy = strategy
        self.intervals = intervals
        self.stop = stop
        self.smooth = smooth
        self.exact = exact
        self.tree = tree

    def fit(self, X, y) -> Self:
        """Reconstruct, grow and prune; X: disguised records, y: the true class of each."""
        own = GiniTreeClassifier() if self.tree is None else self.tree
        tree = checks.of_type("tree", own, GiniTreeClassifier, "a GiniTreeClassifier, or None for its defaults")
        if tree.intervals != GiniTreeClassifier().intervals:
            raise ValueError(
                f"tree has intervals={tree.intervals!r}; give them to ReconstructedTreeClassifier instead"
            )
        tree.stop_rules()
        checks.flag("exact", self.exact)
        if self.smooth is not None:
            checks.number("smooth", self.smooth, "[0, 1)")
        columns, labels = self._records(X, y)
        self._keep(tree.grow_from(self._table(columns, labels)))
        if self._unmet:
            names = ", ".join(map(repr, dict.fromkeys(self._unmet)))
            number = self.n_reconstructions_ + (self.together_ is not None)
            warnings.warn(
                f"{self._rule!r} was not met within its cap of {self._rule.cap} iterations in {len(self._unmet)} of "
                f"{number} reconstructions (of {names}); their last iterates were taken",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _table(self, columns, labels):
        """The estimated table that the tree grows from."""
        strategy = self.strategy
        if not isinstance(strategy, Local | Joint):
            hint = "or Local(...), or Joint(...)"
            strategy = STRATEGIES[checks.choice("strategy", strategy, STRATEGIES, hint=hint)]
        class_codes, classes = coded_classes(labels)
        read = self._read(columns)
        self._rule = ChiSquareStop() if self.stop is None else self.stop
        self.reconstructions_ = {}
        self._unmet = []
        self.n_reconstructions_ = self.n_steps_ = 0
        self.together_ = self.joint_ = None
        stratum = np.zeros_like(class_codes) if strategy == "global" else class_codes
        codes = {name: column.seen for name, column in read.items()}
        for name, column in read.items():
            if column.matrix is not None:
                codes[name] = np.empty(len(stratum), np.min_scalar_type(column.attribute.n_values))
                self.reconstructions_[name] = column.recode(
                    codes[name], stratum, stratum.max() + 1, self._estimate
                )
        if isinstance(strategy, Joint):
            self._take_together(strategy, read, codes, _class_column(class_codes, classes, read))
        attributes = [column.attribute for column in read.values()]
        table = attributes, classes, list(codes.values()), class_codes
        if not isinstance(strategy, Local):
            return EstimatedTable(*table)
        return LocalTable(
            *table,
            columns=list(read.values()),
            estimate=self._estimate,
            least=strategy.small,
            retain=strategy.retain,
        )

    def _read(self, columns):
        """The columns, those that are disguised with what breaks their ties."""
        if isinstance(self.channels, GroupedResponse):
            hint = "expected channels of columns; for answers in groups take ResponseTreeClassifier"
            raise TypeError(f"channels is {self.channels!r}; {hint}")
        channels = as_disguise(self.channels, columns).by_column()
        if not channels and isinstance(self.channels, Disguise):
            raise ValueError(
                f"channels is {self.channels!r}, which disguises none of the columns {list(columns)}"
            )
        # The paper's number: an interval for about 100 records.
        auto = min(max(len(next(iter(columns.values()))) // 100, 10), 100)
        given = auto if isinstance(self.intervals, str) and self.intervals == "auto" else self.intervals
        cuts, most = given_cuts(given, columns, 1, checks.MAX_BINS, auto, 'or "auto", ')
        read = {}
        for place, (name, column) in enumerate(columns.items(), 1):
            own = cuts.get(name, most if name in channels else None)
            read[name] = Column.of(name, column, channels.get(name), own, self.exact, lots(place))
        return read

    def _estimate(self, column, counts):
        """The reconstruction of some records' true values, from the counts of what is seen of them."""
        found = column.estimate(counts, self._rule, self.smooth or 0.0)
        self.n_reconstructions_ += 1
        self.n_steps_ += found.n_iter
        if not found.converged:
            self._unmet.append(column.attribute.name)
        return found

    def _take_together(self, strategy, columns, codes, classes):
        """Give the records those codes of some attributes that their joint distribution says."""
        if strategy.together is None and not self.reconstructions_:
            return
        found = strategy.search.find(columns, classes, strategy.together)
        if found is None:
            return
        self.together_, grid = found
        stop = FixedStop(self.together_.steps) if self.stop is None else self.stop
        counts = grid.counts()
        mix = grid.mix(counts, FixedStop(strategy.search.mix_steps))
        shares, met = grid.class_shares(counts, mix, stop)
        if not met:
            self._unmet.append(tuple(self.together_.intervals))
        self.joint_ = grid.distribution(shares)
        for name, axis, drawn in zip(self.together_.intervals, grid.columns[1:], grid.draw(shares)):
            if axis.matrix is not None:
                margins = np.array([one.probabilities for one in self.reconstructions_[name]])
                codes[name] = columns[name].within(classes.seen, margins, axis.sizes[0], drawn)


def _class_column(codes, classes, others):
    """The classes as a true column, by a name that no other column has."""
    name = "class"
    while name in others:
        name += " of the record"
    return Column(Attribute.categorical(name, classes.tolist()), np.arange(len(classes) + 1) - 0.5, codes)
