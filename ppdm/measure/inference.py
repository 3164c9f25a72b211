"""What an intruder learns of a sensitive column: by links, and by inference paths from other columns (LSL03 §6)."""

import warnings

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from ppdm.checks import is_real
from ppdm.information import shared_codes
from ppdm.measure.disclosure import ROUNDING, TARGETS, Guesses, Sensitive
from ppdm.measure.links import counts_of, dense, joined
from ppdm.measure.risk import in_blocks

LEARNT = 3_000  # records that the forest learns from
CELLS = 64  # that it tells apart
LEAST = 10  # records, to learn from
# What a record counts that has a neighbouring value; and any record, where no other one has the same.
NEXT, ELSE = 1e-2, 1e-6


def learnt(specification, name, table, released, seen=None) -> dict:
    """What an intruder learns of a sensitive column by both ways, and the verdict if there is a threshold.

    ``seen``: what was released, as a forest can take it. None for links alone, which may refute, but not hold, a
    threshold.
    """
    own = specification.settings_["columns"][name]
    actions = specification.actions_
    action, true = actions[name], table[name]
    if true.isna().all():
        return {}
    companions = {column: specification.companion(column, table) for column in actions}
    known = specification.settings_["known"]
    if known is not None:
        # Who knows the sensitive value itself need not guess it.
        known = {column: actions[column] for column in known if column != name}
    sensitive = Sensitive(action, true, released.get(name), companions[name], own["tolerance"])
    mates = [column for column, other in actions.items() if other is action and column != name]
    linked = sensitive.linked(known, table, released, companions, mates)
    if action.name == "shuffle":
        # Whatever a shuffle promises, he may take what a record shows for its own.
        same = _near(true, released[name], own["tolerance"])
        shown = Guesses.of(same[true.notna()], linked.certain, linked.fixed)
        if shown.named > linked.named:
            linked = shown
    row = {"baseline": sensitive.baseline, "complete": sensitive.complete, **linked._asdict()}
    row["at most"] = linked.most
    if seen is not None:
        # What moved along is another person's.
        others = [column for column in seen if actions[column] is not action]
        if path := inferred(sensitive, seen[others]):
            row |= {"inferred": path.named, "at most": max(linked.most, path.most)}
    # The default tolerance would tell the range of the true values.
    if not is_real(true.dtype) or "tolerance" in specification.said_[name]:
        row["tolerance"] = own["tolerance"]
    threshold = own["threshold"]
    if threshold is not None:
        row["threshold"] = threshold
        if row["at most"] > threshold:
            row["verdict"] = "not held"
        elif seen is not None:
            row["verdict"] = "held"
    return row


def _near(true, released, tolerance):
    """Whether each released value names the true one."""
    if is_real(true.dtype):
        return (true - released).abs().to_numpy(float, na_value=np.inf) <= tolerance * (1 + ROUNDING)
    return np.equal(*shared_codes("", true, released))


def inferred(sensitive, others) -> Guesses | None:
    """How he fares by what the other released columns tell of this one.

    He has such records of other people from elsewhere, with their true values, and learns from them: a random
    forest of all columns, whose guesses are made by those trees that did not see the record (out of bag); or for
    each column by itself what other records with the same value have, or else with the next ones. The best of these
    ways counts. Whatever is done to this column, they stay open.
    """
    some = sensitive.sample(LEARNT)
    if len(some) < LEAST or others.empty:
        return None
    number = len(sensitive.marginal)
    cells = joined(number, CELLS)
    codes = pd.DataFrame({name: pd.factorize(column, sort=True)[0] for name, column in others.items()})
    forest = RandomForestClassifier(min_samples_leaf=5, oob_score=True, random_state=0)
    with warnings.catch_warnings(action="ignore", category=UserWarning):  # that few records lie in many cells
        forest.fit(codes.iloc[some].to_numpy(), cells[sensitive.places[some]])
    # Within a cell the marginal distribution is all that he knows.
    own = forest.classes_[:, None] == cells
    within = sensitive.marginal * own
    within = within / within.sum(axis=1, keepdims=True)
    shares = forest.oob_decision_function_
    ways = [sensitive.judged((shares[rows] @ within for rows in in_blocks(len(some), number)), some)]
    people = sensitive.sample(TARGETS)
    ways += [
        sensitive.judged(_looked_up(sensitive, code.to_numpy(), people), people) for _, code in codes.items()
    ]
    return max(ways, key=lambda guesses: guesses.named)


def _looked_up(sensitive, code, people):
    """What he believes by the records that have the same code of another column, or the next codes, block by block."""
    known = np.flatnonzero(sensitive.places >= 0)
    number = len(sensitive.marginal)
    # The first code and the last one have a neighbour that nobody has.
    code = code - code.min() + 1
    counts = counts_of(code[known], sensitive.places[known], (code.max() + 2, number))
    for rows in in_blocks(len(people), number):
        at = code[people[rows]]
        own = sensitive.places[people[rows]]
        near = counts[at - 1] + counts[at + 1]
        belief = dense(counts[at] + NEXT * near)
        belief += ELSE * sensitive.marginal
        # He learns from others.
        belief[range(len(own)), own] -= 1 + ELSE
        yield belief / belief.sum(axis=1, keepdims=True)
