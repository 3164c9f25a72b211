"""What goes together in the true transactions, from disguised ones: frequent sets of items and rules (DZ03 §4.8).

A set is a conjunction of ones, so the inverse of the disguise estimates its support: the mean, over the records, of
the product of their weights in all parts of the disguise. The search is that of Agrawal & Srikant (1994), Fast
algorithms for mining association rules: a set can be frequent only if all its subsets are.
"""

from functools import lru_cache
from itertools import combinations, groupby
from math import comb
from typing import Literal

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise import CategoryChannel, as_disguise
from ppdm.estimate import reach

__all__ = ["association_rules", "frequent_itemsets"]

Keep = Literal["estimate", "possible"]
MAX_SETS = MAX_RULES = 1 << 20  # sets of one size; rules of all


def frequent_itemsets(
    X: pd.DataFrame,
    min_support: float,
    channel=None,
    most_items: int | None = None,
    confidence: float = 0.95,
    keep: Keep = "estimate",
) -> pd.DataFrame:
    """Find the sets of items that occur in enough transactions, level by level (Apriori).

    Without a channel supports are counted, and with the default ``keep`` this is the textbook's algorithm. Supports of
    disguised transactions are estimated without bias, so they may lie outside [0, 1], and a set may have a larger one
    than its subsets. A set is left out where the estimate of a subset is too small. The error grows with every part of
    the disguise that a set has items in, so the estimates of large sets are mostly chance: see ``most_items``.

    Parameters
    ----------
    X : transactions, a row each; a column for each item, of 0 and 1 or booleans. An attribute of more than two values
        makes an item of each (``pandas.get_dummies``), but do not disguise these items: exactly one of them is 1, so
        they give each other away. ``GroupedResponse`` disguises such an attribute, ``reconstruct.estimate`` reads it.
    min_support : in (0, 1], the share of the true transactions that a frequent set is in at least
    channel : what disguised them: a GroupedResponse, a dict of channels by column, or a Disguise. Columns that it does
        not disguise are true; groups may name columns, such as the class, that X does not have. None: all are true.
    most_items : the largest number of items of a set; None for any
    confidence : in (0, 1), that of the intervals
    keep : which sets are frequent. "estimate": whose estimated support is large enough; near ``min_support`` half of
        the truly frequent ones are missed and half of the others are reported. "possible": whose interval reaches
        ``min_support``; it misses few truly frequent sets and reports more others. Example: 91 sets have a support of
        0.3 or more in the votes. With theta 0.9 in three groups, "estimate" finds 84 of them and 8 others; "possible"
        finds all, and 60 others.

    Returns
    -------
    A row for each set, small ones first, and of one size the most frequent first: its ``items``, a tuple in the order
    of the columns, its ``support``, the standard ``error`` of that and the ends ``low`` and ``high`` of the normal
    interval, its ``size``. Error and interval are those of the share in the population that the transactions were
    drawn from: they cover the draw and the disguise, not that sets are reported because their estimates are large.

    >>> baskets = pd.DataFrame({"bread": [1, 1, 1, 0, 1], "milk": [1, 1, 0, 1, 1], "tea": [0, 0, 1, 0, 0]})
    >>> frequent_itemsets(baskets, 0.5)[["items", "support", "size"]]
               items  support  size
    0       (bread,)      0.8     1
    1        (milk,)      0.8     1
    2  (bread, milk)      0.6     2

    >>> from ppdm.disguise import GroupedResponse
    >>> channel = GroupedResponse(0.9, [["bread", "tea"], ["milk"]])
    >>> seen = channel.disguise(pd.concat([baskets] * 400), rng=1)
    >>> frequent_itemsets(seen, 0.5, channel).round(3)
               items  support  error    low   high  size
    0       (bread,)    0.807  0.012  0.783  0.831     1
    1        (milk,)    0.798  0.012  0.773  0.822     1
    2  (bread, milk)    0.592  0.016  0.562  0.623     2
    """
    found = _frequent(X, min_support, channel, most_items, confidence, keep)[1]
    return found[["items", "support", "error", "low", "high", "size"]]


def association_rules(
    X: pd.DataFrame,
    min_support: float,
    min_confidence: float,
    channel=None,
    most_items: int | None = None,
    confidence: float = 0.95,
    keep: Keep = "estimate",
) -> pd.DataFrame:
    """The rules "whoever has these items has those, too" that hold often enough (Agrawal & Srikant 1994).

    Every frequent set is divided into two sides in all ways. The confidence of a rule is the support of the whole set
    over that of its ``if`` side. Its standard error is the first-order one of a ratio of means (the delta method): that
    of the mean of w(whole) − confidence × w(if), over the support of ``if``, where w is the weight of a record.

    A ratio means nothing where its denominator may be 0 (in the lift, the ``then`` side). So both sides of a
    rule need a support of more than z times the standard error that the disguise adds; z is that of the intervals, 1.96
    for a confidence of 0.95. Estimates are reported as they are: a confidence can exceed 1.

    Beware: rules are reported because their estimates are large, so with few disguised records their confidences are
    too high on average. With 400 records, theta 0.8 and three groups those of the reported rules were 0.06
    too high, and 90 % of their 95 % intervals held the truth; with 1,000 records 93 to 95 % did.

    Parameters
    ----------
    X, min_support, channel, most_items : as in ``frequent_itemsets``; the support is that of the whole set
    min_confidence : in [0, 1], the share of the true transactions with the ``if`` side that have the ``then`` side too
    confidence : in (0, 1), of the intervals only
    keep : "estimate": estimates must reach ``min_support`` and ``min_confidence``; "possible": the upper ends must

    Returns
    -------
    A row for each rule, the most confident first, then the one of the largest support: its sides, ``if`` and ``then``,
    tuples in the order of the columns; ``support``, of both together; ``confidence``, its standard ``error`` and the
    ends ``low`` and ``high`` of its normal interval; ``lift``, the confidence over the support of ``then``.

    >>> baskets = pd.DataFrame({"bread": [1, 1, 1, 0, 1], "milk": [1, 1, 0, 1, 1], "tea": [0, 0, 1, 0, 0]})
    >>> association_rules(baskets, 0.2, 0.8)[["if", "then", "support", "confidence", "lift"]]
           if      then  support  confidence  lift
    0  (tea,)  (bread,)      0.2         1.0  1.25

    >>> from ppdm.disguise import GroupedResponse
    >>> channel = GroupedResponse(0.9, [["bread", "tea"], ["milk"]])
    >>> seen = channel.disguise(pd.concat([baskets] * 400), rng=1)
    >>> association_rules(seen, 0.15, 0.8, channel).drop(columns="lift").round(3)
           if      then  support  confidence  error    low   high
    0  (tea,)  (bread,)    0.207         1.0  0.031  0.938  1.062
    """
    least = checks.number("min_confidence", min_confidence, "[0, 1]")
    transactions, found = _frequent(X, min_support, channel, most_items, confidence, keep)
    margin = reach(confidence)
    number = transactions.number
    sets = found["items"].array
    supports, totals, squares = (found[name].to_numpy() for name in ("support", "total", "square"))
    # The variance that the disguise adds to a weight is w² − w on average, since the true weight is 0 or 1, its square.
    whole, if_, then = _rules(sets, clear=supports > margin * _root(squares - totals) / number)
    ratio = totals[whole] / totals[if_]
    if keep == "estimate":  # before the errors, which take the time
        whole, if_, then, ratio = (column[ratio >= least] for column in (whole, if_, then, ratio))
    both = transactions.products(sets[whole], sets[if_])
    spread = squares[whole] - 2 * ratio * both + ratio**2 * squares[if_]
    error = _root(spread / (number - 1) / number) / supports[if_]
    columns = {
        "if": sets[if_],
        "then": sets[then],
        "support": supports[whole],
        "confidence": ratio,
        "error": error,
        "low": ratio - margin * error,
        "high": ratio + margin * error,
        "lift": ratio / supports[then],
    }
    rules = pd.DataFrame(columns).sort_values(["confidence", "support"], ascending=False)
    return rules[rules["high"] >= least].reset_index(drop=True)


class Transactions:
    """Transactions, and what each counts for in the support of a set of items."""

    def __init__(self, X, channel=None) -> None:
        self._weights, self._counts = _weights(X, channel)
        self.items = list(X)
        self.number = len(X)

    def totals(self, sets) -> np.ndarray:
        """The estimated number of transactions with each set, and in a second row the sum of the squared weights."""
        return np.array([(w @ self._counts, w * w @ self._counts) for w in map(self._weights, sets)]).T

    def products(self, sets, sides) -> np.ndarray:
        """For pairs of sets the sum of the products of their weights."""
        pairs = [(self._weights(own), self._weights(side)) for own, side in zip(sets, sides)]
        return np.array([own * side @ self._counts for own, side in pairs])


def _weights(X, channel):
    """What each different transaction counts for, as a function of a set of items, and how often each occurs."""
    rows = _checked_items(X).astype(bool).to_numpy()
    # Equal records are counted once: packed into bytes, rows are sorted much faster.
    packed, counts = np.unique(np.packbits(rows, axis=1), axis=0, return_counts=True)
    values = np.unpackbits(packed, axis=1, count=X.shape[1]).T
    # Of a true column what is seen says whether the item is there; of a disguised one it is a code, and one of its two
    # codes says so.
    seen = dict(zip(X.columns, values.astype(bool)))
    one = {}
    disguise = as_disguise(channel, name="channel")
    for column, own in disguise.channels_.items():
        if column not in seen:
            continue
        if not isinstance(own, CategoryChannel) or set(own.categories) != {0, 1}:
            raise ValueError(
                f"channel has {own!r} for column {column!r}; expected a channel of items, 0 and 1; "
                "reconstruct.estimate takes conjunctions of other values"
            )
        seen[column] = own.codes(seen[column].astype(int))
        one[column] = np.arange(2) == own.codes([1])
    if channel is not None and not one:
        raise ValueError(f"channel is {channel!r}, which disguises no column of X ({list(seen)}); expected None")

    @lru_cache(max(1, checks.MAX_CELLS // len(counts)))  # a set is in many rules
    def weights(items) -> np.ndarray:
        """The weight of each transaction for the support of a set: the product of its weights in all parts."""
        product = np.ones(len(counts))
        for part in disguise.parts_:
            inside = {column: one[column] for column in part.columns if column in items}
            if inside:
                product *= part.weights(seen, inside)
        for column in items:
            if column not in one:
                product *= seen[column]
        return product

    return weights, counts


def _frequent(X, min_support, channel, most_items, confidence, keep):
    """The transactions, and all frequent sets: small ones first, and of one size the most frequent."""
    least = checks.number("min_support", min_support, "(0, 1]")
    most = np.inf if most_items is None else checks.whole("most_items", most_items, 1)
    checks.choice("keep", keep, ("estimate", "possible"))
    transactions = X if hasattr(X, "totals") else Transactions(X, channel)
    margin = reach(confidence)
    number = transactions.number
    levels = []
    candidates = [(column,) for column in transactions.items]
    while candidates:
        size = len(candidates[0])
        total, square = transactions.totals(candidates)
        support = total / number
        error = _root((square - total * support) / (number - 1) / number)
        level = pd.DataFrame(
            {
                "items": candidates,
                "size": size,
                "total": total,
                "square": square,
                "support": support,
                "error": error,
                "low": support - margin * error,
                "high": support + margin * error,
            }
        )
        level = level[level["support" if keep == "estimate" else "high"] >= least]
        levels.append(level.sort_values("total", ascending=False, kind="stable"))
        candidates = _one_more([*level["items"]]) if size < most else []
    return transactions, pd.concat(levels, ignore_index=True)


def _one_more(sets):
    """The sets of one item more of which all subsets are given: two sets are joined that differ in their last item."""
    runs = [[*run] for _, run in groupby(sets, key=lambda items: items[:-1])]  # which have the same first items
    if (number := sum(comb(len(run), 2) for run in runs)) > MAX_SETS:
        raise ValueError(
            f"min_support leaves {len(sets):,} sets of {len(sets[0])} items, and {number:,} larger ones to look at; "
            f"expected at most {MAX_SETS:,}; raise it, lower most_items, or keep='estimate'"
        )
    joined = [(*one, other[-1]) for run in runs for one, other in combinations(run, 2)]
    known = set(sets)
    return [items for items in joined if known.issuperset(combinations(items, len(items) - 1))]


def _rules(sets, clear):
    """All rules of which both sides are clear: the places of whole sets, of ``if`` sides and of ``then`` sides."""
    if (number := sum(2 ** len(items) - 2 for items in sets)) > MAX_RULES:
        raise ValueError(
            f"min_support leaves {len(sets):,} frequent sets, which make {number:,} rules; expected at most "
            f"{MAX_RULES:,}; raise it, or lower most_items"
        )
    place_of = {items: place for place, items in enumerate(sets)}
    rules = []
    for whole, items in enumerate(sets):
        for side in (side for size in range(1, len(items)) for side in combinations(items, size)):
            if_ = place_of[side]
            then = place_of[tuple(item for item in items if item not in side)]
            if clear[if_] and clear[then]:
                rules.append((whole, if_, then))
    return np.array(sorted(rules), dtype=int).reshape(-1, 3).T


def _root(variances):
    return np.sqrt(np.maximum(variances, 0))  # rounding, or an estimate, may put a variance of 0 below it


def _checked_items(X):
    """The table, if it has two records or more and nothing but 0 and 1, or booleans."""
    if len(checks.frame("X", X)) < 2:
        raise ValueError("X has one transaction; expected two or more: one does not tell how sure a support is")
    for name, column in X.items():
        expected = (
            "items as the numbers 0 and 1, or booleans: convert it, or see data.BinaryCuts, or pandas.get_dummies for "
            "a column of each value"
        )
        # Booleans are numbers here. Of text and objects every value is wrong, even where it equals 0 or 1.
        wrong = ~column.isin([0, 1]) if pd.api.types.is_numeric_dtype(column) else np.ones(len(column))
        checks.none_wrong(
            f"column {name!r}", column, wrong, f"values of type {column.dtype} that are no items", expected
        )
    return X
