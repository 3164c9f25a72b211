"""Association rules between items of the true transactions, from disguised ones (DZ03 §4.8)."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ppdm import checks
from ppdm.disguise.grouped import GroupedResponse
from ppdm.patterns.itemsets import ItemSets, Keep, Search, frequent_sets, places_among, root
from ppdm.patterns.transactions import Transactions

MOST_RULES = 1 << 20


def association_rules(
    X: pd.DataFrame,
    min_support: float,
    min_confidence: float,
    channel: GroupedResponse | None = None,
    most_items: int | None = None,
    confidence: float = 0.95,
    keep: Keep = "estimate",
) -> pd.DataFrame:
    """The rules "who has these items has those too" that hold often enough (Agrawal & Srikant 1994).

    Every frequent set is parted in two in all ways, both sides with an item at least. The confidence of a rule is the
    support of the whole set over that of its ``if`` side. Its standard error is the first-order one of a ratio of means
    (the delta method): that of the mean of w(whole) − confidence × w(if), over the support of ``if``, w being what each
    record counts for, so that it knows how both supports vary together.

    A ratio means nothing where what is below may be 0: with a disguise, rules are made only where the supports of both
    sides exceed 0 by more than the disguise could do, by as many of its own standard errors as the intervals reach.
    (The ``then`` side is below in the lift.) Where nothing is disguised every support that was found is a count above
    0, and all rules are made. What is estimated is reported as it is, so that a confidence can exceed 1.

    Parameters
    ----------
    X, min_support, channel, most_items : as in ``frequent_itemsets``; the support is that of the whole set
    min_confidence : in [0, 1], the share of the true transactions with the ``if`` side that have the ``then`` side too
    confidence : in (0, 1), that of the intervals, and of nothing else
    keep : "estimate": what is estimated must reach ``min_support`` and ``min_confidence``; "possible": the upper ends
        of their intervals must. See ``frequent_itemsets``.

    Returns
    -------
    A row for each rule, the most confident first, and with equal confidence the one of the largest support: its sides,
    ``if`` and ``then``, tuples in the order of the columns; ``support``, of both together; ``confidence``, its standard
    ``error``, both ends, ``low`` and ``high``, of its normal interval; ``lift``, the confidence over the support of
    ``then``.

    >>> baskets = pd.DataFrame({"bread": [1, 1, 1, 0, 1], "milk": [1, 1, 0, 1, 1], "tea": [0, 0, 1, 0, 0]})
    >>> association_rules(baskets, 0.2, 0.8)[["if", "then", "support", "confidence", "lift"]]
           if      then  support  confidence  lift
    0  (tea,)  (bread,)      0.2         1.0  1.25

    >>> channel = GroupedResponse(0.9, [["bread", "tea"], ["milk"]])
    >>> seen = channel.disguise(pd.concat([baskets] * 400), rng=1)
    >>> association_rules(seen, 0.15, 0.8, channel).drop(columns="lift").round(3)
           if      then  support  confidence  error    low   high
    0  (tea,)  (bread,)    0.198       0.988  0.032  0.924  1.051
    """
    search = Search.checked(min_support, most_items, confidence, keep)
    least = checks.number("min_confidence", min_confidence, 0, 1)
    transactions = Transactions.of(X, channel)
    found = frequent_sets(transactions, search)
    rules = _Rules.of(found, search.reach)
    if search.keep == "estimate":  # before the errors, which take the time
        rules = rules.where(rules.confidences >= least)
    errors = rules.errors(transactions)
    kept = search.keeps(rules.confidences, errors, least)
    return rules.where(kept).table(errors[kept], transactions, search.reach)


@dataclass(frozen=True, eq=False)
class _Rules:
    """Rules, as places among the frequent sets: of the whole set, of its ``if`` side and of its ``then`` side."""

    found: ItemSets
    whole: np.ndarray
    if_: np.ndarray
    then: np.ndarray

    @classmethod
    def of(cls, found: ItemSets, reach: float) -> "_Rules":
        """All rules of which both sides are clearly above 0."""
        sizes = found.members.sum(axis=1)
        number = int((2.0**sizes - 2).sum())
        if number > MOST_RULES:
            raise ValueError(
                f"min_support leaves {len(sizes):,} frequent sets, which make {number:,} rules; expected at most "
                f"{MOST_RULES:,}; raise it, or lower most_items"
            )
        whole = np.repeat(np.arange(len(sizes)), 2**sizes - 2)
        parts = [_sides(found.members[sizes == size]) for size in np.unique(sizes[sizes > 1])]
        sides = np.concatenate([np.empty((0, found.members.shape[1]), dtype=bool), *parts])
        known, *parts = (np.packbits(part, axis=1) for part in (found.members, sides, found.members[whole] & ~sides))
        if_, then = (places_among(part, known) for part in parts)
        clear = found.supports > reach * found.disguise_errors
        return cls(found, whole, if_, then).where(clear[if_] & clear[then])

    def where(self, kept: np.ndarray) -> "_Rules":
        """Some of the rules."""
        return _Rules(self.found, self.whole[kept], self.if_[kept], self.then[kept])

    @property
    def confidences(self) -> np.ndarray:
        """The estimated share of the transactions with the one side that have the other too."""
        return self.found.totals[self.whole] / self.found.totals[self.if_]

    def errors(self, transactions: Transactions) -> np.ndarray:
        """The standard error of each confidence."""
        members, squares, ratio = self.found.members, self.found.squares, self.confidences
        both = transactions.products(members[self.whole], members[self.if_])
        spread = squares[self.whole] - 2 * ratio * both + ratio**2 * squares[self.if_]
        number = self.found.number
        return root(spread / (number - 1) / number) / self.found.supports[self.if_]

    def table(self, errors: np.ndarray, transactions: Transactions, reach: float) -> pd.DataFrame:
        """The rules in order, with the intervals of their confidences."""
        names = pd.Series(transactions.names(self.found.members), dtype=object)
        values, supports = self.confidences, self.found.supports
        columns = {
            "if": names[self.if_].array,
            "then": names[self.then].array,
            "support": supports[self.whole],
            "confidence": values,
            "error": errors,
            "low": values - reach * errors,
            "high": values + reach * errors,
            "lift": values / supports[self.then],
        }
        order = np.lexsort((self.if_, self.whole, -supports[self.whole], -values))
        return pd.DataFrame(columns).iloc[order].reset_index(drop=True)


def _sides(members: np.ndarray) -> np.ndarray:
    """For sets of one size: each of their proper subsets that is not empty, set by set."""
    size = int(members[0].sum())
    choices = (np.arange(1, 2**size - 1)[:, None] >> np.arange(size) & 1).astype(bool)
    sides = np.zeros((len(members), len(choices), members.shape[1]), dtype=bool)
    items = np.nonzero(members)[1].reshape(len(members), 1, size)
    np.put_along_axis(sides, np.broadcast_to(items, (len(members), *choices.shape)), choices[None], axis=2)
    return sides.reshape(-1, members.shape[1])
