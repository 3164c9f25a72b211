"""What a release tells of a sensitive column: the privacy-control threshold of LSL03, made computable.

LSL03 accepts a release that prevents complete disclosure and satisfies a threshold (§2), and leaves open how both are
computed. Here an intruder knows the released table, its specification with all laws, and of a person the row or the
true values of the known columns. He links, inverts and guesses:

1. link: released record j is that of person i with weight w_ij ∝ Π P(released q_j | true q_i) over the known columns q;
2. invert: π_j(s) is the probability of the true value s, given what was released as record j;
3. guess: the window, twice the tolerance wide, that holds most of Σ_j w_ij π_j.
"""

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_any_real_numeric_dtype as is_number
from scipy import sparse
from scipy.special import softmax
from sklearn.ensemble import RandomForestClassifier

from ppdm.measure.risk import distinct_codes, in_blocks
from ppdm.randomness import lots

TARGETS = 1_000  # people whom the intruder looks for; the standard error says what a sample leaves open
LEARNT = 3_000  # records that he learns from, to infer a column from the others
VALUES = 1_000  # distinct numbers; neighbours are joined where there are more
STATES = 2_000
CELLS = 64  # that a forest tells apart
LEAST = 10  # records, to learn from
CERTAIN = 0.95
DEFAULT = 0.05  # of a number's range: the tolerance where none is given
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
    states : what was released of each record, by its number
    beliefs : P(true value | what was released), with a row for each state
    complete : how many true values are fixed by what was released of them: complete disclosures (LSL03 §2)
    """

    def __init__(self, action, true, released=None, companion=None, tolerance=0) -> None:
        self._action = action
        self._released = released
        self._companion = companion
        exact = distinct_codes(f"column {true.name!r}", true)
        self.places, values = _coded(true, VALUES)
        number = len(values)
        # Joined values lie together: a window counts all of them, rather too many than too few.
        self._ends = np.arange(1, number + 1)
        if is_number(true.dtype):
            values = np.asarray(values, float)
            self._ends = np.searchsorted(values, values + 2 * tolerance * (1 + ROUNDING), side="right")
        known = self.places >= 0
        self.marginal = np.bincount(self.places[known], minlength=number)
        if released is None or action.log_law(released[:1], true[known][:1]) is None:
            # What is shuffled or dropped tells its group alone.
            groups = np.zeros(len(true)) if companion is None else companion
            self.states = distinct_codes("companion", groups)
            pairs = self.states[known], self.places[known]
            ones = np.ones(known.sum())
            shape = self.states.max() + 1, number
            counts = sparse.csr_array((ones, pairs), shape)
            # Of a group without a known value nothing is told.
            sizes = np.maximum(counts.sum(axis=1), 1)
            self.beliefs = sparse.diags_array(1 / sizes) @ counts
        else:
            codes = _coded(released, STATES)[0]
            _, first, self.states = np.unique(codes, return_index=True, return_inverse=True)
            alike = np.zeros(len(first), int)
            self.beliefs = action.posterior(released.iloc[first], alike, values, self.marginal[:, None])
            known &= self.beliefs[self.states, self.places] > 1 - ROUNDING
        # Two true values of one state, even if they were joined or redrawn to one, leave a doubt.
        alone = pd.Series(exact).groupby(self.states).transform("nunique") == 1
        self.complete = int((known & alone).sum())

    @property
    def baseline(self) -> float:
        """The share that is named by the marginal distribution alone."""
        shares = self.marginal / self.marginal.sum()
        _, claim, _ = self._guessed(shares[None])
        return float(claim[0])

    def linked(self, actions, table, released) -> Guesses:
        """How he fares by true values of columns whose actions are given by name; None: he knows the row itself."""
        people = self._sample(TARGETS)
        which: Any = slice(None)
        states, beliefs, number = self.states, self.beliefs, len(self.marginal)
        moved = [column for column, action in (actions or {}).items() if action is self._action]
        if moved:
            # What moves together is one person's: who finds the known value has the sensitive one beside it.
            moved.append(getattr(self._companion, "name", None))
            actions = {column: None for column in actions if column in moved}
            states = _coded(self._released, VALUES)[0] % (number + 1)  # the last one stands for missing values
            beliefs = sparse.eye_array(number + 1, number, format="csr")
        if actions is None or beliefs.shape[0] == 1:
            # Nothing but the state counts, so that each one is looked at once.
            seen, which = np.unique(states[people], return_inverse=True)
            told: Any = (beliefs[seen[rows]] for rows in in_blocks(len(seen), number))
        else:
            told = links(actions, table, released, people, states, beliefs)
        found = [self._guessed(block) for block in told]
        return self._judged(np.hstack(found)[:, which], people)

    def inferred(self, others) -> Guesses | None:
        """How he fares by what the other released columns tell of this one, learnt by a random forest.

        He has such records of other people from elsewhere, with their true values. Whatever is done to this column,
        this path stays open. Every guess is made by those trees that did not see the record (out of bag).
        """
        some = self._sample(LEARNT)
        if len(some) < LEAST or others.empty:
            return None
        number = len(self.marginal)
        cells = np.arange(number) * min(number, CELLS) // number
        features = others.iloc[some].apply(lambda column: pd.factorize(column, sort=True)[0])
        forest = RandomForestClassifier(min_samples_leaf=5, oob_score=True, random_state=0)
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # that few records lie in many cells
            forest.fit(features.to_numpy(), cells[self.places[some]])
        # Within a cell the marginal distribution is all that he knows.
        own = forest.classes_[:, None] == cells
        within = self.marginal * own
        within = within / within.sum(axis=1, keepdims=True)
        shares = forest.oob_decision_function_
        found = [self._guessed(shares[rows] @ within) for rows in in_blocks(len(some), number)]
        return self._judged(np.hstack(found), some)

    def _sample(self, most):
        """Some records with a true value; the same at every call."""
        known = np.flatnonzero(self.places >= 0)
        return np.sort(lots(len(known)).permutation(known)[:most])

    def _guessed(self, beliefs):
        """The first window that holds most, by its first place; how much it holds; and whether one value has it all."""
        dense = beliefs.toarray() if sparse.issparse(beliefs) else beliefs
        below = np.cumsum(dense, axis=1)
        below = np.pad(below, ((0, 0), (1, 0)))
        held = below[:, self._ends] - below[:, :-1]
        most = held.max(axis=1)
        is_best = held > most[:, None] - ROUNDING
        sure = dense.max(axis=1) > 1 - ROUNDING
        return np.array([is_best.argmax(axis=1), most, sure])

    def _judged(self, guesses, people):
        """How good some guesses are, one for each of these people."""
        first, claim, sure = guesses
        first = first.astype(int)
        places = self.places[people]
        right = (first <= places) & (places < self._ends[first])
        named = right.mean()
        error = np.sqrt(named * (1 - named) / len(people))
        certain = (claim >= CERTAIN).mean()
        fixed = (right & (sure > 0)).mean()
        shares = named, error, certain, fixed
        return Guesses(*map(float, shares))


def learnt(specification, name, table, released, seen=None) -> dict:
    """What an intruder learns of a sensitive column by both ways, and the verdict if there is a threshold.

    ``seen``: what was released, as a forest can take it. None for links alone, which may refute, but not hold, a
    threshold.
    """
    own = specification.settings_["columns"][name]
    actions = specification.actions_
    true = table[name]
    if true.isna().all():
        return {}
    known = specification.settings_["known"]
    if known is not None:
        # Who knows the sensitive value itself need not guess it.
        known = {column: actions[column] for column in known if column != name}
    companion = specification.companion(name, table)
    sensitive = Sensitive(actions[name], true, released.get(name), companion, own["tolerance"])
    linked = sensitive.linked(known, table, released)
    row = {"baseline": sensitive.baseline, "complete": sensitive.complete, **linked._asdict()}
    row["at most"] = linked.most
    if seen is not None:
        # What moved along is another person's.
        others = [column for column in seen if actions[column] is not actions[name]]
        if inferred := sensitive.inferred(seen[others]):
            row |= {"inferred": inferred.named, "at most": max(linked.most, inferred.most)}
    # The default tolerance would tell the range of the true values.
    if not is_number(true.dtype) or not np.isclose(
        own["tolerance"], DEFAULT * np.ptp(true.dropna().astype(float))
    ):
        row["tolerance"] = own["tolerance"]
    if own["threshold"] is not None:
        row["threshold"] = own["threshold"]
        if row["at most"] > own["threshold"]:
            row["verdict"] = "not held"
        elif seen is not None:
            row["verdict"] = "held"
    return row


def links(actions, table, released, people, states, beliefs) -> Iterator[np.ndarray]:
    """What he believes of people, block by block, who knows true values of columns, given with their actions.

    Columns that are kept must be equal, and those without an action. Dropped and shuffled ones tell nothing.
    """
    equal = [column for column, action in actions.items() if action is None or action.name == "keep"]
    both = pd.concat([table[equal].iloc[people], released[equal]])
    own, key = np.split(_groups(both), [len(people)])
    laws, seen = [], [key, states]
    for column in released.columns.intersection(list(actions)).difference(equal, sort=False):
        codes, distinct = pd.factorize(released[column], use_na_sentinel=False)
        true = table[column].iloc[people]
        if actions[column].log_law(distinct[:1], true[:1]) is not None:
            laws.append((actions[column].log_law, distinct, true))
            seen.append(codes)
    # Records that look alike are looked at together.
    near = pd.DataFrame(dict(enumerate(seen)))[np.isin(key, own)]
    near = near.groupby([*near], sort=False).size().reset_index(name="size")
    key, state, *seen, size = near.to_numpy().T
    of_state = sparse.eye_array(beliefs.shape[0], format="csr")[state]
    for rows in in_blocks(len(people), max(len(size), *beliefs.shape)):
        score = np.where(own[rows, None] == key, np.log(size), -np.inf)
        for (law, distinct, true), codes in zip(laws, seen):
            chances = law(distinct, true.iloc[rows])
            score += chances[:, codes]
        if np.isneginf(score.max(axis=1, initial=-np.inf)).any():
            raise ValueError("released has rows that cannot stem from table; expected what was released of it")
        yield softmax(score, axis=1) @ of_state @ beliefs


def anonymity(table) -> tuple[int, int]:
    """The size of the smallest group of equal rows, and how many rows equal no other."""
    sizes = np.bincount(_groups(table))
    return int(sizes.min()), int((sizes == 1).sum())


def _groups(table):
    """The number of each row among the distinct ones; 0 if there are no columns."""
    codes = np.zeros(len(table), int)
    for name, column in table.items():
        own = distinct_codes(f"column {name!r}", column)
        # Numbered anew after each column, so that no number becomes too large.
        codes = pd.factorize(codes * (own.max() + 1) + own)[0]
    return codes


def _coded(values, most):
    """The place of each value among the distinct ones, −1 if missing; and these, sorted, of numbers at most so many."""
    codes, distinct = pd.factorize(values, sort=True)
    number = len(distinct)
    if number > most and is_number(values.dtype):
        cells = np.arange(number) * most // number
        distinct = distinct[np.unique(cells, return_index=True)[1]]
        codes = np.where(codes < 0, -1, cells[codes])
    return codes, distinct
