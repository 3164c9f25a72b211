"""Noise that knows a tree (Islam & Brankovic 2003): in the classes of a leaf, and in attributes that it does not test.

An attribute is *innocent* for a leaf if no test on the way there reads it: if it changes, records stay in their leaves.
"""

from typing import Any

import numpy as np
import pandas as pd

from ppdm import checks, randomness
from ppdm.disguise.laws import LeafLaw
from ppdm.disguise.proportional import SHARE, channels_of, given_noise
from ppdm.disguise.release import warn
from ppdm.disguise.released import bare, hashed, row_warnings
from ppdm.information import coded
from ppdm.randomness import Rng

METHODS = ("random", "probabilistic", "all")
# Whether attributes get noise that are tested nowhere in the tree; and those that are tested on other ways alone.
INNOCENT = {"total": (True, False), "leaf": (False, True), "both": (True, True), None: (False, False)}


def leaf_noise(tree, X, y, method: str = "random", rng: Rng = None) -> Any:
    """The classes with noise in the leaves of a tree (IB03 §3.1); a Series keeps its index, name and dtype.

    Parameters
    ----------
    tree, X, y, method : as for ``LeafNoise``, which tells the laws of this noise, too
    rng : a seed or Generator for a study; None: the system's secure source

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from ppdm.data import load
    >>> table = load("pima")
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(table.X, table.y)
    >>> noisy = leaf_noise(tree, table.X, table.y, rng=1)
    >>> int((noisy != table.y).sum()), noisy.value_counts().to_dict()
    (250, {'negative': 500, 'positive': 268})
    """
    checks.choice("method", method, METHODS)
    found = LeafNoise(tree, X, y, method).labels(rng)
    return found if isinstance(y, pd.Series) else found.to_numpy(np.asarray(y).dtype)


class LeafNoise:
    """What IB03 releases of some records: noise in the classes of a tree's leaves, in innocent attributes, or in both.

    Classes, E(N) changes on average by each method (§3.1; two classes there, any number here):

    - "random": the classes of each leaf change places at random, so that each leaf keeps its counts
    - "probabilistic": each record draws its class by the shares of its leaf
    - "all": every record changes to another class with the probability E(N) / N, whatever its leaf
    - None: classes stay

    Attributes (§3.2): a *total* innocent attribute (TIA) is tested nowhere in the tree, a *leaf* innocent attribute
    (LIA) elsewhere in it, but not on the way to the record's leaf.

    Leaves hold the given records, as the tree's ``apply`` says; its own counts do not matter. A record whose way needs
    a missing value stands in several leaves: its class goes with the leaf that has most of it, and only attributes that
    are tested nowhere are innocent for it. Missing values stay missing. A column with a single value stays.

    Parameters
    ----------
    tree : fitted: a ``Tree``, a classifier that has one, or a tree of scikit-learn
    X : the records, a DataFrame, or an array in the order of the tree's attributes
    y : a class for each record
    method : "random", "probabilistic", "all" or None
    innocent : which attributes get noise: "total", "leaf", "both" or None
    noise : a number: its standard deviation as a share of the value. Numbers get ``ProportionalNoise`` on a domain
        that is taken from the data, categories are replaced with that probability. Or a channel for all attributes; or
        a dict from columns to channels, beside which others get the paper's 0.276
    mixed_only : True leaves the attributes of records in homogeneous leaves as they are

    Attributes
    ----------
    X, y : the records and their classes
    leaf : the leaf of each record
    counts : how many records of each class (columns) are in each leaf (rows)
    law : of the class noise, in closed form: ``sd`` of the number of changes, ``changes()`` with all its probabilities,
        ``totals()`` of the classes, ``total(column)`` with all probabilities of one of them
    tested : whether each attribute (columns) is tested on the way of each record (rows); all others are innocent
    noisy : whether it gets noise
    channels : the channel of each attribute that gets noise somewhere
    """

    def __init__(
        self,
        tree,
        X,
        y,
        method: str | None = "random",
        innocent=None,
        noise: Any = SHARE,
        mixed_only: bool = False,
    ):
        self.method = checks.choice("method", method, (*METHODS, None))
        total, elsewhere = INNOCENT[checks.choice("innocent", innocent, INNOCENT)]
        checks.flag("mixed_only", mixed_only)
        self.X = _table(tree, X)
        labels = checks.labels("y", y)
        checks.same_length("y", labels, "X", self.X)
        # A category dtype keeps what it is; scikit-learn's labels may be an array.
        self.y = y.copy(deep=False) if isinstance(y, pd.Series) else pd.Series(labels, self.X.index, name="class")
        given = given_noise(noise, self.X)
        self.leaf, tested, anywhere = _paths(tree, self.X)
        self._codes, self._classes = coded("y", labels, sort=True)
        counts = pd.crosstab(self.leaf, self._codes, rownames=["leaf"])
        names = pd.Index(self._classes, name="class", tupleize_cols=False)
        self.counts = counts.set_axis(names, axis=1)
        self._place = np.searchsorted(self.counts.index, self.leaf)
        self.law = LeafLaw(self.counts.to_numpy(), method)
        missing = self.X.isna().to_numpy()
        # A record that stands in several leaves may have come by any test of the tree.
        divided = (tested & missing).any(axis=1)
        tested = tested | anywhere & divided[:, None]
        self.tested = pd.DataFrame(tested, self.X.index, self.X.columns)
        wanted = ~tested & ~missing & np.where(anywhere, elsewhere, total)
        if mixed_only:
            wanted &= self.law.mixed[self._place][:, None]
        self.channels = channels_of(*given, self.X.loc[:, wanted.any(axis=0)])
        wanted &= self.X.columns.isin(list(self.channels))
        self.noisy = pd.DataFrame(wanted, self.X.index, self.X.columns)

    def __repr__(self):
        what = f"classes {self.method!r}, {self.expected:.4g} changes expected" if self.method else "classes kept"
        return f"LeafNoise({len(self.X)} records in {len(self.counts)} leaves; {what}; {len(self.channels)} attributes)"

    @property
    def expected(self) -> float:
        """E(N), the expected number of changed classes: in the paper's letters Σ 2mn / (m + n)."""
        return self.law.expected

    def security(self) -> pd.DataFrame:
        """For each record, how uncertain its class is after the release (§3.1).

        - changed: the probability that its class is changed
        - believed: the probability that an intruder gives to its true class, on average, if he knows tree, method and
          the class shares of its leaf. 1 is no security
        """
        changed, believed = self.law.security()
        own = self._place, self._codes
        told = {"leaf": self.leaf, "changed": changed[own], "believed": believed[own]}
        return pd.DataFrame(told, self.X.index)

    def beliefs(self, labels) -> pd.DataFrame:
        """What released classes tell of true ones: the probability of each true class (columns) for each record.

        "random" and "probabilistic" tell no more of a record than the shares of its leaf; "all" tells more. The shares
        are those of the release, taken as they are: of small leaves that is surer than anybody can be.
        """
        seen = checks.places("labels", checks.labels("labels", labels), self._classes)
        checks.same_length("labels", seen, "X", self.X)
        checks.none_wrong("labels", seen, seen < 0, "that are none of the classes", "classes of y")
        shown = np.zeros(self.counts.shape)
        np.add.at(shown, (self._place, seen), 1)
        shares = shown / shown.sum(axis=1, keepdims=True)
        if self.method == "all":
            # What a leaf shows is inverted first, because noise blurred its shares.
            matrix = self.law.matrix
            prior = np.maximum(shares @ np.linalg.pinv(matrix), 0)
            found = prior[self._place] * matrix[:, seen].T
        elif self.method:
            found = shares[self._place]
        else:
            found = np.eye(len(self._classes))[seen]
        found = found / found.sum(axis=1, keepdims=True)
        return pd.DataFrame(found, self.X.index, self.counts.columns)

    def labels(self, rng: Rng = None) -> Any:
        """The classes with noise: a Series with the index, name and dtype of y."""
        return self._labels(self._source(rng))

    def release(self, rng: Rng = None, shuffle: bool = False) -> tuple[pd.DataFrame, pd.Series]:
        """The combined release (§3.2): the table with noise in innocent attributes, and the classes with theirs.

        ``shuffle`` True gives both in one random order, with a new index. Else rows stay in their order, and a warning
        says where that tells what the noise hides.
        """
        checks.flag("shuffle", shuffle)
        source = self._source(rng)
        labels = self._labels(source)
        released = self.X.copy(deep=False)
        codes = []
        for name, channel in self.channels.items():
            rows = self.noisy[name].to_numpy()
            own = self.X[name][rows]
            noisy = channel.disguise(own, source)
            released[name] = _joined(self.X[name], rows, noisy)
            hidden = np.full(len(rows), np.nan)
            hidden[rows] = channel.true_codes(own)
            codes.append((name, hidden))
        released = bare(released)
        if shuffle:
            order = randomness.permutation(len(released), source)
            released = released.iloc[order].reset_index(drop=True)
            labels = labels.iloc[order].reset_index(drop=True)
            return released, labels
        told = "a mean over neighbouring rows removes its noise; choose shuffle=True"
        warn(*row_warnings(codes, self.X.index, told))
        return released, labels

    def _source(self, rng):
        how = [repr(self), repr(self.channels), self.noisy.to_numpy(), self.leaf]
        return randomness.stream(rng, told=[*how, hashed(self.X), self._codes])

    def _labels(self, source):
        source = self._origin(randomness.uniform(len(self.X), source))
        return self.y.iloc[source].set_axis(self.y.index)

    def _origin(self, chance):
        """The record from which each one takes its class."""
        rows = np.arange(len(self.X))
        if self.method is None:
            return rows
        if self.method == "all":
            p = self.law.chance
            others = len(self._classes) - 1
            # What is below p stands for another class, all as likely.
            other = np.minimum(chance / (p or 1.0) * others, others - 1).astype(int)
            other += other >= self._codes  # the record's own class is left out
            _, first = np.unique(self._codes, return_index=True)
            return np.where(chance < p, first[other % len(first)], rows)
        # Records of a leaf side by side.
        order = np.argsort(self._place, kind="stable")
        if self.method == "random":
            origin = np.empty_like(rows)
            origin[order] = np.lexsort((chance, self._place))
            return origin
        # Any record of the same leaf, all as likely.
        starts = np.searchsorted(self._place[order], self._place)
        drawn = chance * self.law.sizes[self._place]
        return order[starts + drawn.astype(int)]


def _joined(column, rows, noisy):
    """A column that is noisy in these rows, with a dtype that has room for both."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        # The channel may release categories that the column does not have.
        more = noisy.dtype.categories.difference(column.dtype.categories, sort=False)
        column = column.cat.add_categories(more)
        noisy = noisy.astype(column.dtype)
    # Joined, because noise may make floats of whole numbers; and put back in the order of the rows.
    order = np.argsort(rows, kind="stable")
    return pd.concat([column[~rows], noisy]).iloc[np.argsort(order)]


def _table(tree, X):
    """The records as a DataFrame; columns of an array are named as the tree names its attributes."""
    if isinstance(X, pd.DataFrame):
        # What is done to the table later does not matter.
        return checks.frame("X", X).copy(deep=False)
    array = checks.plain("X", X, 2, "two, a row for each record")
    known = getattr(getattr(tree, "tree_", tree), "attributes", None)
    names = range(array.shape[1]) if known is None else [test.name for test in known]
    return checks.frame("X", array, list(getattr(tree, "feature_names_in_", names)))


def _paths(tree, X):
    """The leaf of each record; which columns are tested on the way to it; and which anywhere in the tree."""
    model = getattr(tree, "tree_", tree)
    if hasattr(model, "path_attributes") and not isinstance(model, type):
        leaf = model.apply(X)
        leaves, place = np.unique(leaf, return_inverse=True)
        tested = np.array([X.columns.isin(model.path_attributes(node)) for node in leaves])
        return leaf, tested[place], X.columns.isin(model.tested_attributes)
    if not hasattr(model, "children_left") or not hasattr(tree, "n_features_in_"):
        kind = type(tree).__name__
        raise TypeError(
            f"tree is a {kind}; expected a fitted tree: a Tree, a classifier that has one, or scikit-learn's"
        )
    known = getattr(tree, "feature_names_in_", None)
    columns = X.columns if known is None else checks.columns("the tree", known, X.columns)
    try:
        table = X[columns].to_numpy(float, na_value=np.nan)
    except (TypeError, ValueError):  # which may show a value
        raise TypeError("X holds text or the like in columns of the tree; expected numbers") from None
    # Of a table scikit-learn wants the names of its fit.
    table = table if known is None else pd.DataFrame(table, columns=columns)
    # Which column each node tests: the table may have others, in another order.
    tests = np.equal.outer(model.feature, checks.places("X", X.columns, columns))
    tested = tree.decision_path(table) @ tests > 0
    return tree.apply(table), tested, tests.any(axis=0)
