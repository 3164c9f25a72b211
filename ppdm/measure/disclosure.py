"""What a release tells of a sensitive column: the privacy-control threshold of LSL03, made computable.

LSL03 accepts a release that prevents complete disclosure and satisfies a threshold (§2), and leaves open how both are
computed. Here an intruder knows the released table, its specification with all laws, and of a person the row or the
true values of the known columns. He links, inverts and guesses:

1. link: released record j is that of person i with weight w_ij ∝ Π P(released q_j | true q_i) over the known columns q;
2. invert: π_j(s) is the probability of the true value s, given what was released as record j;
3. guess: the window, twice the tolerance wide, that holds most of Σ_j w_ij π_j.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ppdm.checks import is_real
from ppdm.information import distinct_codes, ratio
from ppdm.measure.links import coded_values, counts_of, dense, links, rows_of, shares_of
from ppdm.measure.risk import in_blocks
from ppdm.randomness import lots

TARGETS = 1_000  # people whom the intruder looks for; the standard error says what a sample leaves open
VALUES = 10_000  # distinct numbers; neighbours are joined where there are more
STATES = 5_000  # released values that he weighs for each person; neighbours are joined where there are more
LAWS = 40_000_000  # probabilities that are computed for a column
CERTAIN = 0.95
ROUNDING = 1e-9  # shares that differ by less are the same


class Guesses(NamedTuple):
    """How an intruder fares with some people.

    Attributes
    ----------
    named : the share that he guesses right
    error : its standard error
    certain : the share of whom he claims to be 95 % sure
    fixed : the share of whom nothing but the true value is possible
    """

    named: float
    error: float
    certain: float
    fixed: float

    @classmethod
    def of(cls, right, certain, fixed) -> "Guesses":
        """Of guesses that are right or wrong, with the other shares."""
        named = float(np.mean(right))
        return cls(named, float(np.sqrt(named * (1 - named) / len(right))), certain, fixed)

    @property
    def most(self) -> float:
        """The share that he may guess right, two errors added."""
        return min(self.named + 2 * self.error, 1.0)


class Sensitive:
    """A sensitive column, and what each released record tells of its true value.

    Parameters
    ----------
    action : the fitted action of the column
    true, released : the column before and after; released is None if it was dropped
    companion : the column that goes with it, or None
    tolerance : a guess that is off by no more names the value

    Attributes
    ----------
    places : the place of each record's true value among the distinct ones; −1 where it is missing
    marginal : how many records have each of these
    states : what was released of each record, by its number; neighbours have numbers in a row
    complete : how many true values are fixed by what was released of them: complete disclosures (LSL03 §2)
    """

    def __init__(self, action, true, released=None, companion=None, tolerance=0):
        self._action = action
        self._released = released
        exact = distinct_codes(f"column {true.name!r}", true)
        self.places, self._values = coded_values(true, VALUES)
        number = len(self._values)
        # Joined values lie together: a window counts all of them, rather too many than too few.
        self._ends = np.arange(1, number + 1)
        if is_real(true.dtype):
            self._values = np.asarray(self._values, float)
            last = self._values + 2 * tolerance * (1 + ROUNDING)
            self._ends = np.searchsorted(self._values, last, side="right")
        known = self.places >= 0
        self.marginal = np.bincount(self.places[known], minlength=number)
        self.groups = np.zeros(len(true), int) if companion is None else distinct_codes("companion", companion)
        self._shares: Any = None  # P(true value | state), where counts tell it
        if released is None or action.log_law(released[:1], true[known][:1]) is None:
            # What is shuffled or dropped tells its group alone.
            self.states = self.groups
            shape = self.states.max() + 1, number
            self._shares = shares_of(self.states[known], self.places[known], shape)
        else:
            codes, _ = coded_values(released, len(released))
            self.states = codes - codes.min()  # missing values are released as such, too
            _, self._first = np.unique(self.states, return_index=True)
            if action.name == "redraw":
                # The order is the true one: the record at the 700th place has the 700th true value.
                shape = self.states.max() + 1, number
                self._shares = shares_of(np.sort(self.states), np.sort(self.places), shape)
        self.complete = self._completed(exact, known)

    def _completed(self, exact, known):
        """How many true values are fixed; of too many a sample is looked at."""
        # Two true values of one state, even if they were joined to one, leave a doubt.
        kinds = pd.Series(exact).groupby(self.states).transform("nunique")
        alone = kinds.to_numpy() == 1
        if self._action.category != "perturbation" or self._action.name == "shuffle":
            return int((known & alone).sum())
        if self._action.name == "redraw":
            return 0  # it takes the order of all to fix a value
        number = len(self._values)
        some = self.sample(max(LAWS // number, 1))
        looked_at = len(some)
        some = some[alone[some]]
        seen, first, times = np.unique(self.states[some], return_index=True, return_counts=True)
        own = self.places[some[first]]
        found = 0
        for rows in in_blocks(len(seen), number):
            told = dense(self.beliefs(seen[rows]))
            of_own = told[range(len(told)), own[rows]]
            found += times[rows][of_own > 1 - ROUNDING].sum()
        return math.ceil(found * known.sum() / max(looked_at, 1))

    def beliefs(self, states) -> Any:
        """P(true value | what was released): a row for each of these states."""
        if self._shares is not None:
            return self._shares[states]
        alike = np.zeros(len(states), int)
        shown = self._released.iloc[self._first[states]]
        return self._action.posterior(shown, alike, self._values, self.marginal[:, None])

    @property
    def baseline(self) -> float:
        """The share that is named by the marginal distribution alone."""
        shares = self.marginal / self.marginal.sum()
        _, [claim], _ = self.guessed(shares[None])
        return float(claim)

    def linked(self, actions, table, released, companions=None, mates=()) -> Guesses:
        """How he fares by true values of columns whose actions are given by name; None: he knows the row itself.

        ``companions``: of these columns, by name, what goes with those that are shuffled; ``mates``: the columns that
        moved together with this one.
        """
        people = self.sample(TARGETS)
        number = len(self.marginal)
        others = None
        if actions is not None:
            mates = [name for name in mates if name in actions]
            others = {name: own for name, own in actions.items() if own is not self._action}
        if mates:
            return self.judged(self._beside(mates, others, table, released, people, companions), people)
        if not self.states.any():
            others = None  # where all were released alike, no link tells anything
        most = min(LAWS // number, STATES) if self._shares is None else len(table)
        weights = links(others, table, released, people, self.states, companions, most)
        states = np.unique(weights.indices)
        weights = weights[:, states]
        beliefs = np.zeros((len(people), number))
        for rows in in_blocks(len(states), number):
            beliefs += dense(weights[:, rows] @ self.beliefs(states[rows]))
        return self.judged((beliefs[rows] for rows in in_blocks(len(people), number)), people)

    def _beside(self, mates, others, table, released, people, companions):
        """What he believes, block by block, who knows columns that moved along, and perhaps others.

        What moves together is one person's: in the person's group he looks for the known values, and finds the
        sensitive one beside them.
        """
        own, key = rows_of(table[mates].iloc[people], released[mates])
        place, _ = coded_values(self._released, VALUES)
        found = place >= 0
        group = self.groups[found]
        key = key[found]
        place = place[found]
        # Records of one group with the same known values are a pair.
        pair, _ = pd.factorize(group * (key.max() + 1) + key)
        _, first = np.unique(pair, return_index=True)
        group = group[first]
        key = key[first]
        counts = counts_of(pair, place, (len(first), len(self.marginal)))
        sizes = np.bincount(self.groups)
        weights = links(others, table, released, people, self.groups, companions)
        shares = self.marginal / self.marginal.sum()
        for rows in in_blocks(len(people), max(len(key), len(shares))):
            of_pair = dense(weights[rows][:, group]) / sizes[group]
            of_pair[own[rows, None] != key] = 0
            told = of_pair @ counts
            # Without a record that fits he knows the marginal distribution alone.
            yield ratio(told, told.sum(axis=1, keepdims=True), shares)

    def sample(self, most) -> np.ndarray:
        """Some records with a true value; the same at every call."""
        known = np.flatnonzero(self.places >= 0)
        return np.sort(lots(len(known)).permutation(known)[:most])

    def guessed(self, beliefs) -> np.ndarray:
        """The first window that holds most, by its first place; how much it holds; and whether one value has it all."""
        full = dense(beliefs)
        below = np.cumsum(full, axis=1)
        below = np.pad(below, ((0, 0), (1, 0)))
        held = below[:, self._ends] - below[:, :-1]
        most = held.max(axis=1)
        is_best = held > most[:, None] - ROUNDING
        first = is_best.argmax(axis=1)
        sure = full.max(axis=1) > 1 - ROUNDING
        return np.array([first, most, sure])

    def judged(self, beliefs, people) -> Guesses:
        """How good the guesses are by what is believed of these people, block by block."""
        first, claim, sure = np.hstack([*map(self.guessed, beliefs)])
        first = first.astype(int)
        places = self.places[people]
        last = self._ends[first]
        right = (first <= places) & (places < last)
        certain = (claim >= CERTAIN - ROUNDING).mean()
        fixed = (right & (sure > 0)).mean()
        return Guesses.of(right, float(certain), float(fixed))
