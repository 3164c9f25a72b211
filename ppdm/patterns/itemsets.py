"""Sets of items that are frequent in the true transactions, from disguised ones (DZ03 §4.8).

Agrawal & Srikant (1994), Fast algorithms for mining association rules: a set can be frequent only if all its subsets
are, so that the sets of one item more are looked for among those that can be made of what was found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.stats import norm

from ppdm import checks
from ppdm.disguise.grouped import GroupedResponse
from ppdm.patterns.transactions import Transactions

Keep = Literal["estimate", "possible"]

MOST_SETS = 1 << 20  # of one size


def frequent_itemsets(
    X: pd.DataFrame,
    min_support: float,
    channel: GroupedResponse | None = None,
    most_items: int | None = None,
    confidence: float = 0.95,
    keep: Keep = "estimate",
) -> pd.DataFrame:
    """The sets of items that enough transactions hold, found level by level (Apriori).

    Without a channel supports are counted, and with the default ``keep`` this is the textbook's algorithm. Supports of
    disguised transactions are estimated, as ``reconstruct.estimate`` does: without bias, so that they may lie outside
    [0, 1], and a set may have a larger one than its subsets. These numbers are reported as they are. What is promised
    is that with a set all its subsets are found: one whose own estimate is large enough is left out where a subset's
    is not. The error grows with every group that a set has items in, so that large sets over many groups are told by
    chance rather than by the records: see ``most_items``.

    Parameters
    ----------
    X : transactions, a row each; a column for each item, of 0 and 1 or booleans
    min_support : in (0, 1], the share of the true transactions that a frequent set is in at least
    channel : what disguised them; columns in none of its groups are taken as true, and groups may name columns, such
        as the class, that X does not have. None: nothing was disguised.
    most_items : the number of items that a set has at most; None for any
    confidence : in (0, 1), that of the intervals
    keep : which sets are frequent. "estimate": whose estimated support is large enough; near ``min_support`` half of
        the truly frequent ones are missed and half of the others are reported. "possible": whose interval reaches
        ``min_support``; few truly frequent sets are missed then, and more of what is found is not frequent: a lower
        confidence stands between. Of the 91 sets that hold for 0.3 of the 435 votes, theta 0.9 in three groups, the
        first finds 84 and 8 others, the second all and 60 others (means of 50 disguises).

    Returns
    -------
    A row for each set, small ones first, and of one size the most frequent first: its ``items``, a tuple in the order
    of the columns, its ``support`` and the standard ``error`` of that, both ends, ``low`` and ``high``, of the normal
    interval, its ``size``. Error and interval are those of the share in the population that the transactions were
    drawn from: they cover the draw and the disguise.

    Notes
    -----
    An attribute of more than two values makes an item of each value (``pandas.get_dummies``). Beware of disguising
    these columns: since exactly one of them is 1, three or more in one group show at a glance whether they are
    reversed, and in several groups they give each other away. ``GroupedResponse`` disguises such an attribute as it is,
    and ``reconstruct.estimate`` takes conjunctions of its values.

    >>> baskets = pd.DataFrame({"bread": [1, 1, 1, 0, 1], "milk": [1, 1, 0, 1, 1], "tea": [0, 0, 1, 0, 0]})
    >>> frequent_itemsets(baskets, 0.5)[["items", "support", "size"]]
               items  support  size
    0       (bread,)      0.8     1
    1        (milk,)      0.8     1
    2  (bread, milk)      0.6     2

    >>> channel = GroupedResponse(0.9, [["bread", "tea"], ["milk"]])
    >>> seen = channel.disguise(pd.concat([baskets] * 400), rng=1)
    >>> frequent_itemsets(seen, 0.5, channel).round(3)
               items  support  error    low   high  size
    0       (bread,)    0.796  0.012  0.771  0.820     1
    1        (milk,)    0.793  0.012  0.769  0.817     1
    2  (bread, milk)    0.594  0.016  0.563  0.624     2
    """
    search = Search.checked(min_support, most_items, confidence, keep)
    transactions = Transactions.of(X, channel)
    return frequent_sets(transactions, search).table(transactions, search.reach)


@dataclass(frozen=True)
class Search:
    """Which sets are looked for.

    Attributes
    ----------
    min_support, most_items, keep : as in ``frequent_itemsets``
    reach : how many standard errors an interval reaches to either side
    """

    min_support: float
    most_items: float
    keep: Keep
    reach: float

    @classmethod
    def checked(cls, min_support: Any, most_items: Any, confidence: Any, keep: Any) -> "Search":
        """The search, if its parameters are as they should be."""
        least = checks.number("min_support", min_support, 0, 1, open_low=True)
        most = np.inf if most_items is None else checks.whole("most_items", most_items, 1)
        confidence = checks.number("confidence", confidence, 0, 1, open_low=True, open_high=True)
        checks.choice("keep", keep, ("estimate", "possible"))
        return cls(least, most, keep, float(norm.ppf((1 + confidence) / 2)))

    def keeps(self, value: np.ndarray, error: np.ndarray, least: float) -> np.ndarray:
        """Which of these estimates are large enough."""
        return (value if self.keep == "estimate" else value + self.reach * error) >= least


@dataclass(frozen=True, eq=False)
class ItemSets:
    """Sets of items, with sums over the transactions.

    Attributes
    ----------
    members : a row a set: whether an item belongs to it
    totals, squares : the sum of each set's weights, and of their squares
    number : of transactions
    """

    members: np.ndarray
    totals: np.ndarray
    squares: np.ndarray
    number: float

    @classmethod
    def of(cls, transactions: Transactions, members: np.ndarray) -> "ItemSets":
        """Some sets with their sums."""
        totals, squares = transactions.totals(members), transactions.products(members, members)
        return cls(members, totals, squares, transactions.number)

    @classmethod
    def together(cls, levels: Sequence["ItemSets"]) -> "ItemSets":
        """The sets of all levels."""
        members, totals, squares = (
            np.concatenate([getattr(level, name) for level in levels]) for name in ("members", "totals", "squares")
        )
        return cls(members, totals, squares, levels[0].number)

    def take(self, places: np.ndarray) -> "ItemSets":
        """Some of the sets."""
        return ItemSets(self.members[places], self.totals[places], self.squares[places], self.number)

    @property
    def supports(self) -> np.ndarray:
        """The estimated share of the true transactions that hold each set."""
        return self.totals / self.number

    @property
    def errors(self) -> np.ndarray:
        """The standard error of each support."""
        spread = self.squares - self.totals * self.supports
        return root(spread / (self.number - 1) / self.number)

    @property
    def disguise_errors(self) -> np.ndarray:
        """The part of that error that the disguise makes; 0 where nothing is disguised.

        A weight has the mean 1 or 0, its own square, so its variance under the disguise is the mean of w² − w.
        """
        return root((self.squares - self.totals) / self.number**2)

    def table(self, transactions: Transactions, reach: float) -> pd.DataFrame:
        """The sets with their intervals."""
        values, errors = self.supports, self.errors
        columns = {
            "items": pd.Series(transactions.names(self.members), dtype=object),
            "support": values,
            "error": errors,
            "low": values - reach * errors,
            "high": values + reach * errors,
            "size": self.members.sum(axis=1),
        }
        return pd.DataFrame(columns)


def frequent_sets(transactions: Transactions, search: Search) -> ItemSets:
    """All frequent sets: small ones first, of one size the most frequent first, then in the order of the columns."""
    number = len(transactions.items)
    levels: list[ItemSets] = []
    candidates = np.arange(number)[:, None]
    while len(candidates):
        looked_at = ItemSets.of(transactions, _members(candidates, number))
        kept = search.keeps(looked_at.supports, looked_at.errors, search.min_support)
        by_column = looked_at.members[kept][:, np.argsort(transactions.order)]
        levels.append(looked_at.take(np.flatnonzero(kept)[np.lexsort((*~by_column.T[::-1], -looked_at.totals[kept]))]))
        candidates = one_more(candidates[kept]) if len(levels) < search.most_items else candidates[:0]
    return ItemSets.together(levels)


def one_more(sets: np.ndarray) -> np.ndarray:
    """The sets of one item more that have all their subsets of the former size among the given ones.

    Two sets that differ in their last item only are joined; what has a subset that is not given is left out.

    Parameters
    ----------
    sets : a row a set, places of items in increasing order; rows in lexicographic order, as they are returned

    >>> one_more(np.array([[0, 1], [0, 2], [1, 2], [1, 3]])).tolist()
    [[0, 1, 2]]
    """
    if not len(sets):
        return np.empty((0, sets.shape[1] + 1), dtype=sets.dtype)
    new = np.concatenate([[True], (sets[1:, :-1] != sets[:-1, :-1]).any(axis=1)])
    ends = np.append(np.flatnonzero(new)[1:], len(sets))[np.cumsum(new) - 1]  # of the run with the same first items
    partners = ends - np.arange(len(sets)) - 1
    if partners.sum() > MOST_SETS:
        raise ValueError(
            f"min_support leaves {len(sets):,} sets of {sets.shape[1]} items, and {partners.sum():,} larger ones to "
            f"look at; expected at most {MOST_SETS:,}; raise it, lower most_items, or keep='estimate'"
        )
    first = np.repeat(np.arange(len(sets)), partners)
    steps = np.arange(len(first)) - np.repeat(np.cumsum(partners) - partners, partners)
    joined = np.column_stack([sets[first], sets[first + 1 + steps, -1]])
    known = np.ones(len(joined), dtype=bool)
    for place in range(sets.shape[1] - 1):
        known[known] = places_among(np.delete(joined[known], place, axis=1), sets) >= 0
    return joined[known]


def places_among(rows: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The place of each row among the known ones, which are all different; −1 where it is not among them.

    >>> places_among(np.array([[0, 2], [1, 2]]), np.array([[0, 1], [1, 2]])).tolist()
    [-1, 1]
    """
    own = np.unique(np.concatenate([known, rows]), axis=0, return_inverse=True)[1].ravel()
    place = np.full(len(own), -1)
    place[own[: len(known)]] = np.arange(len(known))
    return place[own[len(known) :]]


def root(variances: np.ndarray) -> np.ndarray:
    """Their square roots; a variance of 0 that rounding, or an estimate, puts below it, is 0."""
    return np.sqrt(np.maximum(variances, 0))


def _members(sets: np.ndarray, number: int) -> np.ndarray:
    members = np.zeros((len(sets), number), dtype=bool)
    np.put_along_axis(members, sets, True, axis=1)
    return members
